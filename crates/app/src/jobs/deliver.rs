//! Sends what is in the outbox, and drops what is old.

use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::Error;

use super::schedule::{Priority, Schedule};
use crate::app::App;

const PRUNE_EVERY: Duration = Duration::from_secs(60);

const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;

/// Of each notifier.
const NEWEST: i64 = 1_000;

pub(super) fn start(jobs: &Schedule, app: &Arc<App>) {
    let worker = Arc::clone(&app.notify);
    let stop = jobs.stop.clone();
    jobs.tracker.spawn(async move { worker.run(&stop).await });
    jobs.run_every(
        "prune-deliveries",
        PRUNE_EVERY,
        Priority::Low,
        app,
        |app| async move { prune(&app).await },
    );
}

/// Gives up what nobody could send in time, and drops what has ended long ago. Only when there is something to do: a
/// change of the catalogue costs a sync of the disk.
pub async fn prune(app: &App) -> Result<(), Error> {
    let now = app.now();
    let expires_before = now.minus(app.notify.age_max());
    let size = app.catalog.outbox_size().await?;
    if size.oldest.is_some_and(|oldest| oldest < expires_before) {
        app.catalog.expire_deliveries(expires_before, now).await?;
    }
    app.catalog.prune_deliveries(now.minus_seconds(KEPT_SECONDS), NEWEST).await?;
    Ok(())
}
