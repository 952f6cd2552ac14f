//! Fluent forward: its three modes, compressed or not, acknowledgements and the greeting.

use std::io::Write;

use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::forward::{Batch, Connection, ForwardLimits, Handshake, Step, acknowledgement};

use crate::msgpack::Pack;
use crate::support::read;

fn steps(bytes: &[u8], piece: usize) -> Result<Vec<Step>, Problem> {
    let mut connection = Connection::new(ForwardLimits::default(), false);
    let mut steps = Vec::new();
    for piece in bytes.chunks(piece) {
        connection.push(piece);
        while let Some(step) = connection.next_step()? {
            steps.push(step);
        }
    }
    Ok(steps)
}

fn batch(message: &Pack) -> Batch {
    match steps(&message.0, 7).expect("a good message").pop() {
        Some(Step::Batch(batch)) => batch,
        other => panic!("{other:?}"),
    }
}

fn events(batch: &Batch) -> Vec<String> {
    read(|events| batch.read(events)).expect("good events").events
}

fn packed() -> Pack {
    Pack::default().array(2).time(5, 0).record("a", 1).array(2).integer(6).record("a", 2)
}

#[test]
fn each_mode_has_the_same_events() {
    let expected = ["@5000000000 a=1 tag=\"t\"", "@6000000000 a=2 tag=\"t\""];
    let message = Pack::default().array(3).text("t").time(5, 0).record("a", 1);
    assert_eq!(events(&batch(&message)), expected[..1]);
    let with_metadata = Pack::default().array(3).text("t").array(2).time(5, 0).map(0).record("a", 1);
    assert_eq!(events(&batch(&with_metadata)), expected[..1]);
    let forward = Pack::default().array(2).text("t").array(2).raw(&packed().0);
    assert_eq!(events(&batch(&forward)), expected);
    let bytes = Pack::default().array(2).text("t").bytes(&packed().0);
    assert_eq!(events(&batch(&bytes)), expected);
    // Two members of gzip one behind the other, as chunks are joined.
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let pieces: [(&str, [Vec<u8>; 2]); 2] = [
        ("gzip", [gzip(&packed().0[..20]), gzip(&packed().0[20..])]),
        ("zstd", [zstd(&packed().0[..20]), zstd(&packed().0[20..])]),
    ];
    for (name, pieces) in pieces {
        let compressed = Pack::default().array(3).text("t").bytes(&pieces.concat()).map(2);
        let compressed = compressed.text("compressed").text(name).text("chunk").text("c1");
        assert_eq!(events(&batch(&compressed)), expected, "{name}");
        assert_eq!(batch(&compressed).chunk(), Some("c1"));
    }
}

#[test]
fn each_compression_is_bounded_by_what_it_may_expand_to() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&vec![0xc0; 80 << 20]).unwrap();
    for (name, bomb) in
        [("gzip", gzip.finish().unwrap()), ("zstd", zstd::encode_all(&vec![0xc0; 80 << 20][..], 3).unwrap())]
    {
        let message = Pack::default().array(3).text("t").bytes(&bomb).map(1).text("compressed").text(name);
        let batch = batch(&message);
        let unpacked = batch.unpacked_bytes();
        assert!(unpacked == 64 << 20 || unpacked == 1032 * bomb.len() as u64, "{name}: {unpacked}");
        let problem = read(|events| batch.read(events)).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::TooLarge, "{name}: {problem}");
    }
    let brotli = Pack::default().array(3).text("t").bytes(b"x").map(1).text("compressed").text("br");
    assert_eq!(steps(&brotli.0, 100).unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn a_chunk_is_acknowledged_by_its_id() {
    let message = Pack::default()
        .array(4)
        .text("t")
        .integer(5)
        .record("a", 1)
        .map(2)
        .text("size")
        .integer(1)
        .text("chunk")
        .text("p8n9gmxTQVC8/nh2wlKKeQ==");
    let batch = batch(&message);
    assert_eq!((batch.tag(), batch.chunk()), ("t", Some("p8n9gmxTQVC8/nh2wlKKeQ==")));
    let ack = acknowledgement("p8n9gmxTQVC8/nh2wlKKeQ==");
    assert_eq!(ack, [&[0x81, 0xa3][..], b"ack", &[0xb8], b"p8n9gmxTQVC8/nh2wlKKeQ=="].concat());
}

#[test]
fn messages_are_the_same_however_they_are_cut() {
    let one = Pack::default().array(3).text("t").time(5, 0).record("a", 1).0;
    let stream = [&one[..], &[0xc0], &one, &one].concat();
    for piece in 1..stream.len() {
        let kinds: Vec<bool> =
            steps(&stream, piece).unwrap().iter().map(|step| matches!(step, Step::Heartbeat)).collect();
        assert_eq!(kinds, [false, true, false, false], "{piece}");
    }
}

#[test]
fn what_is_no_message_ends_the_connection() {
    for bytes in [&[0xc1][..], &[5], &[0x90], &[0x91, 0xa1, b't'], &[0x92, 5, 5], &[0x92, 0xa1, b't', 5]] {
        assert_eq!(steps(bytes, 100).unwrap_err().kind, ErrorKind::Malformed, "{bytes:?}");
    }
    let limits = ForwardLimits { message_bytes_max: 1000, ..ForwardLimits::default() };
    let mut connection = Connection::new(limits, false);
    connection.push(&[&[0x92, 0xa1, b't', 0xc6, 0xff, 0xff, 0xff, 0xff][..], &[0; 1000]].concat());
    assert_eq!(connection.next_step().unwrap_err().kind, ErrorKind::TooLarge);
    let bad = Pack::default().array(2).text("t").bytes(&[5]);
    assert_eq!(read(|events| batch(&bad).read(events)).unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn what_expands_without_end_is_refused() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&vec![0; 4 << 20]).unwrap();
    let message = Pack::default()
        .array(3)
        .text("t")
        .bytes(&encoder.finish().unwrap())
        .map(1)
        .text("compressed")
        .text("gzip");
    let limits = ForwardLimits { unpacked_bytes_max: 1 << 20, ..ForwardLimits::default() };
    let mut connection = Connection::new(limits, false);
    connection.push(&message.0);
    let Ok(Some(Step::Batch(batch))) = connection.next_step() else { panic!("a batch") };
    assert_eq!(read(|events| batch.read(events)).unwrap_err().kind, ErrorKind::TooLarge);
}

/// Stands for the digest, which is handed in.
fn joined(parts: &[&[u8]]) -> String {
    parts.iter().map(|part| String::from_utf8_lossy(part).into_owned()).collect::<Vec<_>>().join("+")
}

#[test]
fn a_sender_proves_that_it_has_the_key() {
    let handshake = Handshake { hostname: "us", shared_key: b"key", nonce: b"nonce" };
    let hello = handshake.hello();
    assert!(hello.starts_with(&[0x92, 0xa4]));
    assert!(hello.windows(5).any(|part| part == b"nonce"));
    let ping = |digest: &str| {
        Pack::default().array(6).text("PING").text("them").text("salt").text(digest).text("").text("").0
    };
    let mut connection = Connection::new(ForwardLimits::default(), true);
    connection.push(&ping("salt+them+nonce+key"));
    let Ok(Some(Step::Ping(message))) = connection.next_step() else { panic!("a ping") };
    let (pong, checked) = handshake.check(&message, &joined);
    assert_eq!(checked, Ok(()));
    assert!(pong.ends_with(b"salt+us+nonce+key"));
    let (pong, checked) = handshake.check(&ping("wrong"), &joined);
    assert_eq!(checked.unwrap_err().kind, ErrorKind::Unauthenticated);
    assert!(!String::from_utf8_lossy(&pong).contains("key+"));
    for message in [&[0x90][..], &[0x94, 1, 2, 3, 4], b"x"] {
        assert!(handshake.check(message, &joined).1.is_err());
    }
    assert!(!format!("{handshake:?}").contains("key\""));
}
