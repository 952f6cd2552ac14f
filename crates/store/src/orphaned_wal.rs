//! Events in the WAL whose dataset the catalogue does not know, although nobody is known to have deleted it: the
//! catalogue may be the wrong one, or an old copy, and then the WAL is the only place that has them. Files of the WAL
//! that hold such events are put aside instead of being deleted.

use std::collections::{BTreeMap, HashSet};

use tidegauge_model::{Columns, DatasetId};

use crate::wal::Recovered;
use crate::wal_batch::{Encoder, Receipt, WalBatch};

/// When the mark arrived that says that a dataset is deleted: no request has this time.
const DELETED: i64 = i64::MIN;

/// Events without a dataset, by the dataset that they had.
#[derive(Debug, Default)]
pub(crate) struct OrphanedWal {
    pub(crate) datasets: BTreeMap<DatasetId, OrphanedEvents>,
}

/// Events of one such dataset.
#[derive(Debug, Default)]
pub(crate) struct OrphanedEvents {
    /// Ascending.
    pub(crate) sequences: Vec<u64>,
    pub(crate) rows: u64,
}

/// What is written to the WAL when a dataset is deleted, so that its events are not missed later.
pub(crate) fn deletion() -> WalBatch {
    Encoder::encode(&Columns::default(), Receipt { arrival: DELETED, ..Receipt::default() })
}

/// Whether a record says that its dataset is deleted.
pub(crate) fn is_deletion(payload: &WalBatch) -> bool {
    payload.receipt().arrival == DELETED
}

impl OrphanedWal {
    /// Called in the order of sequences.
    pub(crate) fn add(&mut self, dataset: DatasetId, sequence: u64, payload: &WalBatch) {
        if is_deletion(payload) {
            self.datasets.remove(&dataset);
        } else if payload.rows() > 0 {
            let events = self.datasets.entry(dataset).or_default();
            events.sequences.push(sequence);
            events.rows += payload.rows() as u64;
        }
    }

    /// Forgets those that the catalogue knows as deleted, also by another process.
    pub(crate) fn forget(&mut self, deleted: &HashSet<DatasetId>) {
        self.datasets.retain(|dataset, _| !deleted.contains(dataset));
    }

    /// Sees to it that the files with these events are not deleted.
    pub(crate) fn protect(&self, recovered: &mut Recovered) {
        let sequences = || self.datasets.values().flat_map(|events| events.sequences.iter().copied());
        for sequence in sequences() {
            let file = recovered.files.iter_mut().find(|file| file.last_sequence >= sequence);
            if let Some(file) = file {
                file.orphaned.insert(sequence);
            }
        }
        for (dataset, events) in &self.datasets {
            let rows = events.rows;
            tracing::error!(%dataset, rows, "the write-ahead log has events of a dataset that the catalogue does not know");
        }
    }
}
