//! Drops audit entries that are older than each organisation's licence lets it look back.

use tidegauge_catalog::Error;

use crate::app::App;

/// How long refused calls without an organisation are kept: long enough to investigate an attack.
const ANONYMOUS_KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

pub async fn step(app: &App) -> Result<(), Error> {
    let now = app.now();
    for org in app.catalog.list_all_orgs().await? {
        let before = now.minus_seconds(org.licence.limits.max_audit_window_seconds);
        app.catalog.prune_audit(Some(&org.id), before).await?;
    }
    app.catalog.prune_audit(None, now.minus_seconds(ANONYMOUS_KEPT_SECONDS)).await?;
    Ok(())
}
