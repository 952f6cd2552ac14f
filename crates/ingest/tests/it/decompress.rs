//! Compressed bodies.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use tidegauge_ingest::{DecodeError, DecompressLimits, Decompressor, Encoding, UndecodableBody};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn deflate(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zstd(data: &[u8]) -> Vec<u8> {
    zstd::encode_all(data, 3).unwrap()
}

fn decode_with(
    limits: DecompressLimits,
    encoding: Encoding,
    body: &[u8],
    piece: usize,
) -> Result<Vec<u8>, UndecodableBody> {
    let mut decompressor = Decompressor::new(encoding, limits)?;
    let mut out = Vec::new();
    for chunk in body.chunks(piece) {
        let decoded = decompressor.decode::<()>(chunk, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        match decoded {
            Ok(()) => {}
            Err(DecodeError::Body(error)) => return Err(error),
            Err(DecodeError::Sink(())) => unreachable!("the sink takes everything"),
        }
    }
    decompressor.finish()?;
    assert_eq!(decompressor.bytes_out(), out.len() as u64);
    Ok(out)
}

fn decode(encoding: Encoding, body: &[u8], piece: usize) -> Result<Vec<u8>, UndecodableBody> {
    decode_with(DecompressLimits::default(), encoding, body, piece)
}

fn sample() -> Vec<u8> {
    (0..30_000_u32)
        .flat_map(|index| {
            format!("{{\"index\":{index},\"x\":{}}}\n", index.wrapping_mul(2_654_435_761)).into_bytes()
        })
        .collect()
}

fn encoded(data: &[u8]) -> [(Encoding, Vec<u8>); 6] {
    [
        (Encoding::Identity, data.to_vec()),
        (Encoding::Gzip, gzip(data)),
        (Encoding::Zstd, zstd(data)),
        (Encoding::Deflate, zlib(data)),
        (Encoding::Deflate, deflate(data, 6)),
        (Encoding::Deflate, deflate(data, 0)),
    ]
}

#[test]
fn words_of_the_header() {
    let table = [
        ("", Some(Encoding::Identity)),
        ("identity", Some(Encoding::Identity)),
        ("1", Some(Encoding::Identity)),
        (" GZip ", Some(Encoding::Gzip)),
        ("x-gzip", Some(Encoding::Gzip)),
        ("zlib", Some(Encoding::Deflate)),
        ("ZSTD", Some(Encoding::Zstd)),
        ("deflate", Some(Encoding::Deflate)),
        ("br", None),
        ("gzip, zstd", None),
    ];
    for (header, expected) in table {
        assert_eq!(Encoding::parse(header), expected, "{header}");
    }
}

#[test]
fn every_encoding_gives_the_body_back_in_any_pieces() {
    for data in [sample(), b"{}".to_vec(), Vec::new()] {
        for (encoding, body) in encoded(&data) {
            for piece in [1, 3, 1000, 65_536, usize::MAX] {
                if piece > 1 || data.len() < 100 {
                    assert_eq!(decode(encoding, &body, piece).as_ref(), Ok(&data), "{encoding:?} in {piece}");
                }
            }
        }
    }
    for encoding in [Encoding::Identity, Encoding::Gzip, Encoding::Zstd, Encoding::Deflate] {
        assert_eq!(decode(encoding, b"", 1), Ok(Vec::new()));
    }
}

#[test]
fn joined_bodies_are_one_body() {
    let joined = [gzip(b"one "), gzip(b""), gzip(b"two")].concat();
    let frames = [zstd(b"one "), zstd(b""), zstd(b"two")].concat();
    for piece in [1, 7, 1000] {
        assert_eq!(decode(Encoding::Gzip, &joined, piece), Ok(b"one two".to_vec()));
        assert_eq!(decode(Encoding::Zstd, &frames, piece), Ok(b"one two".to_vec()));
    }
    let many: Vec<u8> = gzip(b"").repeat(65_537);
    assert!(matches!(decode(Encoding::Gzip, &many, 10_000), Err(UndecodableBody::Corrupt { .. })));
}

#[test]
fn cut_bodies_are_noticed() {
    let data = sample();
    for (encoding, body) in encoded(&data).into_iter().skip(1) {
        for missing in [1, 2, 5, body.len() / 2, body.len() - 1] {
            let cut = &body[..body.len() - missing];
            let error = decode(encoding, cut, 5000).unwrap_err();
            assert!(
                matches!(error, UndecodableBody::Truncated { .. }),
                "{encoding:?} without {missing}: {error}"
            );
        }
    }
    let joined = [gzip(b"one"), gzip(b"two")].concat();
    assert!(decode(Encoding::Gzip, &joined[..joined.len() - 3], 100).is_err());
    assert!(decode(Encoding::Gzip, &joined[..gzip(b"one").len() + 1], 100).is_err());
}

#[test]
fn corrupt_bodies_and_what_follows_them_are_noticed() {
    let data = sample();
    for (encoding, body) in encoded(&data).into_iter().skip(1) {
        let mut more = body.clone();
        more.extend_from_slice(b"garbage");
        let error = decode(encoding, &more, 1 << 20).unwrap_err();
        assert!(matches!(error, UndecodableBody::Corrupt { .. }), "{encoding:?}: {error}");
        assert!(decode(encoding, b"this is not compressed at all", 100).is_err());
    }
    // The checksum at the end of gzip and zlib.
    for (encoding, mut body) in [(Encoding::Gzip, gzip(&data)), (Encoding::Deflate, zlib(&data))] {
        let last = body.len() - 5 + usize::from(encoding == Encoding::Deflate);
        body[last] ^= 1;
        assert!(
            matches!(decode(encoding, &body, 5000), Err(UndecodableBody::Corrupt { .. })),
            "{encoding:?}"
        );
    }
}

#[test]
fn bombs_are_ended_by_their_ratio_and_by_their_size() {
    let zeros = vec![b' '; 20 << 20];
    for (encoding, body) in encoded(&zeros).into_iter().skip(1).take(4) {
        let error = decode(encoding, &body, 4096).unwrap_err();
        assert_eq!(error, UndecodableBody::TooDense { ratio_max: 200 }, "{encoding:?}");
        let wide =
            DecompressLimits { ratio_max: u64::MAX, bytes_max: 1 << 20, ..DecompressLimits::default() };
        let error = decode_with(wide, encoding, &body, 4096).unwrap_err();
        assert_eq!(error, UndecodableBody::TooLarge { bytes_max: 1 << 20 }, "{encoding:?}");
        let open = DecompressLimits { ratio_max: u64::MAX, ..DecompressLimits::default() };
        assert_eq!(decode_with(open, encoding, &body, 4096).map(|out| out.len()), Ok(zeros.len()));
    }
    let small = DecompressLimits { bytes_max: 10, ..DecompressLimits::default() };
    assert!(decode_with(small.clone(), Encoding::Identity, b"12345678901", 3).is_err());
    assert!(decode_with(small, Encoding::Identity, b"1234567890", 3).is_ok());
}

#[test]
fn small_bodies_of_equal_events_may_have_any_ratio() {
    let data = b"{\"message\":\"still alive\",\"level\":\"info\"}\n".repeat(100_000);
    assert_eq!(decode(Encoding::Zstd, &zstd(&data), 4096).map(|out| out.len()), Ok(data.len()));
}

#[test]
fn a_zstd_body_may_not_ask_for_much_memory() {
    let compress = |window: u32| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window).unwrap();
        // Written in two pieces, so that the encoder cannot choose a smaller window.
        encoder.write_all(b"one").unwrap();
        encoder.flush().unwrap();
        encoder.write_all(b"two").unwrap();
        encoder.finish().unwrap()
    };
    assert_eq!(decode(Encoding::Zstd, &compress(23), 100), Ok(b"onetwo".to_vec()));
    let error = decode(Encoding::Zstd, &compress(24), 100).unwrap_err();
    assert!(error.to_string().contains("window is larger than 8 MiB"), "{error}");
}

#[test]
fn the_error_of_the_sink_is_handed_on() {
    let mut decompressor = Decompressor::new(Encoding::Gzip, DecompressLimits::default()).unwrap();
    let decoded = decompressor.decode(&gzip(b"x"), &mut |_| Err("full"));
    assert_eq!(decoded, Err(DecodeError::Sink("full")));
}
