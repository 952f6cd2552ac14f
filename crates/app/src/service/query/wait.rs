//! Waiting for events that are not there yet.

use std::time::Duration;

use tidegauge_engine::{Answer, Held};
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep, timeout_at};

use crate::app::App;

/// Longest time that a request may wait for a first event.
pub const WAIT_MAX: Duration = Duration::from_secs(5 * 60);

/// How long a request waits that leaves it to the service.
pub const WAIT_AUTO: Duration = Duration::from_secs(30);

/// How soon a request that waits notices that the service stops.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The shortest time between two runs of a query, while events pour in that it does not ask for.
const PAUSE: Duration = Duration::from_millis(50);

/// A request that waits until a moment.
pub(super) struct Waiting<'a> {
    app: &'a App,
    until: Instant,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(app: &'a App, wait: Duration) -> Self {
        Self { app, until: Instant::now() + wait.min(WAIT_MAX) }
    }

    /// Whether an answer is the one to give: it has rows, or waiting for some was in vain. Who waits computes nothing, so
    /// that the query's place is given up.
    pub(super) async fn is_over(&self, answer: &mut Answer, appended: Notified<'_>) -> bool {
        if answer.tables.iter().any(|table| table.rows > 0) {
            return true;
        }
        answer.held = Held::default();
        !self.have_come(appended).await
    }

    /// Waits until events have come, and says so; or until the time is over or the service stops. What to wait on is
    /// to be asked of the dataset before the query that finds nothing is run, or events in between would be missed.
    async fn have_come(&self, appended: Notified<'_>) -> bool {
        let mut appended = std::pin::pin!(appended);
        loop {
            let now = Instant::now();
            if now >= self.until || self.app.is_draining() {
                return false;
            }
            if timeout_at(self.until.min(now + LOOK_EVERY), &mut appended).await.is_ok() {
                sleep(PAUSE).await;
                return true;
            }
        }
    }
}
