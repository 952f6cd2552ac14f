//! Small bodies are read where their requests came in: they cost less than being handed to another thread, and single
//! events of those who send few do not wait behind the floods of others. A compressed body is small if it is so before and
//! after decompression, which is found out by decompressing it, and no further than that.

use std::convert::Infallible;

use tidegauge_admission::config::IngestLimits;
use tidegauge_ingest::{DecodeError, DecompressLimits, Decompressor, Encoding};

/// The most bytes of a small body.
pub const BYTES_MAX: usize = 32 << 10;

/// The most members of a small gzip body: each is a beginning of its own.
const GZIP_MEMBERS_MAX: u32 = 8;

/// Decompresses a body that was sent whole, if it is small and as it should be. What is wrong with another one is found
/// out by who reads it.
pub fn decompressed(encoding: Encoding, body: &[u8], limits: &IngestLimits) -> Option<Vec<u8>> {
    if body.len() > BYTES_MAX {
        return None;
    }
    // Behind this it is taken for a body that was sent so, and counts against the limit of those.
    let bytes_max = (BYTES_MAX as u64).min(limits.max_body_bytes).min(limits.max_uncompressed_bytes);
    let within =
        DecompressLimits { bytes_max, gzip_members_max: GZIP_MEMBERS_MAX, ..DecompressLimits::default() };
    let mut decompressor = Decompressor::new(encoding, within).ok()?;
    let mut plain = Vec::new();
    let decoded: Result<(), DecodeError<Infallible>> = decompressor.decode(body, &mut |part: &[u8]| {
        plain.extend_from_slice(part);
        Ok(())
    });
    decoded.ok()?;
    decompressor.finish().ok()?;
    Some(plain)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn limits() -> IngestLimits {
        IngestLimits {
            max_body_bytes: 1 << 20,
            max_uncompressed_bytes: 1 << 20,
            max_event_bytes: 1 << 20,
            memory_bytes: 1 << 20,
        }
    }

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn read(body: &[u8]) -> Option<Vec<u8>> {
        decompressed(Encoding::Gzip, body, &limits())
    }

    #[test]
    fn what_is_small_before_and_after_is_decompressed() {
        for plain in [&b""[..], b"{\"n\":1}", &vec![b' '; BYTES_MAX]] {
            assert_eq!(read(&gzip(plain)).as_deref(), Some(plain));
        }
        let zstd = zstd::encode_all(&b"{\"n\":1}"[..], 3).unwrap();
        assert_eq!(decompressed(Encoding::Zstd, &zstd, &limits()).as_deref(), Some(&b"{\"n\":1}"[..]));
        assert_eq!(read(&gzip(b"a").repeat(8)).as_deref(), Some(&b"aaaaaaaa"[..]));
    }

    #[test]
    fn what_is_larger_or_broken_is_left_to_others() {
        let whole = gzip(b"{\"n\":1}");
        for body in [
            gzip(&vec![b' '; BYTES_MAX + 1]),
            gzip(&vec![b' '; 16 << 20]),
            gzip(b"a").repeat(9),
            gzip(b"").repeat(1_000),
            whole[..whole.len() - 1].to_vec(),
            [&whole[..], b"more"].concat(),
            b"{\"n\":1}".to_vec(),
            vec![0x1f; BYTES_MAX + 1],
        ] {
            assert_eq!(read(&body), None, "{} bytes", body.len());
        }
    }

    #[test]
    fn the_limits_of_bodies_count_for_small_ones_too() {
        let body = gzip(&[b' '; 100]);
        for (max_body_bytes, max_uncompressed_bytes, is_small) in
            [(100, 100, true), (99, 100, false), (100, 99, false)]
        {
            let limits = IngestLimits { max_body_bytes, max_uncompressed_bytes, ..limits() };
            assert_eq!(decompressed(Encoding::Gzip, &body, &limits).is_some(), is_small);
        }
    }
}
