//! The audit trail of an organisation, as far back as its licence allows.

use tidegauge_catalog::AuditEntry;

use super::{Caller, Result};
use crate::app::App;
use crate::collected;

/// The newest entries before a given one.
pub async fn list(app: &App, caller: &Caller, before: Option<i64>, limit: i64) -> Result<Vec<AuditEntry>> {
    // What was refused a moment ago belongs to the answer.
    collected::write_refusals(app).await?;
    let standing = caller.standing()?;
    let since = caller.now.minus_seconds(standing.limits.max_audit_window_seconds);
    let before = before.unwrap_or(i64::MAX);
    Ok(app.catalog.list_audit(Some(&standing.org), since, before, limit).await?)
}
