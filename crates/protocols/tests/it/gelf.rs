//! GELF: messages, chunks and frames.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};

use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::gelf::{Chunks, ChunksLimits, Datagram, Frames, read as read_gelf};

use crate::support::{Read, read};

const MESSAGE: &[u8] = br#"{"version":"1.1","host":"h","short_message":"hi","full_message":"hi\nthere","timestamp":1794000000.25,"level":4,"_user":"u","_id":"9","_host":"x","_n":{"a":1},"line":5}"#;
const SHOWN: &str = r#"@1794000000250000000 _host="x" _id="9" full_message="hi\nthere" host="h" level=4 line=5 message="hi" n.a=1 severity="warning" user="u""#;
const SENDER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn gelf(bytes: &[u8]) -> Result<Read, Problem> {
    read(|events| read_gelf(bytes, None, 1 << 20, events))
}

#[test]
fn messages_are_read_by_what_their_bytes_are() {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(MESSAGE).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(MESSAGE).unwrap();
    for bytes in [MESSAGE.to_vec(), zlib.finish().unwrap(), gzip.finish().unwrap(), [MESSAGE, b"\0"].concat()]
    {
        assert_eq!(gelf(&bytes).unwrap().events, [SHOWN]);
    }
    let read = read(|events| read_gelf(b"{\"short_message\":\"x\"}", Some("10.0.0.1"), 1 << 20, events));
    assert_eq!(read.unwrap().events, ["message=\"x\" source.ip=\"10.0.0.1\""]);
    for bytes in [&b""[..], b"[]", b"{", b"{} x", b"\x1f\x8b\x08", b"\x78\x9c"] {
        assert_eq!(gelf(bytes).unwrap_err().kind, ErrorKind::Malformed, "{bytes:?}");
    }
    let mut bomb = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    bomb.write_all(&vec![b' '; 4 << 20]).unwrap();
    assert_eq!(gelf(&bomb.finish().unwrap()).unwrap_err().kind, ErrorKind::TooLarge);
}

fn chunk(id: u8, number: u8, count: u8, part: &[u8]) -> Vec<u8> {
    [&[0x1e, 0x0f][..], &[id; 8], &[number, count], part].concat()
}

#[test]
fn chunks_come_together_in_any_order() {
    let mut chunks = Chunks::default();
    assert_eq!(chunks.push(b"{}", SENDER, 0), Datagram::Whole(b"{}"));
    assert_eq!(chunks.push(&chunk(1, 2, 3, b"c"), SENDER, 0), Datagram::Waiting);
    assert_eq!(chunks.push(&chunk(2, 0, 2, b"x"), SENDER, 0), Datagram::Waiting);
    assert_eq!(chunks.push(&chunk(1, 0, 3, b"a"), SENDER, 1), Datagram::Waiting);
    assert_eq!(chunks.push(&chunk(1, 0, 3, b"again"), SENDER, 1), Datagram::Waiting);
    let other = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
    assert_eq!(chunks.push(&chunk(1, 1, 3, b"forged"), other, 2), Datagram::Waiting);
    assert_eq!(chunks.push(&chunk(1, 1, 3, b"b"), SENDER, 2), Datagram::Joined(b"abc".to_vec()));
    assert_eq!(chunks.waiting(), 2);
    chunks.expire(6_000_000_000);
    assert_eq!((chunks.waiting(), chunks.given_up()), (0, 2));
}

#[test]
fn chunks_that_never_come_together_are_bounded() {
    for refused in
        [&[0x1e, 0x0f, 1][..], &chunk(1, 0, 0, b"x"), &chunk(1, 0, 129, b"x"), &chunk(1, 3, 3, b"x")]
    {
        assert_eq!(Chunks::default().push(refused, SENDER, 0), Datagram::Refused);
    }
    let limits = ChunksLimits { messages_max: 8, bytes_max: 10_000, wait_ns: i64::MAX };
    let mut chunks = Chunks::new(limits);
    for number in 0..=255 {
        chunks.push(&chunk(number, 0, 128, &[0; 3000]), SENDER, i64::from(number));
        assert!(chunks.waiting() <= 3);
    }
    assert_eq!(chunks.push(&chunk(0, 0, 2, &[0; 20_000]), SENDER, 300), Datagram::Refused);
    let mut mixed = Chunks::default();
    mixed.push(&chunk(1, 0, 3, b"a"), SENDER, 0);
    assert_eq!(mixed.push(&chunk(1, 1, 2, b"b"), SENDER, 0), Datagram::Refused);
}

#[test]
fn frames_end_with_nul() {
    let whole = b"one\0two\0\0last";
    for piece in 1..whole.len() {
        let (mut frames, mut seen) = (Frames::new(100), Vec::new());
        for piece in whole.chunks(piece) {
            frames.feed(piece, |frame| seen.push(frame.to_vec())).unwrap();
        }
        frames.finish(|frame| seen.push(frame.to_vec()));
        assert_eq!(seen, [&b"one"[..], b"two", b"", b"last"], "{piece}");
    }
    let mut frames = Frames::new(100);
    assert_eq!(frames.feed(&[b'x'; 101], |_| ()).unwrap_err().kind, ErrorKind::TooLarge);
}
