//! What an organisation has sent this month and keeps, as the catalogue counts it, remembered for a while.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tidegauge_catalog::Catalog;
use tidegauge_model::{OrgId, Timestamp};
use tidegauge_store::Store;
use tidegauge_store::usage::month_of;

use crate::service::Result;

/// How long the catalogue's figures of an organisation are believed while none of its events were written to segments.
const BELIEVED_MICROS: i64 = 10_000_000;

/// The catalogue's figures, as they were last read.
#[derive(Debug, Default)]
pub(super) struct UsageCache(Mutex<HashMap<OrgId, Counted>>);

/// The figures of an organisation.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) month: String,
    pub(super) ingested: u64,
    pub(super) stored: u64,
    read_at: Timestamp,
    flushes: u64,
}

impl UsageCache {
    /// The figures of an organisation, from memory or from the catalogue.
    pub(super) async fn of(
        &self,
        catalog: &Catalog,
        store: &Store,
        org: &OrgId,
        now: Timestamp,
    ) -> Result<Counted> {
        let month = month_of(now.as_nanos());
        let flushes = store.flushes(org);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(org).cloned();
        let is_fresh = |counted: &Counted| {
            let age = now.as_micros() - counted.read_at.as_micros();
            counted.month == month && counted.flushes == flushes && age < BELIEVED_MICROS
        };
        if let Some(counted) = known.filter(is_fresh) {
            return Ok(counted);
        }
        let read = tokio::try_join!(catalog.usage(org, &month), catalog.storage_bytes(org));
        let (ingested, stored) = read?;
        let counted = Counted { month, ingested, stored, read_at: now, flushes };
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(org.clone(), counted.clone());
        Ok(counted)
    }
}
