//! Drops audit entries that are older than each organisation's licence lets it look back.

use std::time::Duration;

use tidegauge_catalog::Error;
use tidegauge_model::Timestamp;

use crate::app::App;

/// How long refused calls without an organisation are kept: long enough to investigate an attack.
const ANONYMOUS_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

pub async fn step(app: &App) -> Result<(), Error> {
    let now = app.now();
    for org in app.catalog.list_all_orgs().await? {
        let before = window_start(now, org.licence.limits.max_audit_window_seconds);
        app.catalog.prune_audit(Some(&org.id), before).await?;
    }
    let before = Timestamp::from_micros(now.as_micros() - ANONYMOUS_KEPT.as_micros() as i64);
    app.catalog.prune_audit(None, before).await?;
    Ok(())
}

/// The earliest moment that a window of this many seconds reaches back to.
pub fn window_start(now: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_micros(now.as_micros().saturating_sub(seconds.saturating_mul(1_000_000)))
}
