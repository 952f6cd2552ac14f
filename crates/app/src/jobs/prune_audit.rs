//! Drops audit entries that are older than each organisation's licence lets it look back, and holds their dataset to the
//! same time.

use crate::app::App;
use crate::service::Result;
use crate::service::datasets::audit_dataset;

/// How long refused calls without an organisation are kept: long enough to investigate an attack.
const ANONYMOUS_KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

pub async fn step(app: &App) -> Result<()> {
    let now = app.now();
    for org in app.catalog.list_all_orgs().await? {
        let before = now.minus_seconds(org.licence.limits.max_audit_window_seconds);
        app.catalog.prune_audit(Some(&org.id), before).await?;
        // What could not be handed on to a dataset.
        app.catalog.prune_feed(&org.id, before).await?;
        audit_dataset::hold_to_window(app, &org.id, org.licence.limits.max_audit_window_seconds).await?;
    }
    app.catalog.prune_audit(None, now.minus_seconds(ANONYMOUS_KEPT_SECONDS)).await?;
    Ok(())
}
