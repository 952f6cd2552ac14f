//! Connections: accepted from networks that are named, as many as there are places for, encrypted where the port is, and
//! handed to who speaks the protocol. What they do not read waits at its sender.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tidegauge_metrics::listeners::Dropped;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::port::Port;

/// So much is read at once.
pub(crate) const READ_BYTES: usize = 16 << 10;

/// How long a connection may be silent. Senders that have nothing to say connect again when they have.
const SILENCE_MAX: Duration = Duration::from_secs(60 * 60);

/// How long it may take to agree on a key.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// How long it may take to say that a connection ends.
const CLOSE_MAX: Duration = Duration::from_secs(1);

/// How long to wait when the system has no connection to give, such as for too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection, encrypted or not.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

pub(crate) type Stream = Box<dyn Duplex>;

/// Who speaks the protocol of a port.
pub(crate) trait Talk: Send + Sync + 'static {
    /// Reads a connection to its end, or until it is told to stop.
    fn talk(
        &self,
        stream: Stream,
        source: IpAddr,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send;
}

pub(crate) async fn bind(setting: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("setting {setting}: cannot listen on {address}"))
}

/// Accepts connections until it is told to stop.
pub(crate) async fn accept(
    listener: TcpListener,
    port: Port,
    tls: Option<TlsAcceptor>,
    context: Context,
    talk: Arc<impl Talk>,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = context.stop.cancelled() => return,
        };
        let Ok((stream, sender)) = accepted else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let source = sender.ip().to_canonical();
        // A certificate proves who sends, where one is asked for and no network is named.
        let by_certificate = tls.is_some() && port.networks.is_empty();
        if !by_certificate && !port.admits(source) {
            continue;
        }
        let Ok(place) = Arc::clone(&context.places).try_acquire_owned() else {
            port.dropped(Dropped::Crowded, 1);
            continue;
        };
        let (port, tls, talk, stop) = (port.clone(), tls.clone(), Arc::clone(&talk), context.stop.clone());
        context.tasks.spawn(async move {
            let _place = place;
            match encrypted(stream, tls).await {
                Ok(stream) => {
                    port.metrics.connection_begins(port.name);
                    talk.talk(stream, source, stop).await;
                    port.metrics.connection_ends(port.name);
                }
                Err(_) => port.dropped(Dropped::Handshake, 1),
            }
        });
    }
}

async fn encrypted(stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<Stream> {
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    Ok(Box::new(timeout(HANDSHAKE_MAX, tls.accept(stream)).await??))
}

/// Ends a connection so that its sender knows that all of it was read.
pub(crate) async fn close(mut stream: Stream) {
    let _ = timeout(CLOSE_MAX, stream.shutdown()).await;
}

/// The next bytes of a connection; none when it has ended, was silent for too long, or is not to be read any more.
pub(crate) async fn next_bytes(
    stream: &mut Stream,
    buffer: &mut [u8],
    stop: &CancellationToken,
) -> Option<usize> {
    tokio::select! {
        read = timeout(SILENCE_MAX, stream.read(buffer)) => match read {
            Ok(Ok(length)) if length > 0 => Some(length),
            _ => None,
        },
        () = stop.cancelled() => None,
    }
}
