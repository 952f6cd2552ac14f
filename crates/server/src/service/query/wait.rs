//! Waiting for events that are not there yet.

use std::time::Duration;

use tidegauge_store::DatasetState;
use tokio::time::{Instant, sleep_until};

use crate::app::App;

/// Longest time that a request may wait for a first event.
pub const WAIT_MAX: Duration = Duration::from_secs(5 * 60);

/// How long a request waits that leaves it to the service.
pub const WAIT_AUTO: Duration = Duration::from_secs(30);

/// How often a dataset is looked at. Also the shortest time between two runs of a query while events pour in that it
/// does not ask for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A request that waits, and up to where it has seen its dataset.
pub(super) struct Waiting<'a> {
    app: &'a App,
    dataset: &'a DatasetState,
    until: Instant,
    seen: Seen,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    logged: usize,
    segments: usize,
}

impl Seen {
    fn of(dataset: &DatasetState) -> Self {
        Self { logged: dataset.logged(), segments: dataset.snapshot().segments.len() }
    }
}

impl<'a> Waiting<'a> {
    pub(super) fn new(app: &'a App, dataset: &'a DatasetState, wait: Duration) -> Self {
        Self { app, dataset, until: Instant::now() + wait.min(WAIT_MAX), seen: Seen::of(dataset) }
    }

    /// Waits until events may have come since the last time, and says so; or until the time is over or the service
    /// stops.
    pub(super) async fn more_may_be_there(&mut self) -> bool {
        loop {
            let now = Instant::now();
            if now >= self.until || self.app.is_draining() {
                return false;
            }
            sleep_until(self.until.min(now + LOOK_EVERY)).await;
            let seen = Seen::of(self.dataset);
            if seen != self.seen {
                self.seen = seen;
                return true;
            }
        }
    }
}
