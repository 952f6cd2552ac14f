//! The jobs that keep events: from the buffer to segments, small segments to larger ones, old ones away, and objects
//! that nobody needs.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::schedule::{Priority, Schedule};
use crate::app::App;

/// How often the age of events in the buffer is looked at. A full buffer is flushed at once.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// How soon it is known that a log that could not be written can be again.
const MEND_LOG_EVERY: Duration = Duration::from_secs(5);

const COMPACT_EVERY: Duration = Duration::from_secs(5);
const RETAIN_EVERY: Duration = Duration::from_secs(60);
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);

/// How long keys of requests are kept after they stopped to count.
const KEYS_KEPT_SECONDS: i64 = 25 * 60 * 60;

pub(super) fn start(jobs: &Schedule, app: &Arc<App>) {
    start_flush(jobs, app);
    let renew_every = app.store.lease_period();
    jobs.run_every("keep-lease", renew_every, Priority::OfRequests, app, |app| async move {
        app.store.renew_lease().await
    });
    jobs.run_every("mend-log", MEND_LOG_EVERY, Priority::Low, app, |app| async move {
        app.store.mend_wal().await
    });
    let stop = jobs.stop.clone();
    jobs.run_every("compact", COMPACT_EVERY, Priority::Low, app, move |app| {
        let stop = stop.clone();
        async move { compact(&app, &stop).await }
    });
    jobs.run_every("retain", RETAIN_EVERY, Priority::Low, app, |app| async move {
        app.store.enforce_retention().await
    });
    jobs.run_every("collect-garbage", RETAIN_EVERY, Priority::Low, app, |app| async move {
        app.store.collect_garbage().await.map(|_| ())
    });
    jobs.run_every("sweep-orphans", SWEEP_EVERY, Priority::Low, app, |app| async move {
        app.store.collect_orphans().await.map(|_| ())
    });
    jobs.run_every("prune-ingest-keys", RETAIN_EVERY, Priority::Low, app, |app| async move {
        app.catalog.prune_ingest_keys(app.now().minus_seconds(KEYS_KEPT_SECONDS)).await.map(|_| ())
    });
}

/// Merges until there is nothing to merge or the service stops, but leaves the machine to requests while events pour in.
pub async fn compact(app: &App, stop: &CancellationToken) -> Result<(), tidegauge_store::Error> {
    while !stop.is_cancelled() && !app.store.is_pressed() && app.store.compact_step().await? {}
    Ok(())
}

fn start_flush(jobs: &Schedule, app: &Arc<App>) {
    let (app, threads) = (Arc::clone(app), &app.background);
    let stop = jobs.stop.clone();
    let flush = async move {
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = app.store.flush_wanted() => {}
                () = tokio::time::sleep(FLUSH_EVERY) => {}
            }
            if let Err(error) = app.store.flush_due().await {
                app.metrics.job_failed();
                tracing::warn!(error = %error, cause = ?error, "events could not be written as segments");
                // The cause is outside: a disk or a database that has to come back.
                tokio::time::sleep(FLUSH_EVERY).await;
            }
        }
    };
    jobs.tracker.spawn_on(flush, threads.handle());
}
