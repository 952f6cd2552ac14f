//! The audit trail of an organisation, as far back as its licence allows.

use std::sync::Arc;

use tidegauge_catalog::AuditEntry;
use tidegauge_model::ErrorKind;

use super::{Caller, Error, Result};
use crate::app::App;
use crate::audit_buffer;

/// The newest entries before a given one.
pub async fn list(
    app: &Arc<App>,
    caller: &Caller,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    // What was refused a moment ago belongs to the answer. The write goes on by itself if the reader goes away.
    let writer = Arc::clone(app);
    let writing =
        app.tasks.spawn(async move { audit_buffer::write_refusals(&writer.refusals, &writer.catalog).await });
    writing.await.map_err(|cause| Error {
        source: Some(Box::new(cause)),
        ..Error::new(ErrorKind::Internal, "the audit trail could not be written")
    })??;
    let org_context = caller.org_context()?;
    let since = caller.now.minus_seconds(org_context.limits.max_audit_window_seconds);
    let before = before.unwrap_or(i64::MAX);
    Ok(app.catalog.list_audit(Some(&org_context.org), since, before, limit).await?)
}
