//! Stores messages that came without being asked for an answer: many together, after a moment or when there are enough of
//! them. While they cannot be stored they are kept, so that the queue behind them fills and its readers stop.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_app::App;
use tidegauge_app::service::endpoints;
use tidegauge_app::service::ingest::listened::{self, Came};
use tidegauge_ingest::Events;
use tidegauge_model::{EndpointId, EndpointKind};
use tidegauge_protocols::Problem;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::patient::Patient;
use crate::port::Port;
use crate::queue::{Message, Waiting};
use crate::unstored::Unstored;

/// So much is stored at once.
const BATCH_BYTES: usize = 1 << 20;

/// How long the first message of a batch waits for others.
const BATCH_WAIT: Duration = Duration::from_millis(500);

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

impl Writer {
    /// Stores what waits, until nothing more can come.
    pub(crate) async fn run(self, mut waiting: Waiting) {
        while let Some(first) = waiting.recv().await {
            let batch = collect(first, &mut waiting).await;
            self.store(batch).await;
        }
    }

    /// Stores a batch, however long that takes.
    async fn store(&self, batch: Vec<Message>) {
        let batch = Arc::new(batch);
        let patient = Patient { app: &self.app, port: &self.port, give_up: &self.give_up };
        patient.store(batch.len(), |part| self.try_once(&batch, part)).await;
    }

    async fn try_once(&self, batch: &Arc<Vec<Message>>, part: Range<usize>) -> Result<(), Unstored> {
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
        self.app.background.run(work).await
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
