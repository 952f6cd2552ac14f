//! What an organisation's licence lets it send in a month and keep altogether. Counted from what was really stored: the
//! catalogue's count, and what is on its way to it.

use tidegauge_model::ErrorKind;

use crate::app::App;
use crate::service::allowance::{Allowance, Quota};
use crate::service::{Caller, Error, Result};

const GIGABYTE: u64 = 1_000_000_000;

/// Refuses a request when the month's bytes or the storage are used up.
pub(super) async fn check(app: &App, caller: &Caller) -> Result<Allowance> {
    let standing = caller.standing()?;
    let counted = app.ingest.usage.of(&app.catalog, &app.store, &standing.org, caller.now).await?;
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
