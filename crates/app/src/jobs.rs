//! Background jobs. Each is a `step` that tests call by themselves and that `run_every` repeats until shutdown, at a pace
//! that can be handed in, and with a low priority unless others wait for what it holds.

pub mod alerting;
pub mod deliver;
mod feed_audit;
pub mod oauth_maintenance;
pub mod pace;
pub mod prune_audit;
pub mod prune_queries;
pub mod prune_sign_ins;
pub mod prune_tokens;
pub mod prune_usage;
mod schedule;
pub mod store_maintenance;

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::audit_buffer;
use crate::endpoint_uses;
use crate::jobs::pace::{MachinePace, Pace};
use crate::jobs::schedule::{Priority, Schedule};
use crate::service::query::meter;

/// How long a refused call may wait before it is in the audit trail.
const WRITE_REFUSALS_EVERY: Duration = Duration::from_secs(1);

/// How exact the last use of a token is known.
const WRITE_LAST_USES_EVERY: Duration = Duration::from_secs(30);

/// How much of what came in by endpoints a crash can leave uncounted.
const WRITE_ENDPOINT_USES_EVERY: Duration = Duration::from_secs(3);

/// How much of the cost of queries a crash can lose.
const WRITE_QUERY_USAGE_EVERY: Duration = Duration::from_secs(3);

/// How soon it is told that cached partial aggregates were wrong.
const NOTE_ENGINE_EVERY: Duration = Duration::from_secs(60);

const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);

/// Queries are kept as fast as they are asked, so that more than an organisation can have must not stay for long.
const PRUNE_QUERIES_EVERY: Duration = Duration::from_secs(60);

/// The running jobs of one App.
#[derive(Debug, Default)]
pub struct Jobs(Schedule);

impl Jobs {
    /// Starts every job.
    pub fn start(app: &Arc<App>) -> Self {
        Self::start_at(app, Arc::new(MachinePace))
    }

    /// Starts every job at a pace.
    pub fn start_at(app: &Arc<App>, pace: Arc<dyn Pace>) -> Self {
        let jobs = Schedule::at(pace);
        jobs.run_every("write-refusals", WRITE_REFUSALS_EVERY, Priority::OfRequests, app, |app| async move {
            audit_buffer::write_refusals(&app.refusals, &app.catalog).await
        });
        jobs.run_every(
            "write-last-uses",
            WRITE_LAST_USES_EVERY,
            Priority::OfRequests,
            app,
            |app| async move { audit_buffer::write_last_uses(&app.last_uses, &app.catalog).await },
        );
        jobs.run_every(
            "write-endpoint-uses",
            WRITE_ENDPOINT_USES_EVERY,
            Priority::OfRequests,
            app,
            |app| async move { endpoint_uses::write(&app.endpoint_uses, &app.catalog).await },
        );
        jobs.run_every("forget-tokens", PRUNE_EVERY, Priority::Low, app, |app| async move {
            prune_tokens::step(&app).await
        });
        jobs.run_every(
            "write-query-usage",
            WRITE_QUERY_USAGE_EVERY,
            Priority::OfRequests,
            app,
            |app| async move { meter::write(&app.queries.meter, &app.catalog).await },
        );
        jobs.run_every("prune-queries", PRUNE_QUERIES_EVERY, Priority::Low, app, |app| async move {
            prune_queries::step(&app).await
        });
        jobs.run_every("note-engine", NOTE_ENGINE_EVERY, Priority::Low, app, |app| async move {
            app.metrics.note_engine(&app.engine);
            Ok::<(), std::convert::Infallible>(())
        });
        store_maintenance::start(&jobs, app);
        feed_audit::start(&jobs, app);
        deliver::start(&jobs, app);
        alerting::start(&jobs, app);
        jobs.run_every("keep-oauth", PRUNE_EVERY, Priority::Low, app, |app| async move {
            oauth_maintenance::step(&app).await
        });
        jobs.run_every("prune-sign-ins", PRUNE_EVERY, Priority::Low, app, |app| async move {
            prune_sign_ins::step(&app).await
        });
        jobs.run_every("prune-usage", PRUNE_EVERY, Priority::Low, app, |app| async move {
            prune_usage::step(&app).await
        });
        jobs.run_every("prune-audit", PRUNE_EVERY, Priority::Low, app, |app| async move {
            prune_audit::step(&app).await
        });
        Self(jobs)
    }

    /// Stops every job after its present step, and writes what is still collected.
    pub async fn stop(&self, app: &App) {
        self.0.stop.cancel();
        self.0.tracker.close();
        let ended = async {
            self.0.tracker.wait().await;
            app.tasks.close();
            app.tasks.wait().await;
            feed_audit::finish(app).await;
        };
        // The job that keeps the lease has ended too.
        app.store.keep_lease_during(ended).await;
        if let Err(error) = app.store.close().await {
            tracing::warn!(error = %error, cause = ?error, "events stay in the log until the next start");
        }
        let written = [
            audit_buffer::write_refusals(&app.refusals, &app.catalog).await,
            audit_buffer::write_last_uses(&app.last_uses, &app.catalog).await,
            endpoint_uses::write(&app.endpoint_uses, &app.catalog).await,
            meter::write(&app.queries.meter, &app.catalog).await,
        ];
        for written in written {
            if let Err(error) = written {
                tracing::warn!(error = %error, cause = ?error, "what was collected could not be written");
            }
        }
    }
}
