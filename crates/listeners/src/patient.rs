//! Stores what nobody would send again: while it cannot be stored it is kept and tried again, so that whoever brings more
//! waits meanwhile; what can never be stored is dropped and counted.

use std::ops::Range;
use std::time::Duration;

use tidegauge_app::App;
use tidegauge_metrics::listeners::Dropped;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::port::Port;
use crate::unstored::Unstored;

/// How long it takes to try again, at first and at most.
const RETRY_FIRST: Duration = Duration::from_millis(100);
const RETRY_MAX: Duration = Duration::from_secs(5);

/// Whoever waits.
pub(crate) struct Patient<'a> {
    pub(crate) app: &'a App,
    pub(crate) port: &'a Port,
    /// From then on nothing is tried again.
    pub(crate) give_up: &'a CancellationToken,
}

impl Patient<'_> {
    /// Stores so many messages by `attempt`, which is told which of them. If they are too much for one attempt, or a
    /// message cannot be stored, its halves are tried. Returns how many were dropped.
    pub(crate) async fn store<A>(&self, messages: usize, attempt: impl Fn(Range<usize>) -> A) -> u64
    where
        A: Future<Output = Result<(), Unstored>>,
    {
        let (whole, mut dropped) = (0..messages, 0);
        let mut parts = vec![whole];
        while let Some(part) = parts.pop() {
            let Err(unstored) = self.keep_trying(part.clone(), &attempt).await else { continue };
            if part.len() > 1 && !self.give_up.is_cancelled() {
                let middle = part.start + part.len() / 2;
                parts.extend([middle..part.end, part.start..middle]);
                continue;
            }
            let (count, reason) = (part.len() as u64, unstored.reason.as_str());
            tracing::warn!(listener = self.port.name, count, reason, "messages could not be stored");
            self.port.dropped(Dropped::Unstored, count);
            unstored.note(self.app, count);
            dropped += count;
        }
        dropped
    }

    /// Tries until it is stored; the reason if it never will be.
    async fn keep_trying<A>(
        &self,
        part: Range<usize>,
        attempt: &impl Fn(Range<usize>) -> A,
    ) -> Result<(), Unstored>
    where
        A: Future<Output = Result<(), Unstored>>,
    {
        let mut wait = RETRY_FIRST;
        loop {
            let unstored = match attempt(part.clone()).await {
                Ok(()) => {
                    self.port.metrics.stored(self.port.name, part.len() as u64);
                    return Ok(());
                }
                Err(unstored) if unstored.is_final() => return Err(unstored),
                Err(unstored) => unstored,
            };
            if wait == RETRY_FIRST {
                tracing::warn!(
                    listener = self.port.name,
                    reason = unstored.reason,
                    "what came in waits until it can be stored"
                );
            }
            // Nothing is lost yet, but a person should see why nothing arrives.
            unstored.note(self.app, 0);
            tokio::select! {
                () = sleep(wait) => wait = (wait * 2).min(RETRY_MAX),
                () = self.give_up.cancelled() => return Err(unstored),
            }
        }
    }
}
