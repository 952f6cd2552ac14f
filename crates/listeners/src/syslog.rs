//! Syslog over datagrams and connections, encrypted or not. Nobody is told what became of a message, so what was read is
//! stored in the order in which it came, and what cannot be stored yet is not read.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tidegauge_ingest::Events;
use tidegauge_model::EndpointKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::syslog::{Frames, Messages, Origin};
use tokio_util::sync::CancellationToken;

use crate::queue::{Message, Queue};
use crate::settings::{SyslogSettings, Zone};
use crate::tcp::{self, READ_BYTES, Stream, Talk, next_bytes};
use crate::writer::{Speech, Writer};
use crate::{Context, tls, udp};

/// Opens the ports for syslog, which share one queue.
pub(crate) async fn start(
    context: &Context,
    settings: &SyslogSettings,
) -> anyhow::Result<Vec<(&'static str, SocketAddr)>> {
    let mut addresses = Vec::new();
    let (queue, waiting) = Queue::new();
    let port = |name| context.port(name, &settings.senders);
    let talk = Arc::new(Syslog { queue: queue.clone() });
    let writer = Writer {
        app: Arc::clone(&context.app),
        endpoint: settings.senders.endpoint.clone(),
        kind: EndpointKind::Syslog,
        port: port("syslog"),
        speech: Arc::new(Reading { zone: settings.zone.clone() }),
        give_up: context.give_up.clone(),
    };
    if let Some(address) = settings.udp {
        let socket = udp::bind("syslog_udp", address).await?;
        addresses.push(("syslog over UDP", socket.local_addr()?));
        let stop = context.stop.clone();
        let take = |datagram: &[u8], _: IpAddr| Some(datagram.to_vec());
        context.tasks.spawn(udp::receive(socket, port("syslog_udp"), queue.clone(), stop, take));
    }
    if let Some(address) = settings.tcp {
        let listener = tcp::bind("syslog_tcp", address).await?;
        addresses.push(("syslog over TCP", listener.local_addr()?));
        let accepting = tcp::accept(listener, port("syslog_tcp"), None, context.clone(), Arc::clone(&talk));
        context.tasks.spawn(accepting);
    }
    if let Some(encrypted) = &settings.tls {
        let acceptor = tls::acceptor(encrypted)?;
        let listener = tcp::bind("syslog_tls", encrypted.address).await?;
        addresses.push(("syslog over TLS", listener.local_addr()?));
        let accepting =
            tcp::accept(listener, port("syslog_tls"), Some(acceptor), context.clone(), Arc::clone(&talk));
        context.tasks.spawn(accepting);
    }
    context.tasks.spawn(writer.run(waiting));
    Ok(addresses)
}

/// Reads connections.
struct Syslog {
    queue: Queue,
}

impl Talk for Syslog {
    async fn talk(&self, mut stream: Stream, source: IpAddr, stop: CancellationToken) {
        let mut frames = Frames::default();
        let mut buffer = vec![0; READ_BYTES];
        let mut found = Vec::new();
        while let Some(length) = next_bytes(&mut stream, &mut buffer, &stop).await {
            frames.feed(&buffer[..length], |message, is_cut| found.push((message.to_vec(), is_cut)));
            for (message, is_cut) in found.drain(..) {
                self.queue.push(message, source, is_cut).await;
            }
        }
        // Who stops reads no further, whatever else has come.
        frames.finish(!stop.is_cancelled(), |message, is_cut| found.push((message.to_vec(), is_cut)));
        for (message, is_cut) in found {
            self.queue.push(message, source, is_cut).await;
        }
        tcp::close(stream).await;
    }
}

/// Makes events of messages.
#[derive(Debug)]
struct Reading {
    zone: Zone,
}

impl Speech for Reading {
    fn read(&self, messages: &[Message], events: &mut Events<'_>) -> Result<(), Problem> {
        let mut writing = Messages::default();
        for message in messages {
            let source = message.source.to_string();
            let origin = Origin {
                source_ip: Some(&source),
                zone: Some(&self.zone),
                is_cut: message.is_cut,
                ..Origin::default()
            };
            writing.write(&message.bytes, origin, events)?;
        }
        Ok(())
    }
}
