//! Stores messages that came without being asked for an answer: many together, after a moment or when there are enough of
//! them. While they cannot be stored they are kept and tried again, so that the queue behind them fills and its readers
//! stop; what can never be stored is dropped and counted.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_app::App;
use tidegauge_app::metrics::listeners::Dropped;
use tidegauge_app::service::endpoints;
use tidegauge_app::service::ingest::listened::{self, Came};
use tidegauge_ingest::Events;
use tidegauge_model::{EndpointId, EndpointKind, ErrorKind};
use tidegauge_protocols::Problem;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::port::Port;
use crate::queue::{Message, Waiting};
use crate::unstored::Unstored;

/// So much is stored at once.
const BATCH_BYTES: usize = 1 << 20;

/// How long the first message of a batch waits for others.
const BATCH_WAIT: Duration = Duration::from_millis(500);

/// How long it takes to try again, at first and at most.
const RETRY_FIRST: Duration = Duration::from_millis(100);
const RETRY_MAX: Duration = Duration::from_secs(5);

/// How messages of a protocol become events.
pub(crate) trait Speech: std::fmt::Debug + Send + Sync + 'static {
    fn read(&self, messages: &[Message], events: &mut Events<'_>) -> Result<(), Problem>;
}

/// Stores the messages of one endpoint.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) app: Arc<App>,
    pub(crate) endpoint: EndpointId,
    pub(crate) kind: EndpointKind,
    pub(crate) port: Port,
    pub(crate) speech: Arc<dyn Speech>,
    /// From then on nothing is tried again.
    pub(crate) give_up: CancellationToken,
}

/// What became of an attempt.
enum Attempt {
    Stored,
    /// It may succeed later, if nothing but time has to pass or somebody mends what is in the way.
    Later(Unstored),
    /// It is the messages that are in the way.
    Never(Unstored),
}

impl Writer {
    /// Stores what waits, until nothing more can come.
    pub(crate) async fn run(self, mut waiting: Waiting) {
        while let Some(first) = waiting.recv().await {
            let batch = collect(first, &mut waiting).await;
            self.store(batch).await;
        }
    }

    /// Stores a batch. If it is too much for one, or a message in it cannot be stored, its halves are tried.
    async fn store(&self, batch: Vec<Message>) {
        let batch = Arc::new(batch);
        let whole = 0..batch.len();
        let mut parts = vec![whole];
        while let Some(part) = parts.pop() {
            let Err(unstored) = self.keep_trying(&batch, part.clone()).await else { continue };
            if part.len() > 1 && !self.give_up.is_cancelled() {
                let middle = part.start + part.len() / 2;
                parts.extend([middle..part.end, part.start..middle]);
                continue;
            }
            let (count, reason) = (part.len() as u64, unstored.reason.as_str());
            tracing::warn!(listener = self.port.name, count, reason, "messages could not be stored");
            self.port.dropped(Dropped::Unstored, count);
            unstored.note(&self.app, count);
        }
    }

    /// Tries until it is stored; the reason if it never will be.
    async fn keep_trying(&self, batch: &Arc<Vec<Message>>, part: Range<usize>) -> Result<(), Unstored> {
        let mut wait = RETRY_FIRST;
        loop {
            let unstored = match self.try_once(batch, part.clone()).await {
                Attempt::Stored => {
                    self.port.metrics.stored(self.port.name, part.len() as u64);
                    return Ok(());
                }
                Attempt::Never(unstored) => return Err(unstored),
                Attempt::Later(unstored) => unstored,
            };
            if wait == RETRY_FIRST {
                tracing::warn!(
                    listener = self.port.name,
                    reason = unstored.reason,
                    "what came in waits until it can be stored"
                );
            }
            // Nothing is lost yet, but a person should see why nothing arrives.
            unstored.note(&self.app, 0);
            tokio::select! {
                () = sleep(wait) => wait = (wait * 2).min(RETRY_MAX),
                () = self.give_up.cancelled() => return Err(unstored),
            }
        }
    }

    async fn try_once(&self, batch: &Arc<Vec<Message>>, part: Range<usize>) -> Attempt {
        let (app, endpoint, kind) = (Arc::clone(&self.app), self.endpoint.clone(), self.kind);
        let (speech, batch) = (Arc::clone(&self.speech), Arc::clone(batch));
        // Boxed once here, or every layer around it would copy it.
        let work = Box::pin(async move {
            let caller = endpoints::by_listener(&app, &endpoint, kind)
                .await
                .map_err(|error| Unstored::of_unknown(&endpoint, error))?;
            let messages = &batch[part];
            let bytes = messages.iter().map(|message| message.bytes.len() as u64).sum();
            let came = Came { bytes, beside: 0 };
            let read = |events: &mut Events<'_>| speech.read(messages, events);
            let stored = listened::store(&app, &caller, came, None, read).await;
            stored.map(drop).map_err(|refused| Unstored::of(&endpoint, &caller, refused))
        });
        match self.app.background.run(work).await {
            Ok(()) => Attempt::Stored,
            Err(unstored) => attempt_of(unstored),
        }
    }
}

/// Whether what was refused is worth another attempt.
fn attempt_of(unstored: Unstored) -> Attempt {
    match unstored.kind {
        ErrorKind::Malformed | ErrorKind::Invalid | ErrorKind::TooLarge | ErrorKind::UnsupportedMedia => {
            Attempt::Never(unstored)
        }
        _ => Attempt::Later(unstored),
    }
}

/// The first message and those that come soon after it.
async fn collect(first: Message, waiting: &mut Waiting) -> Vec<Message> {
    let end = Instant::now() + BATCH_WAIT;
    let mut bytes = first.bytes.len();
    let mut batch = vec![first];
    while bytes < BATCH_BYTES {
        match timeout_at(end, waiting.recv()).await {
            Ok(Some(message)) => {
                bytes += message.bytes.len();
                batch.push(message);
            }
            Ok(None) | Err(_) => break,
        }
    }
    batch
}
