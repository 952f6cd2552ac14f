//! Datagrams: each is looked at by where it says it comes from, which can be forged, and handed on or dropped. Nothing
//! waits here, or the system would drop what comes meanwhile without anybody knowing.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::Context as _;
use tidegauge_metrics::listeners::Dropped;
use tokio::net::UdpSocket;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::port::Port;
use crate::queue::Queue;

/// No datagram is longer.
const DATAGRAM_BYTES_MAX: usize = 64 << 10;

/// How long to wait when the system cannot read.
const ERROR_PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn bind(setting: &str, address: std::net::SocketAddr) -> anyhow::Result<UdpSocket> {
    UdpSocket::bind(address).await.with_context(|| format!("setting {setting}: cannot listen on {address}"))
}

/// Hands on what comes until it is told to stop. `message` makes a message of a datagram, or says that there is none.
pub(crate) async fn receive(
    socket: UdpSocket,
    port: Port,
    queue: Queue,
    stop: CancellationToken,
    mut message: impl FnMut(&[u8], IpAddr) -> Option<Vec<u8>> + Send,
) {
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    loop {
        let received = tokio::select! {
            received = socket.recv_from(&mut buffer) => received,
            () = stop.cancelled() => return,
        };
        let Ok((length, sender)) = received else {
            // Nobody is told of it, and asking again at once would only keep a thread busy.
            sleep(ERROR_PAUSE).await;
            continue;
        };
        let source = sender.ip().to_canonical();
        if !port.admits(source) {
            continue;
        }
        if let Some(bytes) = message(&buffer[..length], source)
            && !queue.offer(bytes, source)
        {
            port.dropped(Dropped::Full, 1);
        }
    }
}
