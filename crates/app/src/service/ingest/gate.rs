//! Lets new fields in up to the licence's limit. A request holds the fields that it brings until its events are
//! stored or refused, so that requests at the same time do not exceed the limit together, and a refused one leaves
//! nothing behind. Requests are told apart by the name of their dataset, because the first ones come before it is made.
//! What the layout of a protocol has is let in beyond the limit, and counts against it as all fields do.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegauge_ingest::FieldGate;
use tidegauge_model::OrgId;
use tidegauge_store::{DatasetState, Store};

/// The fields that requests bring, by the organisation and the name of the dataset.
#[derive(Debug, Default)]
pub(super) struct NewFields(Mutex<HashMap<(OrgId, String), Brought>>);

#[derive(Debug)]
struct Brought {
    /// How many fields the dataset had when the first of these requests came.
    known: u64,
    /// By how many requests each is held. One that was stored stays, held by none, while others are on their way.
    held: HashMap<String, usize>,
    requests: usize,
}

/// Which dataset a request is for.
pub(super) struct Target<'a> {
    pub(super) store: &'a Store,
    pub(super) org: &'a OrgId,
    pub(super) name: &'a str,
}

/// The gate of one request.
pub(super) struct Gate<'a> {
    new_fields: &'a NewFields,
    target: Target<'a>,
    fields_max: u64,
    own: Mutex<HashSet<String>>,
}

impl Target<'_> {
    /// Looked up each time, because another request may have made it meanwhile.
    fn dataset(&self) -> Option<Arc<DatasetState>> {
        self.store.find(self.org, self.name)
    }

    fn has_field(&self, field: &str) -> bool {
        self.dataset().is_some_and(|dataset| dataset.has_field(field))
    }

    fn key(&self) -> (OrgId, String) {
        (self.org.clone(), self.name.to_owned())
    }
}

impl NewFields {
    pub(super) fn gate<'a>(&'a self, target: Target<'a>, fields_max: u64) -> Gate<'a> {
        Gate { new_fields: self, target, fields_max, own: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(OrgId, String), Brought>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FieldGate for Gate<'_> {
    fn admit(&self, field: &str) -> bool {
        self.let_in(field, self.fields_max)
    }

    fn admit_always(&self, field: &'static str) {
        self.let_in(field, u64::MAX);
    }
}

impl Gate<'_> {
    /// Holds a field for this request, unless it is new and the dataset has so many.
    fn let_in(&self, field: &str, fields_max: u64) -> bool {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.contains(field) || self.target.has_field(field) {
            return true;
        }
        let key = self.target.key();
        let mut all = self.new_fields.lock();
        // Counted under the lock: requests that have ended are in the dataset by now, the others in the table.
        let brought = all.entry(key.clone()).or_insert_with(|| Brought {
            known: self.target.dataset().map_or(0, |dataset| dataset.field_count() as u64),
            held: HashMap::new(),
            requests: 0,
        });
        let is_new = !brought.held.contains_key(field);
        let is_full = brought.known + brought.held.len() as u64 >= fields_max;
        let admitted = !(is_new && is_full);
        if admitted {
            brought.requests += usize::from(own.is_empty());
            *brought.held.entry(field.to_owned()).or_default() += 1;
            own.insert(field.to_owned());
        } else if brought.requests == 0 {
            all.remove(&key);
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
        let key = self.target.key();
        let mut all = self.new_fields.lock();
        let Some(brought) = all.get_mut(&key) else { return };
        for field in own {
            let holders = brought.held.get_mut(&field).map_or(0, |holders| {
                *holders -= 1;
                *holders
            });
            if holders == 0 && !self.target.has_field(&field) {
                brought.held.remove(&field);
            }
        }
        brought.requests -= 1;
        if brought.requests == 0 {
            all.remove(&key);
        }
    }
}
