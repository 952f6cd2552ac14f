//! Compressed bodies: pieces make no difference, limits hold, what is whole is what others decompress too, and whatever is
//! compressed comes back.

#![no_main]

use std::io::{Read, Write};

use flate2::Compression;
use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::cut;
use tidegauge_ingest::{DecodeError, DecompressLimits, Decompressor, Encoding, UndecodableBody};

const ENCODINGS: [Encoding; 4] = [Encoding::Gzip, Encoding::Zstd, Encoding::Deflate, Encoding::Identity];

fn limits(choice: u8) -> DecompressLimits {
    match choice % 3 {
        0 => DecompressLimits { bytes_max: 1 << 20, ..DecompressLimits::default() },
        1 => DecompressLimits { bytes_max: 100, ..DecompressLimits::default() },
        _ => DecompressLimits {
            bytes_max: 1 << 20,
            ratio_max: 3,
            ratio_free_bytes: 50,
            zstd_window_log_max: 12,
            gzip_members_max: 65_536,
        },
    }
}

fn decode(
    encoding: Encoding,
    limits: &DecompressLimits,
    pieces: &[&[u8]],
) -> Result<Vec<u8>, UndecodableBody> {
    let mut decompressor = Decompressor::new(encoding, limits.clone())?;
    let mut output = Vec::new();
    for piece in pieces {
        let mut sink = |bytes: &[u8]| {
            output.extend_from_slice(bytes);
            Ok::<(), std::convert::Infallible>(())
        };
        match decompressor.decode(piece, &mut sink) {
            Ok(()) => {}
            Err(DecodeError::Body(error)) => {
                assert!(output.len() as u64 <= limits.bytes_max);
                return Err(error);
            }
        }
    }
    assert!(output.len() as u64 <= limits.bytes_max);
    assert_eq!(decompressor.bytes_out(), output.len() as u64);
    decompressor.finish().map(|()| output)
}

/// What another decoder makes of it.
fn by_others(encoding: Encoding, body: &[u8]) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    match encoding {
        Encoding::Gzip => flate2::read::MultiGzDecoder::new(body).read_to_end(&mut output).ok()?,
        Encoding::Zstd => return zstd::decode_all(body).ok(),
        Encoding::Deflate => return None,
        Encoding::Identity => return Some(body.to_vec()),
    };
    Some(output)
}

fn compress(encoding: Encoding, body: &[u8]) -> Vec<u8> {
    let written = match encoding {
        Encoding::Gzip => {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
            writer.write_all(body).and_then(|()| writer.finish())
        }
        Encoding::Deflate => {
            let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
            writer.write_all(body).and_then(|()| writer.finish())
        }
        Encoding::Zstd => zstd::encode_all(body, 1),
        Encoding::Identity => Ok(body.to_vec()),
    };
    written.expect("memory takes all bytes")
}

fuzz_target!(|data: &[u8]| {
    let [choice, seed, body @ ..] = data else { return };
    let (encoding, limits) = (ENCODINGS[usize::from(choice % 4)], limits(choice >> 2));
    let whole = decode(encoding, &limits, &[body]);
    let in_pieces = decode(encoding, &limits, &cut(body, *seed));
    match (&whole, &in_pieces) {
        // What has come so far may have expanded too much, though the whole does not.
        (_, Err(UndecodableBody::TooDense { .. })) => {}
        (Ok(whole), in_pieces) => assert_eq!(in_pieces.as_ref(), Ok(whole)),
        (Err(_), in_pieces) => assert!(in_pieces.is_err()),
    }
    if let Ok(output) = &whole
        && !body.is_empty()
        && let Some(others) = by_others(encoding, body)
    {
        assert_eq!(*output, others);
    }
    let generous = DecompressLimits::default();
    let compressed = compress(encoding, body);
    assert_eq!(decode(encoding, &generous, &cut(&compressed, *seed)).as_deref(), Ok(body));
});
