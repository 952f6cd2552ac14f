//! Compressed parts inside of a request: a record, a chunk, a datagram. What a whole body is compressed with is undone
//! before a protocol sees it.

use tidegauge_ingest::{DecodeError, DecompressLimits, Decompressor, Encoding, Events};

use crate::answer::Problem;

pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// The head of a zlib stream, whose two bytes are a multiple of 31.
pub(crate) fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..]
        if first & 0x0f == 8 && first >> 4 <= 7 && (u32::from(*first) << 8 | u32::from(*second)) % 31 == 0)
}

/// Decompresses gzip or zlib to at most so many bytes.
pub(crate) fn expand(bytes: &[u8], bytes_max: u64) -> Result<Vec<u8>, Problem> {
    expand_as(if is_gzip(bytes) { Encoding::Gzip } else { Encoding::Deflate }, bytes, bytes_max)
}

/// The same for gzip, with room asked for as the result grows.
pub(crate) fn expand_within(
    bytes: &[u8],
    bytes_max: u64,
    events: &mut Events<'_>,
) -> Result<Vec<u8>, Problem> {
    let mut plain = Vec::new();
    decode(Encoding::Gzip, bytes, bytes_max, &mut |piece: &[u8]| {
        // A list that grows becomes twice as long.
        if plain.capacity() - plain.len() < piece.len() {
            events.hold((plain.len() + piece.len()).saturating_mul(2))?;
        }
        plain.extend_from_slice(piece);
        Ok::<_, Problem>(())
    })?;
    Ok(plain)
}

/// The same for what says how it is compressed.
pub(crate) fn expand_as(encoding: Encoding, bytes: &[u8], bytes_max: u64) -> Result<Vec<u8>, Problem> {
    let mut plain = Vec::new();
    decode(encoding, bytes, bytes_max, &mut |piece: &[u8]| {
        plain.extend_from_slice(piece);
        Ok::<_, Problem>(())
    })?;
    Ok(plain)
}

fn decode(
    encoding: Encoding,
    bytes: &[u8],
    bytes_max: u64,
    take: &mut dyn FnMut(&[u8]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let limits = DecompressLimits { bytes_max, ..DecompressLimits::default() };
    let mut decompressor = Decompressor::new(encoding, limits)?;
    decompressor.decode(bytes, take).map_err(|error| match error {
        DecodeError::Body(body) => Problem::from(body),
        DecodeError::Sink(problem) => problem,
    })?;
    decompressor.finish().map_err(Problem::from)
}
