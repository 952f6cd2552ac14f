//! Server-sent events: each is written when it comes, and an answer of a query within one as it is, in its pieces and
//! without another copy. A connection without events is kept open by comments. What is told is left to the resources.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};
use http_body::Frame;
use serde::Serialize;
use tidegauge_engine::Held;
use tidegauge_formats::Written;
use tokio::time::{Instant, Sleep, sleep};
use utoipa::ToSchema;

/// What asks for events.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// What proxies read that would otherwise hand an answer on in one piece.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How soon a connection without events is kept open by a comment.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(10);
const COMMENT: &[u8] = b":\n\n";

/// What is shorter is sent in one piece.
const PIECE_BYTES_MIN: usize = 64 << 10;

/// One event of a stream, as those who read it see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StreamEvent {
    /// What kind of event it is; `message` where it has no name.
    pub event: String,
    /// JSON text.
    pub data: String,
}

/// One event that is to be sent, with the memory of the answer in it.
#[derive(Debug)]
pub struct Event {
    pieces: VecDeque<Bytes>,
    held: Held,
}

impl Event {
    /// An event with a name, or without one where it is empty, and JSON text as its data.
    pub fn new(name: &str, data: &str) -> Self {
        Self::around(name, data, None, "")
    }

    /// An event with an answer as its data.
    pub fn of(name: &str, answer: Written) -> Self {
        Self::around(name, "", Some(answer), "")
    }

    /// An event whose data is an answer between two texts.
    pub fn around(name: &str, before: &str, answer: Option<Written>, after: &str) -> Self {
        let mut head = String::with_capacity(name.len() + before.len() + 16);
        if !name.is_empty() {
            head.extend(["event: ", name, "\n"]);
        }
        head.extend(["data: ", &before.replace(LINE_ENDS, " ")]);
        let tail = format!("{}\n\n", after.replace(LINE_ENDS, " "));
        let (pieces, held) = answer.map(Written::into_pieces).unwrap_or_default();
        let pieces = pieces.into_iter().map(on_one_line);
        let pieces = [head.into()].into_iter().chain(pieces).chain([tail.into()]).collect();
        Self { pieces: short_ones_together(pieces), held }
    }
}

/// Between the values of JSON text they mean what a space does, and within one there are none.
const LINE_ENDS: [char; 2] = ['\r', '\n'];

fn on_one_line(piece: Bytes) -> Bytes {
    let ends_line = |byte: &u8| LINE_ENDS.contains(&char::from(*byte));
    if memchr::memchr2(b'\r', b'\n', &piece).is_none() {
        return piece;
    }
    piece.iter().map(|byte| if ends_line(byte) { b' ' } else { *byte }).collect()
}

fn short_ones_together(pieces: VecDeque<Bytes>) -> VecDeque<Bytes> {
    if pieces.iter().map(Bytes::len).sum::<usize>() > PIECE_BYTES_MIN {
        return pieces;
    }
    VecDeque::from([pieces.into_iter().flatten().collect()])
}

/// A response of events. Proxies that collect answers are told not to.
pub fn respond<S>(events: S) -> Response
where
    S: Stream<Item = Event> + Send + 'static,
{
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (UNBUFFERED, HeaderValue::from_static("no")),
    ];
    (headers, Body::new(Sending::new(events.boxed(), KEEP_ALIVE_EVERY))).into_response()
}

type Events = Pin<Box<dyn Stream<Item = Event> + Send>>;

/// Events on their way: the memory of each piece is given back when the connection has taken it.
struct Sending {
    /// None after their end: a stream is not asked again.
    events: Option<Events>,
    pieces: VecDeque<Bytes>,
    held: Held,
    keep_alive_every: Duration,
    quiet: Pin<Box<Sleep>>,
}

impl Sending {
    fn new(events: Events, keep_alive_every: Duration) -> Self {
        let quiet = Box::pin(sleep(keep_alive_every));
        Self { events: Some(events), pieces: VecDeque::new(), held: Held::default(), keep_alive_every, quiet }
    }

    fn piece(&mut self, piece: Bytes) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.held.sent(piece.len());
        let next = Instant::now() + self.keep_alive_every;
        self.quiet.as_mut().reset(next);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl http_body::Body for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(piece) = self.pieces.pop_front() {
            return self.piece(piece);
        }
        self.held = Held::default();
        let Some(events) = &mut self.events else { return Poll::Ready(None) };
        match events.poll_next_unpin(context) {
            Poll::Ready(Some(Event { mut pieces, held })) => {
                let first = pieces.pop_front().unwrap_or_default();
                (self.pieces, self.held) = (pieces, held);
                self.piece(first)
            }
            Poll::Ready(None) => {
                self.events = None;
                Poll::Ready(None)
            }
            Poll::Pending => {
                std::task::ready!(self.quiet.as_mut().poll(context));
                self.piece(Bytes::from_static(COMMENT))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::BodyExt as _;

    use super::*;

    async fn sent(events: Vec<Event>) -> Vec<Bytes> {
        let mut body = respond(stream::iter(events)).into_body();
        let mut frames = Vec::new();
        while let Some(frame) = body.frame().await {
            frames.extend(frame.unwrap().into_data());
        }
        frames
    }

    fn written(text: &[u8]) -> Written {
        Written::of_pieces(text.chunks(PIECE_BYTES_MIN).map(Bytes::copy_from_slice).collect())
    }

    #[tokio::test]
    async fn events_have_a_name_and_data_on_one_line() {
        let named = Event::new("progress", "{\"a\":\n1}");
        let between = Event::around("", "{\"answer\":", Some(written(b"[1,\r\n2]")), "}");
        let frames = sent(vec![named, between, Event::of("result", written(b"{}"))]).await;
        let expected: [&[u8]; 3] = [
            b"event: progress\ndata: {\"a\": 1}\n\n",
            b"data: {\"answer\":[1,  2]}\n\n",
            b"event: result\ndata: {}\n\n",
        ];
        assert_eq!(frames, expected);
    }

    #[tokio::test]
    async fn long_answers_are_sent_in_their_pieces() {
        for length in [PIECE_BYTES_MIN - 16, PIECE_BYTES_MIN, 3 * PIECE_BYTES_MIN + 1] {
            let text = vec![b'7'; length];
            let frames = sent(vec![Event::of("", written(&text))]).await;
            let is_short = length + b"data: \n\n".len() <= PIECE_BYTES_MIN;
            assert_eq!(frames.len() == 1, is_short, "{length}");
            let expected = [b"data: ".as_slice(), &text, b"\n\n"].concat();
            assert_eq!(frames.concat(), expected, "{length}");
        }
    }

    #[tokio::test]
    async fn a_connection_without_events_has_comments() {
        let events = stream::iter([Event::new("", "1")]).chain(stream::pending());
        let mut sending = Sending::new(events.boxed(), Duration::from_millis(1));
        let mut next = async || sending.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(next().await, "data: 1\n\n");
        assert_eq!(next().await, COMMENT);
        assert_eq!(next().await, COMMENT);
    }
}
