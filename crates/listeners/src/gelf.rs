//! GELF over datagrams, whole or in chunks, and over connections. Nobody is told what became of a message.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tidegauge_ingest::Events;
use tidegauge_metrics::listeners::Dropped;
use tidegauge_model::{Clock, EndpointKind, ErrorKind};
use tidegauge_protocols::Problem;
use tidegauge_protocols::gelf::{self, Chunks, Datagram, Frames};
use tokio_util::sync::CancellationToken;

use crate::port::Port;
use crate::queue::{Message, Queue};
use crate::room::Room;
use crate::settings::GelfSettings;
use crate::tcp::{self, READ_BYTES, Stream, Talk, next_bytes};
use crate::writer::{Speech, Writer};
use crate::{Context, udp};

/// The largest message of a connection, whatever an event may have.
const FRAME_BYTES_MAX: usize = 2 << 20;

/// Opens the ports for GELF, which share one queue.
pub(crate) async fn start(
    context: &Context,
    settings: &GelfSettings,
) -> anyhow::Result<Vec<(&'static str, SocketAddr)>> {
    let mut addresses = Vec::new();
    let (queue, waiting) = Queue::new();
    let port = |name| context.port(name, &settings.senders);
    let event_bytes_max = context.app.ingest.limits.max_event_bytes;
    let writer = Writer {
        app: Arc::clone(&context.app),
        endpoint: settings.senders.endpoint.clone(),
        kind: EndpointKind::Gelf,
        port: port("gelf"),
        speech: Arc::new(Reading { bytes_max: event_bytes_max as u64 }),
        give_up: context.give_up.clone(),
    };
    if let Some(address) = settings.udp {
        let socket = udp::bind("gelf_udp", address).await?;
        addresses.push(("GELF over UDP", socket.local_addr()?));
        let (port, stop) = (port("gelf_udp"), context.stop.clone());
        let mut joining = Joining {
            chunks: Chunks::default(),
            given_up: 0,
            clock: Arc::clone(&context.app.clock),
            port: port.clone(),
        };
        let take = move |datagram: &[u8], source: IpAddr| joining.take(datagram, source);
        context.tasks.spawn(udp::receive(socket, port, queue.clone(), stop, take));
    }
    if let Some(address) = settings.tcp {
        let listener = tcp::bind("gelf_tcp", address).await?;
        addresses.push(("GELF over TCP", listener.local_addr()?));
        let port = port("gelf_tcp");
        let frame_bytes_max = FRAME_BYTES_MAX.min(event_bytes_max);
        let talk = Gelf { queue: queue.clone(), room: Room::default(), port: port.clone(), frame_bytes_max };
        context.tasks.spawn(tcp::accept(listener, port, None, context.clone(), Arc::new(talk)));
    }
    context.tasks.spawn(writer.run(waiting));
    Ok(addresses)
}

/// Puts chunks together.
struct Joining {
    chunks: Chunks,
    /// How many were given up so far.
    given_up: u64,
    clock: Arc<dyn Clock>,
    port: Port,
}

impl Joining {
    fn take(&mut self, datagram: &[u8], source: IpAddr) -> Option<Vec<u8>> {
        let taken = self.chunks.push(datagram, source, self.clock.now().as_nanos());
        let message = match taken {
            Datagram::Whole(message) => Some(message.to_vec()),
            Datagram::Joined(message) => Some(message),
            Datagram::Waiting => None,
            Datagram::Refused => {
                self.port.dropped(Dropped::Broken, 1);
                None
            }
        };
        let given_up = self.chunks.given_up();
        if given_up > self.given_up {
            self.port.dropped(Dropped::Incomplete, given_up - self.given_up);
            self.given_up = given_up;
        }
        message
    }
}

/// Reads connections.
struct Gelf {
    queue: Queue,
    room: Room,
    port: Port,
    frame_bytes_max: usize,
}

impl Talk for Gelf {
    async fn talk(&self, mut stream: Stream, source: IpAddr, stop: CancellationToken) {
        let mut frames = Frames::new(self.frame_bytes_max);
        let mut share = self.room.share();
        let mut buffer = vec![0; READ_BYTES];
        let mut found = Vec::new();
        while let Some(length) = next_bytes(&mut stream, &mut buffer, &stop).await {
            let fed = frames.feed(&buffer[..length], |message| found.push(message.to_vec()));
            for message in found.drain(..) {
                self.queue.push(message, source, false).await;
            }
            if fed.is_err() {
                // Where the next message begins is not known.
                self.port.dropped(Dropped::Broken, 1);
                return;
            }
            if !share.hold(frames.pending()).await {
                self.port.dropped(Dropped::Full, 1);
                return;
            }
        }
        frames.finish(|message| found.push(message.to_vec()));
        for message in found {
            self.queue.push(message, source, false).await;
        }
        tcp::close(stream).await;
    }
}

/// Makes events of messages.
#[derive(Debug)]
struct Reading {
    bytes_max: u64,
}

impl Speech for Reading {
    fn read(&self, messages: &[Message], events: &mut Events<'_>) -> Result<(), Problem> {
        for message in messages.iter().filter(|message| !message.bytes.is_empty()) {
            let source = message.source.to_string();
            let before = events.failed();
            match gelf::read(&message.bytes, Some(&source), self.bytes_max, events) {
                Ok(()) => {}
                // One that is broken is an event that failed, and those beside it are stored.
                Err(problem) if is_its_own(problem.kind) => {
                    if events.failed() == before {
                        events.start();
                        events.fail(|| problem.message);
                        events.end()?;
                    }
                }
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }
}

/// Whether a problem is about one message and not about all of them.
fn is_its_own(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Malformed | ErrorKind::Invalid)
}
