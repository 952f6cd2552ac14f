//! Copies of damaged parts of the WAL. Nobody can tell which events are in one, so it goes with a deletion of events that
//! may be among them: those of its dataset, or of any if its dataset is not known. What is said about it stays, so that
//! it is known what was lost, and that there is nothing left to recover it from.

use std::io;
use std::path::Path;

use tidegauge_model::DatasetId;

use crate::Store;
use crate::disk::Disk;
use crate::wal::{COPY_EXTENSION, REPORT_EXTENSION, UNKNOWN_DATASET};

impl Store {
    /// Deletes the copies that may have events of a dataset up to a sequence.
    pub(crate) fn drop_damaged(&self, dataset: &DatasetId, last_sequence: u64) {
        let folder = self.settings.folder.join("quarantine");
        if let Err(error) = drop_copies(&*self.settings.disk, &folder, dataset, last_sequence) {
            tracing::warn!(folder = %folder.display(), %error, "cannot delete a copy of damaged parts of the write-ahead log");
        }
    }
}

fn drop_copies(disk: &dyn Disk, folder: &Path, dataset: &DatasetId, last_sequence: u64) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut is_changed = false;
    for entry in entries {
        let copy = entry?.path();
        if copy.extension().is_none_or(|extension| extension != COPY_EXTENSION) {
            continue;
        }
        // Without a report nothing is known of it.
        let report = std::fs::read_to_string(copy.with_extension(REPORT_EXTENSION)).unwrap_or_default();
        if may_hold(&report, dataset, last_sequence) {
            disk.remove(&copy)?;
            is_changed = true;
            tracing::info!(copy = %copy.display(), %dataset, "deleted a copy of a damaged part of the write-ahead log");
        }
    }
    if is_changed { disk.sync_folder(folder) } else { Ok(()) }
}

/// Whether a part may hold events of a dataset up to a sequence, by its report, which [`crate::Damage`] writes.
fn may_hold(report: &str, dataset: &DatasetId, last_sequence: u64) -> bool {
    let known = || {
        let (first, rest) = report.strip_prefix("sequences ")?.split_once(" to ")?;
        let (_, of) = rest.split_once(" of ")?;
        Some((first.parse::<u64>().ok()?, of))
    };
    let Some((first_sequence, of)) = known() else { return true };
    let is_of = |name: &str| of.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    first_sequence <= last_sequence && (is_of(dataset.as_str()) || is_of(UNKNOWN_DATASET))
}

#[cfg(test)]
mod tests {
    use super::may_hold;
    use crate::Damage;
    use tidegauge_model::DatasetId;

    #[test]
    fn a_report_says_whose_events_a_part_may_hold() {
        let (ours, theirs) = (DatasetId::from("dataset_1"), DatasetId::from("dataset_12"));
        let report = |dataset: Option<&DatasetId>| {
            let damage = Damage {
                file: "1.log".into(),
                from: 24,
                to: 99,
                dataset: dataset.cloned(),
                first_sequence: 5,
                last_sequence: 7,
                quarantined: "1-24.bin".into(),
            };
            format!("{damage}\n")
        };
        for of in [Some(&ours), None] {
            assert!(may_hold(&report(of), &ours, 5) && may_hold(&report(of), &ours, 99));
            assert!(!may_hold(&report(of), &ours, 4), "younger than what goes");
        }
        assert!(!may_hold(&report(Some(&theirs)), &ours, 99));
        assert!(!may_hold(&report(Some(&ours)), &theirs, 99));
        assert!(may_hold("", &ours, 0), "nothing is known");
    }
}
