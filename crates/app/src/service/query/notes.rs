//! What people say of fields, remembered for a moment: every answer shows it, and it seldom changes. A change that this
//! process makes is seen at once; one by another process within a second. What is in use is read again before that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegauge_admission::cached::{Cached, Source, or_read};
use tidegauge_catalog::columns::FieldNote;
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{DatasetId, Timestamp};

/// How long what was read counts.
const CACHED_MICROS: i64 = 1_000_000;

/// Of how many datasets.
const DATASETS_MAX: usize = 1_000;

/// The notes of a dataset.
type Read = Arc<Vec<FieldNote>>;

/// The notes of datasets that were asked for a moment ago.
#[derive(Debug, Default)]
pub struct Notes(Mutex<HashMap<DatasetId, Cached<Read>>>);

impl Notes {
    pub(in crate::service) async fn of(
        self: &Arc<Self>,
        source: Source<'_>,
        dataset: &DatasetId,
        now: Timestamp,
    ) -> Result<Read, Error> {
        let (all, catalog, dataset) = (Arc::clone(self), Arc::clone(source.catalog), dataset.clone());
        let known = self.known(&dataset, catalog.changes(), now);
        or_read(known, source.tasks, || async move { all.read(&catalog, &dataset, now).await }).await
    }

    async fn read(&self, catalog: &Catalog, dataset: &DatasetId, now: Timestamp) -> Result<Read, Error> {
        // Read before the notes, so that a change in between ends the memory.
        let changes = catalog.changes();
        let notes = Arc::new(catalog.dataset_fields(dataset).await?);
        let mut all = self.lock();
        if all.len() >= DATASETS_MAX {
            all.clear();
        }
        all.insert(dataset.clone(), Cached::new(Arc::clone(&notes), changes, now));
        Ok(notes)
    }

    fn known(&self, dataset: &DatasetId, changes: u64, now: Timestamp) -> Option<(Read, bool)> {
        self.lock().get_mut(dataset)?.get(changes, now, CACHED_MICROS)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DatasetId, Cached<Read>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
