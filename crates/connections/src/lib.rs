//! Limits on connections, below HTTP: how many there are, how long one may stay silent before its first byte, how long a
//! client may leave an answer unread, and how much of one is written before others are served. The HTTP library has no
//! timer for silence and none for what is not read. Which connection goes when there are too many is left to `table`, and
//! what it has to know of their requests to `requests`.

mod line_ends;
pub mod requests;
mod table;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum_server::accept::Accept;
use tidegauge_admission::config::TrustedProxies;
use tidegauge_metrics::connections::{ConnectionMetrics, Cut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::coop;
use tokio::time::{Sleep, sleep};

use self::line_ends::LineEnds;
use self::requests::Requests;
use self::table::{Place, Table};

/// So many written bytes count as one step of a task. The runtime lets others go on after 128 steps: half a megabyte of a
/// long answer, where a single step would be all that the system takes at once, which is several.
const STEP_BYTES: usize = 4 << 10;

/// What connections may cost.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    pub max: usize,
    pub header_timeout: Duration,
    pub write_timeout: Duration,
}

/// Guards every connection of a listener.
#[derive(Clone, Debug)]
pub struct ConnectionGuard {
    table: Arc<Table>,
    first_head_within: Duration,
    write_within: Duration,
}

impl ConnectionGuard {
    pub fn new(limits: &ConnectionLimits, proxies: TrustedProxies, metrics: ConnectionMetrics) -> Self {
        Self {
            table: Table::new(limits.max, proxies, metrics),
            first_head_within: limits.header_timeout,
            write_within: limits.write_timeout,
        }
    }

    /// Puts the guard over what accepts connections, with or without TLS.
    pub fn over<A>(&self, inner: A) -> Guarding<A> {
        Guarding { guard: self.clone(), inner }
    }
}

/// Accepts connections under the guard.
#[derive(Clone, Debug)]
pub struct Guarding<A> {
    guard: ConnectionGuard,
    inner: A,
}

impl<S, A> Accept<TcpStream, S> for Guarding<A>
where
    A: Accept<TcpStream, S>,
    A::Future: Send + 'static,
    A::Stream: Unpin,
{
    type Stream = Guarded<A::Stream>;
    type Service = Requests<A::Service>;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let place = stream.peer_addr().map(|address| self.guard.table.enter(address.ip()));
        let accepting = self.inner.accept(stream, service);
        let (first_head_within, write_within) = (self.guard.first_head_within, self.guard.write_within);
        Box::pin(async move {
            let place = place?;
            let (stream, service) = tokio::select! {
                accepted = accepting => accepted.inspect_err(|_| place.cut(Cut::Handshake))?,
                () = place.lost() => return Err(io::ErrorKind::ConnectionReset.into()),
            };
            let service = Requests::new(service, place.state());
            let guarded = Guarded {
                stream,
                first_head: Some(Box::pin(sleep(first_head_within))),
                has_begun: false,
                unread: None,
                line_ends: LineEnds::default(),
                has_ended: false,
                write_within,
                place,
            };
            Ok((guarded, service))
        })
    }
}

/// A connection that is closed when it stays silent or its answers stay unread.
#[derive(Debug)]
pub struct Guarded<T> {
    stream: T,
    /// Runs until the first request is answered: so long the connection is new.
    first_head: Option<Pin<Box<Sleep>>>,
    /// Whether the first byte has come.
    has_begun: bool,
    /// Runs while something waits to be written.
    unread: Option<Pin<Box<Sleep>>>,
    line_ends: LineEnds,
    /// Whether the client has sent all that it will.
    has_ended: bool,
    write_within: Duration,
    place: Place,
}

impl<T> Guarded<T> {
    /// Notes what was answered. And who writes much gives way: the next write waits until others had the thread.
    fn note_written(&self, context: &mut Context<'_>, written: &Poll<io::Result<usize>>) {
        let Poll::Ready(Ok(bytes)) = written else { return };
        self.place.wrote(*bytes);
        for _ in 0..bytes / STEP_BYTES {
            match coop::poll_proceed(context) {
                Poll::Ready(step) => step.made_progress(),
                Poll::Pending => break,
            }
        }
    }

    /// Watches over a write: what makes no progress in time fails.
    fn watch<V>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<V>>) -> Poll<io::Result<V>> {
        if self.place.is_lost() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if written.is_ready() {
            if self.unread.take().is_some() {
                self.place.waits_to_write(false);
            }
            return written;
        }
        if self.unread.is_none() {
            self.place.waits_to_write(true);
        }
        let within = self.write_within;
        let timer = self.unread.get_or_insert_with(|| Box::pin(sleep(within)));
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => {
                self.place.cut(Cut::Unread);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Guarded<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.place.watch(context.waker());
        if self.place.is_lost() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.has_begun = true;
            if !self.place.is_new() {
                self.first_head = None;
            }
            // The library looks for the end right behind a request, and where it finds it, never begins with that. So it
            // is told one step later, and `hasty` can go on with what was begun.
            let is_end = matches!(read, Poll::Ready(Ok(()))) && room > 0 && buffer.filled().len() == before;
            if is_end && !self.has_ended {
                self.has_ended = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.line_ends.check(&mut buffer.filled_mut()[before..]);
            return read;
        }
        match self.first_head.as_mut().map(|timer| timer.as_mut().poll(context)) {
            Some(Poll::Ready(())) if !self.has_begun => {
                self.place.cut(Cut::Silent);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Some(Poll::Ready(())) => {
                self.place.is_overdue();
                self.first_head = None;
                Poll::Pending
            }
            _ => Poll::Pending,
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Guarded<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note_written(context, &written);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note_written(context, &written);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::Ipv4Addr;

    use super::*;
    use tidegauge_admission::config::TrustedProxies;
    use tidegauge_metrics::connections::ConnectionMetrics;

    fn guarded() -> Guarded<tokio::io::Sink> {
        let table = Table::new(8, TrustedProxies::default(), ConnectionMetrics::default());
        Guarded {
            stream: tokio::io::sink(),
            first_head: None,
            has_begun: false,
            unread: None,
            line_ends: LineEnds::default(),
            has_ended: false,
            write_within: Duration::from_secs(60),
            place: table.enter(Ipv4Addr::LOCALHOST.into()),
        }
    }

    /// How much is written in pieces of a size until others are served, where everything can be written at once.
    async fn written_at_once(piece: usize) -> usize {
        let (mut guarded, piece) = (guarded(), vec![0_u8; piece]);
        let mut written = 0;
        poll_fn(|context| {
            while written < 1 << 30 {
                match Pin::new(&mut guarded).poll_write(context, &piece) {
                    Poll::Ready(bytes) => written += bytes.unwrap(),
                    Poll::Pending => break,
                }
            }
            Poll::Ready(written)
        })
        .await
    }

    #[tokio::test]
    async fn a_long_answer_lets_others_go_on() {
        for piece in [64 << 10, 256 << 10] {
            // Each task has steps of its own.
            let written = tokio::task::JoinSet::from_iter([written_at_once(piece)]).join_all().await[0];
            assert!((400_000..1_000_000).contains(&written), "{written} in pieces of {piece}");
        }
        let small = tokio::task::JoinSet::from_iter([written_at_once(100)]).join_all().await[0];
        assert_eq!(small, 12_800, "small answers are steps as they were");
    }
}
