//! The body of a response that is written: its pieces as they come, each of which counts as the query's memory until it is
//! sent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tidegauge_engine::Held;
use tidegauge_formats::Written;

/// The body that sends what is written.
pub(super) fn of(written: Written) -> Body {
    let (pieces, held) = written.into_pieces();
    let left = pieces.iter().map(Bytes::len).sum::<usize>() as u64;
    Body::new(Sending { pieces: pieces.into_iter(), left, held })
}

/// An answer on its way: the memory of each piece is given back when the connection has taken it.
struct Sending {
    pieces: IntoIter<Bytes>,
    left: u64,
    held: Held,
}

impl http_body::Body for Sending {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(piece) = self.pieces.next() else { return Poll::Ready(None) };
        self.left -= piece.len() as u64;
        self.held.sent(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use http_body::Body as _;
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn pieces_are_sent_in_order_and_with_their_length() {
        for pieces in [0, 1, 4] {
            let written: Vec<Bytes> = (0..pieces).map(|piece| vec![piece; 1_000].into()).collect();
            let expected = written.concat();
            let body = of(Written::of_pieces(written));
            assert_eq!(body.size_hint().exact(), Some(expected.len() as u64));
            assert_eq!(body.collect().await.unwrap().to_bytes(), expected);
        }
    }
}
