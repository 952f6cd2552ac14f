//! What an organisation's licence lets it send in a month and keep altogether. Counted from what was really stored: the
//! catalogue's count, and what is on its way to it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tidegauge_model::{ErrorKind, OrgId, Timestamp};
use tidegauge_store::usage::month_of;

use crate::app::App;
use crate::service::allowance::{Allowance, Quota};
use crate::service::{Caller, Error, Result};

const GIGABYTE: u64 = 1_000_000_000;

/// How long the catalogue's figures of an organisation are believed while none of its events were written to segments.
const BELIEVED_MICROS: i64 = 10_000_000;

/// The catalogue's figures, as they were last read.
#[derive(Debug, Default)]
pub(super) struct UsageCache(Mutex<HashMap<OrgId, Counted>>);

#[derive(Clone, Debug)]
struct Counted {
    month: String,
    ingested: u64,
    stored: u64,
    read_at: Timestamp,
    flushes: u64,
}

/// Refuses a request when the month's bytes or the storage are used up.
pub(super) async fn check(app: &App, caller: &Caller) -> Result<Allowance> {
    let standing = caller.standing()?;
    let counted = counted(app, &standing.org, caller.now).await?;
    let bytes = |gigabytes: i64| u64::try_from(gigabytes).unwrap_or(0).saturating_mul(GIGABYTE);
    let limit = bytes(standing.limits.monthly_ingest_gb);
    let used = counted.ingested + app.store.uncounted_usage(&standing.org, &counted.month);
    let allowance = Allowance::of(Quota::Ingest, limit, used, caller.now);
    if allowance.remaining == 0 {
        let message = "the organisation has sent as many bytes this month as its licence allows";
        return Err(Error::new(ErrorKind::QuotaUsedUp, message)
            .hint("raise monthlyIngestGb, or wait for the next month")
            .allowance(allowance));
    }
    if counted.stored >= bytes(standing.limits.storage_allowance_gb) {
        let message = "the organisation stores as many bytes as its licence allows";
        return Err(Error::new(ErrorKind::QuotaUsedUp, message)
            .hint("raise storageAllowanceGB, or trim or delete datasets")
            .allowance(allowance));
    }
    Ok(allowance)
}

async fn counted(app: &App, org: &OrgId, now: Timestamp) -> Result<Counted> {
    let month = month_of(now.as_nanos());
    let flushes = app.store.flushes(org);
    let known = app.ingest.usage.0.lock().unwrap_or_else(PoisonError::into_inner).get(org).cloned();
    let is_fresh = |counted: &Counted| {
        let age = now.as_micros() - counted.read_at.as_micros();
        counted.month == month && counted.flushes == flushes && age < BELIEVED_MICROS
    };
    if let Some(counted) = known.filter(is_fresh) {
        return Ok(counted);
    }
    let read = tokio::try_join!(app.catalog.usage(org, &month), app.catalog.storage_bytes(org));
    let (ingested, stored) = read?;
    let counted = Counted { month, ingested, stored, read_at: now, flushes };
    let mut cache = app.ingest.usage.0.lock().unwrap_or_else(PoisonError::into_inner);
    cache.insert(org.clone(), counted.clone());
    Ok(counted)
}
