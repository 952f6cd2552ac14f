//! Holds the catalogue against the objects and says what does not fit, whom it concerns and what to do. Nothing is
//! changed. Objects are listed in any case, and read whole only when asked to.

use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use tidegauge_catalog::Catalog;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{DatasetId, ErrorKind, SegmentId, Timestamp};

use crate::checksum::checksum;
use crate::disk::{Disk, MachineDisk};
use crate::gc::{dataset_of, uncommitted_border};
use crate::objects::{Listed, ObjectLocation, Objects};
use crate::segment::SegmentInput;
use crate::{Error, Result, SegmentStats, Store};

/// How many paths are asked for at once.
const BATCH: usize = 500;

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FindingKind {
    MissingObject,
    WrongSize,
    WrongChecksum,
    Unreadable,
    /// The events are not those that the catalogue names: their number or their time.
    WrongContents,
    /// The bounds by which queries pass over segments are not those of the file.
    WrongStatistics,
    /// An object that no segment of the catalogue has.
    UnknownObject,
    /// A part of the WAL that could not be read when the store was opened.
    WalDamage,
    /// Events in the WAL whose dataset the catalogue does not know.
    OrphanedEvents,
}

/// One thing that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    pub dataset: Option<DatasetId>,
    pub segment: Option<SegmentId>,
    /// How many events it concerns, as far as that is known.
    pub rows: Option<u64>,
    /// The time of the earliest and the latest of them, in nanoseconds since 1970.
    pub times: Option<(i64, i64)>,
    /// What was found.
    pub problem: String,
}

impl FindingKind {
    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::MissingObject | Self::WrongSize | Self::WrongChecksum | Self::Unreadable => {
                "restore the object from a backup; if there is none, its events are lost"
            }
            Self::WrongContents | Self::WrongStatistics => {
                "restore the catalogue, or rebuild it from the segments"
            }
            Self::UnknownObject => {
                "if the catalogue is the right one, delete the object; if not, restore it or rebuild it"
            }
            Self::WalDamage => "what can be read was recovered; send the events of these requests again",
            Self::OrphanedEvents => {
                "if the dataset was deleted, delete the files in quarantine; if not, restore the catalogue and \
                 put them back into the write-ahead log"
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.problem, self.kind.advice())
    }
}

impl Finding {
    fn of_segment(kind: FindingKind, segment: &Segment, problem: impl fmt::Display) -> Self {
        let (id, dataset, rows) = (&segment.id, &segment.dataset, segment.rows);
        Self {
            kind,
            dataset: Some(dataset.clone()),
            segment: Some(id.clone()),
            rows: Some(rows),
            times: Some((segment.min_time, segment.max_time)),
            problem: format!("{id} of {dataset} with {rows} events {problem}"),
        }
    }

    fn elsewhere(kind: FindingKind, dataset: Option<DatasetId>, problem: String) -> Self {
        Self { kind, dataset, segment: None, rows: None, times: None, problem }
    }
}

impl Store {
    /// Looks for what does not fit together. A deep look reads every segment.
    pub async fn check(&self, is_deep: bool) -> Result<Vec<Finding>> {
        let mut findings = self.check_wal();
        let checker = Checker { catalog: &self.catalog, objects: &self.objects, now: self.now() };
        findings.extend(checker.check(is_deep).await?);
        Ok(findings)
    }

    fn check_wal(&self) -> Vec<Finding> {
        let damage = self.damage().iter().map(|damage| {
            Finding::elsewhere(FindingKind::WalDamage, damage.dataset.clone(), damage.to_string())
        });
        let orphaned = self.orphaned.datasets.iter().map(|(dataset, events)| {
            let rows = events.rows;
            let problem = format!(
                "the write-ahead log has {rows} events of {dataset}, which the catalogue does not know"
            );
            let finding = Finding::elsewhere(FindingKind::OrphanedEvents, Some(dataset.clone()), problem);
            Finding { rows: Some(rows), ..finding }
        });
        damage.chain(orphaned).collect()
    }
}

/// Holds a catalogue against its objects while another process may be using both. The WAL is left alone.
pub async fn check_objects(
    catalog: &Catalog,
    location: &ObjectLocation,
    is_deep: bool,
    now: Timestamp,
) -> Result<Vec<Finding>> {
    let disk: Arc<dyn Disk> = Arc::new(MachineDisk);
    let objects = Objects::open(location, &disk)?;
    Checker { catalog, objects: &objects, now }.check(is_deep).await
}

struct Checker<'a> {
    catalog: &'a Catalog,
    objects: &'a Objects,
    now: Timestamp,
}

impl Checker<'_> {
    async fn check(&self, is_deep: bool) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        // Before the objects: what is published was written before.
        let segments = self.catalog.all_live_segments().await?;
        let listed = self.objects.list().await?;
        let sizes: HashMap<&str, u64> =
            listed.iter().map(|object| (object.path.as_str(), object.bytes)).collect();
        for segment in &segments {
            match sizes.get(segment.path.as_str()) {
                None => {
                    let problem = format!("is missing: there is no object {}", segment.path);
                    findings.push(Finding::of_segment(FindingKind::MissingObject, segment, problem));
                }
                Some(bytes) if *bytes != segment.bytes => {
                    let problem = format!("has {bytes} bytes instead of {}", segment.bytes);
                    findings.push(Finding::of_segment(FindingKind::WrongSize, segment, problem));
                }
                Some(_) if is_deep => findings.extend(self.check_object(segment).await?),
                Some(_) => {}
            }
        }
        findings.extend(self.check_unknown(&listed).await?);
        Ok(findings)
    }

    async fn check_unknown(&self, listed: &[Listed]) -> Result<Vec<Finding>> {
        let border = uncommitted_border(self.now);
        let is_old = |object: &&Listed| object.modified < border;
        let old: Vec<String> = listed.iter().filter(is_old).map(|object| object.path.clone()).collect();
        let mut findings = Vec::new();
        for batch in old.chunks(BATCH) {
            let known = self.catalog.known_paths(batch).await?;
            for path in batch.iter().filter(|path| !known.contains(*path)) {
                let problem = format!("the catalogue does not know the object {path}");
                findings.push(Finding::elsewhere(FindingKind::UnknownObject, dataset_of(path), problem));
            }
        }
        Ok(findings)
    }

    /// Reads one segment and compares it with what the catalogue says.
    async fn check_object(&self, segment: &Segment) -> Result<Option<Finding>> {
        let found = |kind, problem: String| Ok(Some(Finding::of_segment(kind, segment, problem)));
        let bytes = match self.objects.get(&segment.path).await {
            Ok(bytes) => bytes,
            // Gone since the listing, which only a hand from outside can have done.
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                return found(FindingKind::MissingObject, "is missing".to_owned());
            }
            Err(error) => return Err(error),
        };
        if checksum(&bytes) != segment.checksum {
            return found(FindingKind::WrongChecksum, "is not what was written".to_owned());
        }
        let stats = match self.catalog.segment_stats(&segment.id).await {
            Ok(stats) => stats,
            // Removed since the look at the catalogue.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let opened = tokio::task::spawn_blocking(move || SegmentInput::open(bytes).and_then(read_all)).await;
        let opened = opened.map_err(|source| {
            Error::caused(ErrorKind::Internal, "the check of a segment was interrupted", source)
        })?;
        let part = match opened {
            Ok(part) => part,
            Err(error) => return found(FindingKind::Unreadable, format!("cannot be read: {error}")),
        };
        let times = &part.identities().times;
        let range = (times.iter().min().copied(), times.iter().max().copied());
        if part.rows() as u64 != segment.rows {
            return found(FindingKind::WrongContents, format!("has {} events", part.rows()));
        }
        if range != (Some(segment.min_time), Some(segment.max_time)) {
            return found(FindingKind::WrongContents, "has events of other times".to_owned());
        }
        if SegmentStats::decode(&stats).ok() != Some(part.stats()) {
            return found(FindingKind::WrongStatistics, "has other statistics than the catalogue".to_owned());
        }
        Ok(None)
    }
}

/// Decodes every column.
fn read_all(part: SegmentInput) -> Result<SegmentInput> {
    let mut places = Vec::new();
    part.columns(&mut |place, _, _, _| places.push(place));
    for place in places {
        part.array(place)?;
    }
    Ok(part)
}
