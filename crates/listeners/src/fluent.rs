//! Fluent forward. A batch with a chunk id is acknowledged when it is stored, and a repetition of it is stored once; one
//! that cannot be stored is not acknowledged: the connection ends, and the sender sends it again. Nobody sends a batch
//! without an id again, so it is kept until it can be stored, and its connection is not read meanwhile.

use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_app::App;
use tidegauge_app::service::endpoints;
use tidegauge_app::service::ingest::listened::{self, Came};
use tidegauge_app::service::ingest::sender::Key;
use tidegauge_auth::sha512_hex;
use tidegauge_ingest::Events;
use tidegauge_metrics::listeners::Dropped;
use tidegauge_model::{EndpointKind, ErrorKind, rng};
use tidegauge_protocols::Problem;
use tidegauge_protocols::forward::{Batch, Connection, ForwardLimits, Handshake, Step, acknowledgement};
use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::patient::Patient;
use crate::port::Port;
use crate::room::{Room, Share};
use crate::settings::FluentSettings;
use crate::tcp::{self, READ_BYTES, Stream, Talk, next_bytes};
use crate::unstored::Unstored;

/// What the listener calls itself to who shares a key with it.
const HOSTNAME: &str = "tidegauge";

/// How long a sender may take to read an acknowledgement.
const WRITE_MAX: Duration = Duration::from_secs(10);

/// How often storing what will be sent again is tried before the connection ends, and how long it waits in between, at
/// first.
const ATTEMPTS: u32 = 6;
const RETRY_FIRST: Duration = Duration::from_millis(100);

/// Opens the port for Fluent forward.
pub(crate) async fn start(
    context: &Context,
    settings: &FluentSettings,
) -> anyhow::Result<(&'static str, SocketAddr)> {
    let listener = tcp::bind("fluent_listen", settings.address).await?;
    let address = listener.local_addr()?;
    let port = context.port("fluent", &settings.senders);
    let talk = Fluent {
        context: context.clone(),
        port: port.clone(),
        room: Room::default(),
        settings: settings.clone(),
    };
    context.tasks.spawn(tcp::accept(listener, port, None, context.clone(), Arc::new(talk)));
    Ok(("Fluent forward", address))
}

/// Reads connections.
struct Fluent {
    context: Context,
    port: Port,
    room: Room,
    settings: FluentSettings,
}

/// Why a connection ends before its sender ends it.
enum End {
    /// What came cannot be read.
    Broken,
    /// Whoever sends does not know the key, or does not read.
    Refused,
    /// There is no memory for what comes.
    Full,
    /// What came could not be stored, which is counted already.
    Unstored,
}

impl Talk for Fluent {
    async fn talk(&self, stream: Stream, source: IpAddr, stop: CancellationToken) {
        let Err(end) = self.listen(stream, &stop).await else { return };
        let why = match end {
            End::Broken => Dropped::Broken,
            End::Refused => Dropped::Handshake,
            End::Full => Dropped::Full,
            End::Unstored => Dropped::Unstored,
        };
        tracing::debug!(%source, reason = ?why, "a connection of Fluent forward was ended");
        if why != Dropped::Unstored {
            self.port.dropped(why, 1);
        }
    }
}

impl Fluent {
    async fn listen(&self, mut stream: Stream, stop: &CancellationToken) -> Result<(), End> {
        let nonce = rng::bytes::<16>(&*self.context.app.rng);
        let handshake = self.settings.shared_key.as_deref().map(|key| Handshake {
            hostname: HOSTNAME,
            shared_key: key.as_bytes(),
            nonce: &nonce,
        });
        if let Some(handshake) = &handshake {
            write(&mut stream, &handshake.hello()).await?;
        }
        let mut connection = Connection::new(ForwardLimits::default(), handshake.is_some());
        let mut share = self.room.share();
        let mut buffer = vec![0; READ_BYTES];
        while let Some(length) = next_bytes(&mut stream, &mut buffer, stop).await {
            connection.push(&buffer[..length]);
            let mut batches = Vec::new();
            let parsed = self.parse(&mut connection, handshake.as_ref(), &mut stream, &mut batches).await;
            // What came whole is stored, whatever stands behind it.
            let taken = self.take(batches, &mut stream, &share).await;
            parsed?;
            taken?;
            let has_room = tokio::select! {
                has_room = share.hold(connection.pending()) => has_room,
                () = stop.cancelled() => return Ok(()),
            };
            if !has_room {
                return Err(End::Full);
            }
        }
        Ok(())
    }

    /// Takes the batches that have come whole, up to one that cannot be read.
    async fn parse(
        &self,
        connection: &mut Connection,
        handshake: Option<&Handshake<'_>>,
        stream: &mut Stream,
        batches: &mut Vec<Batch>,
    ) -> Result<(), End> {
        loop {
            let step = match connection.next_step() {
                Ok(Some(step)) => step,
                Ok(None) => return Ok(()),
                Err(problem) => return Err(self.broken(problem).await),
            };
            match (step, handshake) {
                (Step::Batch(batch), _) => batches.push(batch),
                (Step::Ping(ping), Some(handshake)) => {
                    let (pong, checked) = handshake.check(&ping, &sha512_hex);
                    write(stream, &pong).await?;
                    checked.map_err(|_| End::Refused)?;
                }
                (Step::Ping(_) | Step::Heartbeat, _) => {}
            }
        }
    }

    /// Stores batches in their order: those without a chunk together, each other one by itself, because it has a key and
    /// is acknowledged. Behind one that is not acknowledged no other is, so that their sender sends all of them again;
    /// those that nobody sends again are stored there too.
    async fn take(&self, batches: Vec<Batch>, stream: &mut Stream, share: &Share) -> Result<(), End> {
        let (mut taken, mut dropped, mut together) = (Ok(()), 0, Vec::new());
        for batch in batches {
            let Some(chunk) = batch.chunk().map(str::to_owned) else {
                together.push(batch);
                continue;
            };
            dropped += self.keep(std::mem::take(&mut together), share).await;
            taken = match taken {
                Ok(()) => self.acknowledge(batch, &chunk, stream).await,
                Err(end) => {
                    self.port.dropped(Dropped::Unstored, 1);
                    Err(end)
                }
            };
        }
        dropped += self.keep(together, share).await;
        if dropped > 0 { Err(End::Unstored) } else { taken }
    }

    /// Stores batches that nobody sends again, however long that takes. Returns how many never will be.
    async fn keep(&self, batches: Vec<Batch>, share: &Share) -> u64 {
        if batches.is_empty() {
            return 0;
        }
        let app: &App = &self.context.app;
        let patient = Patient { app, port: &self.port, give_up: &self.context.give_up };
        let _stalled = share.stall();
        let batches = Arc::new(batches);
        patient.store(batches.len(), |part| self.try_once(&batches, part, None)).await
    }

    /// Stores a batch and says so. What passes by itself is waited for a little, and nothing is read meanwhile.
    async fn acknowledge(&self, batch: Batch, chunk: &str, stream: &mut Stream) -> Result<(), End> {
        let (batches, key, mut wait) = (Arc::new(vec![batch]), Key::own("forward", &[chunk]), RETRY_FIRST);
        for attempt in 1.. {
            let unstored = match self.try_once(&batches, 0..1, Some(key.clone())).await {
                Ok(()) => {
                    self.port.metrics.stored(self.port.name, 1);
                    break;
                }
                Err(unstored) => unstored,
            };
            if !passes(unstored.kind) || attempt == ATTEMPTS || self.context.give_up.is_cancelled() {
                let (listener, reason) = (self.port.name, unstored.reason.as_str());
                tracing::warn!(listener, reason, "a batch of Fluent forward was not stored");
                self.port.dropped(Dropped::Unstored, 1);
                unstored.note(&self.context.app, 1);
                return Err(End::Unstored);
            }
            sleep(wait).await;
            wait *= 2;
        }
        write(stream, &acknowledgement(chunk)).await
    }

    async fn try_once(
        &self,
        batches: &Arc<Vec<Batch>>,
        part: Range<usize>,
        key: Option<Key>,
    ) -> Result<(), Unstored> {
        let (app, batches) = (Arc::clone(&self.context.app), Arc::clone(batches));
        let endpoint = self.settings.senders.endpoint.clone();
        // Boxed once here, or every layer around it would copy it.
        let work = Box::pin(async move {
            let caller = endpoints::by_listener(&app, &endpoint, EndpointKind::Fluent)
                .await
                .map_err(|error| Unstored::of_unknown(&endpoint, error))?;
            let batches = &batches[part];
            let came = Came {
                bytes: batches.iter().map(|batch| batch.bytes() as u64).sum(),
                // One after the other is unpacked.
                beside: batches.iter().map(Batch::unpacked_bytes).max().unwrap_or_default(),
            };
            let read = |events: &mut Events<'_>| batches.iter().try_for_each(|batch| batch.read(events));
            let stored = listened::store(&app, &caller, came, key, read).await;
            stored.map(drop).map_err(|refused| Unstored::of(&endpoint, &caller, refused))
        });
        self.context.app.background.run(work).await
    }

    async fn broken(&self, problem: Problem) -> End {
        let (app, endpoint) = (&self.context.app, &self.settings.senders.endpoint);
        let unstored = match endpoints::by_listener(app, endpoint, EndpointKind::Fluent).await {
            Ok(caller) => Unstored::of(endpoint, &caller, problem.into()),
            Err(error) => Unstored::of_unknown(endpoint, error),
        };
        unstored.note(app, 1);
        End::Broken
    }
}

/// Whether the same may be stored a moment later, while its sender waits.
fn passes(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Busy | ErrorKind::Unavailable | ErrorKind::TimedOut | ErrorKind::StorageFull)
}

async fn write(stream: &mut Stream, bytes: &[u8]) -> Result<(), End> {
    let written = timeout(WRITE_MAX, async {
        stream.write_all(bytes).await?;
        stream.flush().await
    });
    match written.await {
        Ok(Ok(())) => Ok(()),
        _ => Err(End::Refused),
    }
}
