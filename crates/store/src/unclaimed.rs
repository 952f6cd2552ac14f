//! Events in the log whose dataset the catalogue does not know, although nobody is known to have deleted it: the
//! catalogue may be the wrong one, or an old copy, and then the log is the only place that has them. Files of the log
//! that hold such events are put aside instead of being deleted.

use std::collections::BTreeMap;

use tidegauge_model::{Columns, DatasetId};

use crate::frame::{Encoder, Frame, Receipt};
use crate::log::Recovered;

/// When the mark arrived that says that a dataset is deleted: no request has this time.
const DELETED: i64 = i64::MIN;

/// Events without a dataset, by the dataset that they had.
#[derive(Debug, Default)]
pub(crate) struct Unclaimed {
    pub(crate) datasets: BTreeMap<DatasetId, UnclaimedEvents>,
}

/// Events of one such dataset.
#[derive(Debug, Default)]
pub(crate) struct UnclaimedEvents {
    /// Ascending.
    pub(crate) sequences: Vec<u64>,
    pub(crate) rows: u64,
}

/// What is logged when a dataset is deleted, so that its events are not missed later.
pub(crate) fn deletion() -> Frame {
    Encoder::encode(&Columns::default(), Receipt { arrival: DELETED, ..Receipt::default() })
}

/// Whether a record says that its dataset is deleted.
pub(crate) fn is_deletion(frame: &Frame) -> bool {
    frame.receipt().arrival == DELETED
}

impl Unclaimed {
    /// Called in the order of sequences.
    pub(crate) fn add(&mut self, dataset: DatasetId, sequence: u64, frame: &Frame) {
        if is_deletion(frame) {
            self.datasets.remove(&dataset);
        } else if frame.rows() > 0 {
            let events = self.datasets.entry(dataset).or_default();
            events.sequences.push(sequence);
            events.rows += frame.rows() as u64;
        }
    }

    /// Sees to it that the files with these events are not deleted.
    pub(crate) fn protect(&self, recovered: &mut Recovered) {
        let sequences = || self.datasets.values().flat_map(|events| events.sequences.iter().copied());
        for sequence in sequences() {
            let file = recovered.files.iter_mut().find(|file| file.last_sequence >= sequence);
            if let Some(file) = file {
                file.unclaimed.insert(sequence);
            }
        }
        for (dataset, events) in &self.datasets {
            let rows = events.rows;
            tracing::error!(%dataset, rows, "the log has events of a dataset that the catalogue does not know");
        }
    }
}
