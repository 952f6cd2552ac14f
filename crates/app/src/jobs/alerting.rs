//! The watch over monitors: takes those that are due, as many as there are places for, and runs each by itself, so that a
//! slow one delays none of the others. Several nodes share the work by leases.

use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::monitor_runs::LeasedMonitor;
use tidegauge_model::MonitorId;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::schedule::{Priority, Schedule};
use crate::app::App;
use crate::service::alerting::resolve::owner;
use crate::service::alerting::run::{Ran, run};

/// How many monitors are run at once. More would only wait for a place in the engine.
const RUNNING_MAX: usize = 16;

/// And of one organisation, so that those of others do not wait for its slow ones.
const RUNNING_OF_ONE_ORG_MAX: i64 = 12;

/// After how long another node takes a run over whose node is gone. Who still works on one makes its lease longer.
const LEASE: Duration = Duration::from_secs(30);
const RENEW_EVERY: Duration = Duration::from_secs(10);

/// Monitors can be made and changed on other nodes, so that nobody waits longer than this before looking again.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What falls due within this time is leased together: each lease costs a sync of the disk.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Where what is due has to wait for others of its organisation.
const LOOK_AGAIN_CROWDED: Duration = Duration::from_millis(100);

/// How long checks are kept, and those that tell of a change.
const CHECKS_KEPT_SECONDS: i64 = 7 * 24 * 60 * 60;
const CHANGES_KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

const PRUNE_EVERY: Duration = Duration::from_secs(10 * 60);

/// The places for runs.
#[derive(Debug)]
pub struct RunPermits(Arc<Semaphore>);

impl Default for RunPermits {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(RUNNING_MAX)))
    }
}

pub(super) fn start(jobs: &Schedule, app: &Arc<App>) {
    jobs.run_every("prune-monitor-checks", PRUNE_EVERY, Priority::Low, app, |app| async move {
        prune(&app).await
    });
    let (app, stop, runs) = (Arc::clone(app), jobs.stop.clone(), jobs.tracker.clone());
    jobs.tracker.spawn(async move {
        let permits = RunPermits::default();
        if let Err(error) = app.catalog.end_left_monitor_leases().await {
            tracing::warn!(error = %error, cause = ?error, "runs that were cut off wait until their leases end");
        }
        loop {
            let wait = match step(&app, &permits, &runs).await {
                Ok(started) => until_next(&app, started).await,
                Err(error) => {
                    app.metrics.job_failed();
                    tracing::warn!(error = %error, cause = ?error, "due monitors could not be found; it is tried again");
                    LOOK_EVERY
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(wait) => {}
            }
        }
    });
}

/// How long nothing is due, after so many runs were started.
async fn until_next(app: &App, started: usize) -> Duration {
    let now = app.now();
    match app.catalog.first_monitor_due(now).await {
        Ok(Some(due)) if started == 0 && due <= now => LOOK_AGAIN_CROWDED,
        Ok(Some(due)) => {
            let micros = due.as_micros().saturating_sub(now.as_micros());
            Duration::from_micros(u64::try_from(micros).unwrap_or(0)).clamp(LOOK_AGAIN, LOOK_EVERY)
        }
        _ => LOOK_EVERY,
    }
}

/// Starts the runs that are due and for which there are places, and tells how many.
pub async fn step(
    app: &Arc<App>,
    permits: &RunPermits,
    runs: &TaskTracker,
) -> Result<usize, tidegauge_catalog::Error> {
    let free = permits.0.available_permits();
    if free == 0 {
        // A run that ends frees a place.
        let _permit = permits.0.acquire().await;
        return Ok(0);
    }
    let now = app.now();
    let owner = owner(app);
    let limit = i64::try_from(free).unwrap_or(1);
    let leased =
        app.catalog.lease_due_monitors(&owner, now, now.plus(LEASE), limit, RUNNING_OF_ONE_ORG_MAX).await?;
    let count = leased.len();
    for monitor in leased {
        // As many were leased as there were places, and nobody else takes them.
        let Ok(permit) = Arc::clone(&permits.0).acquire_owned().await else { break };
        let (app, owner) = (Arc::clone(app), owner.clone());
        runs.spawn(async move {
            let _permit = permit;
            work_on(&app, monitor, &owner).await;
        });
    }
    Ok(count)
}

/// Makes a run, and keeps its lease meanwhile.
async fn work_on(app: &App, monitor: LeasedMonitor, owner: &str) {
    let (id, due) = (monitor.id.clone(), monitor.due);
    // Both go on at the same time: the run may hold the connection that the renewal waits for.
    let ran = tokio::select! {
        ran = run(app, monitor, owner) => ran,
        () = renew(app, &id, owner) => return,
    };
    match ran {
        Ok(Ran::Recorded { is_failed, told }) => {
            let late = due.map_or(0, |due| app.now().as_micros().saturating_sub(due.as_micros()));
            app.metrics.monitor_ran(is_failed, Duration::from_micros(u64::try_from(late).unwrap_or(0)));
            if told > 0 {
                app.notify.wake();
            }
        }
        Ok(Ran::Scheduled) => {}
        Ok(Ran::Lost) => {
            tracing::info!(monitor = %id, "a run was of no use: the monitor is gone, was changed or was taken over")
        }
        Err(error) => {
            app.metrics.job_failed();
            // The lease ends by itself, and the run is made then.
            tracing::warn!(monitor = %id, error = %error.message, cause = ?error.source, "a run of a monitor failed");
        }
    }
}

/// Makes a lease longer again and again, until it is somebody else's.
async fn renew(app: &App, id: &MonitorId, owner: &str) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        match app.catalog.renew_monitor_lease(id, owner, app.now().plus(LEASE)).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                tracing::warn!(monitor = %id, error = %error, cause = ?error, "the lease of a run was not renewed");
            }
        }
    }
}

/// Drops what is older than it is kept.
pub async fn prune(app: &App) -> Result<(), tidegauge_catalog::Error> {
    let now = app.now();
    let plain = now.minus_seconds(CHECKS_KEPT_SECONDS);
    let changes = now.minus_seconds(CHANGES_KEPT_SECONDS);
    app.catalog.prune_monitor_checks(plain, changes).await.map(|_| ())
}
