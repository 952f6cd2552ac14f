//! What people say of fields, remembered for a moment: every answer shows it, and it seldom changes. A change that this
//! process makes is seen at once; one by another process within a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tidegauge_catalog::columns::FieldNote;
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{DatasetId, Timestamp};

/// How long what was read counts.
const REMEMBERED_MICROS: i64 = 1_000_000;

/// Of how many datasets.
const DATASETS_MAX: usize = 1_000;

/// The notes of datasets that were asked for a moment ago.
#[derive(Debug, Default)]
pub struct Notes(Mutex<HashMap<DatasetId, Known>>);

#[derive(Debug)]
struct Known {
    notes: Arc<Vec<FieldNote>>,
    /// The state of the catalogue that they were read from.
    changes: u64,
    at: Timestamp,
}

impl Notes {
    pub(in crate::service) async fn of(
        &self,
        catalog: &Catalog,
        dataset: &DatasetId,
        now: Timestamp,
    ) -> Result<Arc<Vec<FieldNote>>, Error> {
        // Read before the notes, so that a change in between ends the memory.
        let changes = catalog.changes();
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(dataset) {
            let age = now.as_micros().saturating_sub(known.at.as_micros());
            if known.changes == changes && (0..REMEMBERED_MICROS).contains(&age) {
                return Ok(Arc::clone(&known.notes));
            }
        }
        let notes = Arc::new(catalog.dataset_fields(dataset).await?);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= DATASETS_MAX {
            all.clear();
        }
        all.insert(dataset.clone(), Known { notes: Arc::clone(&notes), changes, at: now });
        Ok(notes)
    }
}
