//! What an organisation's licence lets it send in a month and keep altogether. Counted from what was really stored: the
//! catalogue's count, and what is on its way to it.

use tidegauge_model::ErrorKind;

use crate::app::App;
use crate::service::quota_remaining::{Quota, QuotaRemaining};
use crate::service::{Caller, Error, Result};

const GIGABYTE: u64 = 1_000_000_000;

/// Refuses a request when the month's bytes or the storage are used up.
pub(super) async fn check(app: &App, caller: &Caller) -> Result<QuotaRemaining> {
    let org_context = caller.org_context()?;
    let counted = app.ingest.usage.of(&app.catalog, &app.store, &org_context.org, caller.now).await?;
    let bytes = |gigabytes: i64| u64::try_from(gigabytes).unwrap_or(0).saturating_mul(GIGABYTE);
    let limit = bytes(org_context.limits.monthly_ingest_gb);
    let used = counted.ingested + app.store.uncounted_usage(&org_context.org, &counted.month);
    let quota_remaining = QuotaRemaining::of(Quota::Ingest, limit, used, caller.now);
    if quota_remaining.remaining == 0 {
        let message = "the organisation has sent as many bytes this month as its licence allows";
        return Err(Error::new(ErrorKind::QuotaUsedUp, message)
            .hint("raise monthlyIngestGb, or wait for the next month")
            .quota_remaining(quota_remaining));
    }
    if counted.stored >= bytes(org_context.limits.storage_allowance_gb) {
        let message = "the organisation stores as many bytes as its licence allows";
        return Err(Error::new(ErrorKind::QuotaUsedUp, message)
            .hint("raise storageAllowanceGB, or trim or delete datasets")
            .quota_remaining(quota_remaining));
    }
    Ok(quota_remaining)
}
