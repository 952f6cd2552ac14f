//! Waiting for events that are not there yet.

use std::pin::Pin;
use std::time::Duration;

use tidegauge_engine::{Answer, Held};
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep, timeout_at};

use crate::app::App;

/// Longest time that a request may wait for a first event.
pub const WAIT_MAX: Duration = Duration::from_secs(5 * 60);

/// How long a request waits that leaves it to the service.
pub const WAIT_AUTO: Duration = Duration::from_secs(30);

/// How soon a request that waits notices that the service stops, and that its caller may not ask any more.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The shortest time between two runs of a query, while events pour in that it does not ask for.
const PAUSE: Duration = Duration::from_millis(50);

/// What became of waiting for a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    HaveCome,
    NotYet,
    /// The time is over, or the service stops.
    InVain,
}

/// A request that waits until a moment.
pub(super) struct Waiting<'a> {
    app: &'a App,
    until: Instant,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(app: &'a App, wait: Duration) -> Self {
        Self { app, until: Instant::now() + wait.min(WAIT_MAX) }
    }

    /// Whether an answer has rows, and is the one to give. Who waits computes nothing, so that the query's place is given
    /// up.
    pub(super) fn is_answer(answer: &mut Answer) -> bool {
        if answer.tables.iter().any(|table| table.rows > 0) {
            return true;
        }
        answer.held = Held::default();
        false
    }

    /// Waits until events have come, but for no more than a moment, after which the caller is to be looked at. What to
    /// wait on is to be asked of the dataset before the query that finds nothing is run, or events in between would be
    /// missed.
    pub(super) async fn a_while(&self, appended: Pin<&mut Notified<'_>>) -> Waited {
        let now = Instant::now();
        if now >= self.until || self.app.is_draining() {
            return Waited::InVain;
        }
        match timeout_at(self.until.min(now + LOOK_EVERY), appended).await {
            Ok(()) => {
                sleep(PAUSE).await;
                Waited::HaveCome
            }
            Err(_) => Waited::NotYet,
        }
    }
}
