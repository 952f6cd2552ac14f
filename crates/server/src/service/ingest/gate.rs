//! Lets new fields in up to the licence's limit. A request holds the fields that it brings until its events are
//! stored or refused, so that requests at the same time do not exceed the limit together, and a refused one leaves
//! nothing behind.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tidegauge_ingest::FieldGate;
use tidegauge_model::DatasetId;
use tidegauge_store::DatasetState;

/// The fields that requests bring, by dataset.
#[derive(Debug, Default)]
pub(super) struct NewFields(Mutex<HashMap<DatasetId, Brought>>);

#[derive(Debug)]
struct Brought {
    /// How many fields the dataset had when the first of these requests came.
    known: u64,
    /// By how many requests each is held. One that was stored stays, held by none, while others are on their way.
    held: HashMap<String, usize>,
    requests: usize,
}

/// The gate of one request.
pub(super) struct Gate<'a> {
    new_fields: &'a NewFields,
    dataset: &'a DatasetState,
    fields_max: u64,
    own: Mutex<HashSet<String>>,
}

impl NewFields {
    pub(super) fn gate<'a>(&'a self, dataset: &'a DatasetState, fields_max: u64) -> Gate<'a> {
        Gate { new_fields: self, dataset, fields_max, own: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DatasetId, Brought>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FieldGate for Gate<'_> {
    fn admit(&self, field: &str) -> bool {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.contains(field) || self.dataset.has_field(field) {
            return true;
        }
        let mut all = self.new_fields.lock();
        let brought = all.entry(self.dataset.id().clone()).or_insert_with(|| Brought {
            known: self.dataset.field_count() as u64,
            held: HashMap::new(),
            requests: 0,
        });
        let is_new = !brought.held.contains_key(field);
        let is_full = brought.known + brought.held.len() as u64 >= self.fields_max;
        let admitted = !(is_new && is_full);
        if admitted {
            brought.requests += usize::from(own.is_empty());
            *brought.held.entry(field.to_owned()).or_default() += 1;
            own.insert(field.to_owned());
        } else if brought.requests == 0 {
            all.remove(self.dataset.id());
        }
        admitted
    }
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        let own = std::mem::take(self.own.get_mut().unwrap_or_else(PoisonError::into_inner));
        if own.is_empty() {
            return;
        }
        let mut all = self.new_fields.lock();
        let Some(brought) = all.get_mut(self.dataset.id()) else { return };
        for field in own {
            let holders = brought.held.get_mut(&field).map_or(0, |holders| {
                *holders -= 1;
                *holders
            });
            if holders == 0 && !self.dataset.has_field(&field) {
                brought.held.remove(&field);
            }
        }
        brought.requests -= 1;
        if brought.requests == 0 {
            all.remove(self.dataset.id());
        }
    }
}
