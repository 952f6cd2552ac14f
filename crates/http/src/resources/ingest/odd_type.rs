//! Bodies of a media type that is not known here. Some shippers say anything of JSON, so what such a body is depends on how
//! it begins. Reading it, and telling what is wrong with it, is left to its reader.

use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};
use tidegauge_ingest::{DecodeError, DecompressLimits, Decompressor, Encoding};

/// So much of a body as it is sent is looked at, or a little more.
const BYTES_MAX: usize = 64 << 10;

/// Whether a body may be JSON, and the body as it came.
pub(super) async fn is_json(encoding: Encoding, body: Body) -> Result<(bool, Body), axum::Error> {
    let Ok(mut decompressor) = Decompressor::new(encoding, DecompressLimits::default()) else {
        return Ok((true, body));
    };
    let mut pieces = body.into_data_stream();
    let mut begun: Vec<Result<Bytes, axum::Error>> = Vec::new();
    let (mut is_json, mut length) = (None, 0);
    while is_json.is_none() && length < BYTES_MAX {
        let Some(piece) = pieces.next().await.transpose()? else { break };
        is_json = look(&mut decompressor, &piece);
        length += piece.len();
        begun.push(Ok(piece));
    }
    Ok((is_json.unwrap_or(false), Body::from_stream(stream::iter(begun).chain(pieces))))
}

/// What the next piece of a body tells; none if it is blank.
fn look(decompressor: &mut Decompressor, piece: &[u8]) -> Option<bool> {
    let looked = decompressor.decode(piece, &mut |plain: &[u8]| match plain.trim_ascii_start().first() {
        Some(first) => Err(*first),
        None => Ok(()),
    });
    match looked {
        Ok(()) => None,
        Err(DecodeError::Sink(first)) => Some(matches!(first, b'{' | b'[')),
        // Its reader says what is wrong.
        Err(DecodeError::Body(_)) => Some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn looked_at(encoding: Encoding, pieces: &[&[u8]]) -> (bool, Vec<u8>) {
        let pieces: Vec<_> =
            pieces.iter().map(|piece| Ok::<_, axum::Error>(Bytes::from(piece.to_vec()))).collect();
        let (is_json, body) = is_json(encoding, Body::from_stream(stream::iter(pieces))).await.unwrap();
        (is_json, axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn a_body_that_begins_as_json_is_taken_for_it_and_stays_whole() {
        let cases: [(&[&[u8]], bool); 8] = [
            (&[b"{\"a\":1}"], true),
            (&[b"[{}]"], true),
            (&[b" \n", b"", b"\t{\"a\"", b":1}"], true),
            (&[b"a,b\n1,2"], false),
            (&[b"<a/>"], false),
            (&[b"7"], false),
            (&[b" ", b"\n"], false),
            (&[], false),
        ];
        for (pieces, wanted) in cases {
            let (is_json, whole) = looked_at(Encoding::Identity, pieces).await;
            assert_eq!((is_json, whole), (wanted, pieces.concat()), "{pieces:?}");
        }
        let blank = vec![b' '; BYTES_MAX];
        assert!(!looked_at(Encoding::Identity, &[&blank, b"{}"]).await.0, "it is not looked at for ever");
    }

    #[tokio::test]
    async fn what_cannot_be_decompressed_is_left_to_its_reader() {
        assert!(looked_at(Encoding::Gzip, &[b"{\"a\":1}"]).await.0);
        assert!(!looked_at(Encoding::Gzip, &[]).await.0);
    }
}
