//! Repeats the step of a job at its pace until shutdown, on threads that give way to requests or not.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::pace::{MachinePace, Pace};
use crate::app::App;

/// What runs, how fast, and how it is stopped.
#[derive(Debug)]
pub(super) struct Schedule {
    pub(super) tracker: TaskTracker,
    pub(super) stop: CancellationToken,
    pace: Arc<dyn Pace>,
}

/// What the threads of a job give way to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Priority {
    /// To requests and queries.
    Low,
    /// To nothing, as those of requests. Of the connections to SQLite one writes: while a job has it that gives way to all
    /// queries, runs of monitors and changes over HTTP wait for it.
    OfRequests,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::at(Arc::new(MachinePace))
    }
}

impl Schedule {
    pub(super) fn at(pace: Arc<dyn Pace>) -> Self {
        Self { tracker: TaskTracker::new(), stop: CancellationToken::new(), pace }
    }

    pub(super) fn run_every<Step, Running, Failed>(
        &self,
        name: &'static str,
        period: Duration,
        priority: Priority,
        app: &Arc<App>,
        step: Step,
    ) where
        Step: Fn(Arc<App>) -> Running + Send + 'static,
        Running: Future<Output = Result<(), Failed>> + Send,
        Failed: std::error::Error + Send,
    {
        let threads = match priority {
            Priority::Low => app.background.handle().clone(),
            Priority::OfRequests => Handle::current(),
        };
        let app = Arc::clone(app);
        let (stop, mut ticks) = (self.stop.clone(), self.pace.ticks(name, period));
        let repeated = async move {
            loop {
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = ticks.next() => {}
                }
                if let Err(error) = step(Arc::clone(&app)).await {
                    app.metrics.job_failed();
                    tracing::warn!(job = name, error = %error, cause = ?error, "a job's step failed; it is tried again");
                }
            }
        };
        self.tracker.spawn_on(repeated, &threads);
    }
}
