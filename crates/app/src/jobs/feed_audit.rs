//! Hands what the audit trail has got on to the datasets of the organisations.

use std::sync::Arc;
use std::time::Duration;

use super::schedule::{Priority, Schedule};
use crate::app::App;
use crate::{audit_buffer, audit_feed};

/// How long an entry may wait before it can be queried.
const FEED_EVERY: Duration = Duration::from_secs(1);

pub(super) fn start(jobs: &Schedule, app: &Arc<App>) {
    jobs.run_every("feed-audit-events", FEED_EVERY, Priority::OfRequests, app, |app| async move {
        audit_feed::step(&app).await
    });
}

/// Hands on what is there when the service stops. What cannot be is handed on by the next start.
pub(super) async fn finish(app: &App) {
    // What is still collected belongs to it; if that cannot be written, it is tried again and told later.
    let _ = audit_buffer::write_refusals(&app.refusals, &app.catalog).await;
    if let Err(error) = audit_feed::step(app).await {
        tracing::warn!(error = %error, cause = ?error, "the next start puts the last entries of the audit trail into datasets");
    }
}
