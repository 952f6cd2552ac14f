//! Each parser by itself, for the fuzz targets: bytes in, and nothing must happen but an answer. Nobody else should
//! use it.

use std::net::{IpAddr, Ipv4Addr};

use tidegauge_ingest::{Events, FieldGate, Limits, Options, Reader};
use tidegauge_model::ErrorKind;

use crate::answer::Problem;
use crate::{
    cloudevents, datadog, elastic, firehose, forward, gelf, hec, honeycomb, journald, logplex, loki, msgpack,
    otlp, remote_write, snappy, syslog,
};

const BYTES_MAX: usize = 1 << 20;

/// Refuses some fields, so that what happens then is tried too.
struct Gate;

impl FieldGate for Gate {
    fn admit(&self, field: &str) -> bool {
        !field.len().is_multiple_of(7)
    }
}

fn with_events(read: impl FnOnce(&mut Events<'_>) -> Result<(), Problem>) {
    let mut reader = Reader::new(Limits { columns_bytes_max: 8 << 20, ..Limits::default() });
    reader.begin(Options::default(), 1_794_700_800_000_000_000);
    let mut room = |_: usize| true;
    if let Ok(((), outcome)) = crate::take(&mut reader, &Gate, &mut room, read) {
        assert_eq!(outcome.ingested, reader.columns().rows() as u64);
    }
}

/// The first byte chooses signal and encoding.
pub fn otlp(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let signal = [otlp::Signal::Logs, otlp::Signal::Traces, otlp::Signal::Metrics][usize::from(choice % 3)];
    let encoding = if choice & 4 == 0 { otlp::Encoding::Protobuf } else { otlp::Encoding::Json };
    with_events(|events| otlp::read(signal, encoding, body, events));
}

pub fn elastic_bulk(data: &[u8]) {
    let target = elastic::Target::Named { otherwise: Some("web") };
    let Ok(mut bulk) = elastic::Bulk::parse(data, target, 10_000) else { return };
    for dataset in 0..bulk.datasets().len() {
        with_events(|events| bulk.read(dataset, events));
    }
    bulk.answer(0);
}

pub fn loki(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let encoding = if choice & 1 == 0 { loki::Encoding::Snappy } else { loki::Encoding::Json };
    with_events(|events| loki::read(encoding, body, BYTES_MAX, events));
}

pub fn hec(data: &[u8]) {
    hec::index_of(data);
    with_events(|events| hec::read_events(data, &hec::Metadata::default(), events));
    with_events(|events| hec::read_raw(data, &hec::Metadata::default(), events));
}

pub fn json_senders(data: &[u8]) {
    with_events(|events| datadog::read(data, events));
    with_events(|events| honeycomb::read_batch(data, events).map(|_| ()));
    with_events(|events| honeycomb::read_event(data, honeycomb::Headers::default(), events));
    with_events(|events| cloudevents::read_batch(data, events));
    with_events(|events| cloudevents::read_structured(data, events).map(|_| ()));
    with_events(|events| gelf::read(data, None, BYTES_MAX as u64, events));
}

/// The first byte says how the body is cut.
pub fn journald(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    with_events(|events| {
        let mut journal = journald::Journal::default();
        for piece in body.chunks(usize::from(*choice) + 1) {
            journal.feed(piece, events)?;
        }
        journal.finish(events)
    });
}

/// Headers, one in a line, and behind an empty line the body.
pub fn cloudevents_binary(data: &[u8]) {
    let end = data.windows(2).position(|two| two == b"\n\n").unwrap_or(data.len());
    let (head, body) = (String::from_utf8_lossy(&data[..end]), data.get(end + 2..).unwrap_or_default());
    let headers = || head.lines().filter_map(|line| line.split_once(':'));
    let content_type = headers().find(|header| header.0 == "content-type").map(|header| header.1);
    with_events(|events| {
        let identity = cloudevents::read_binary(headers(), content_type, body, events)?;
        assert!(!identity.source.is_empty() && !identity.id.is_empty());
        Ok(())
    });
}

/// The header with the common attributes in the first line, and the body behind it.
pub fn firehose(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (attributes, body) = (String::from_utf8_lossy(&data[..end]), &data[end..]);
    with_events(|events| firehose::read(body, Some(&*attributes), BYTES_MAX as u64, events).map(|_| ()));
}

/// Datagrams of 32 bytes each, a tenth of a second apart.
pub fn gelf_chunks(data: &[u8]) {
    let limits = gelf::ChunksLimits { messages_max: 4, bytes_max: 4096, ..gelf::ChunksLimits::default() };
    let mut chunks = gelf::Chunks::new(limits);
    for (now, datagram) in data.chunks(32).enumerate() {
        let sender = IpAddr::V4(Ipv4Addr::LOCALHOST);
        match chunks.push(datagram, sender, now as i64 * 100_000_000) {
            gelf::Datagram::Whole(message) => {
                with_events(|events| gelf::read(message, Some("127.0.0.1"), BYTES_MAX as u64, events));
            }
            gelf::Datagram::Joined(message) => {
                assert!(message.len() <= limits.bytes_max);
                with_events(|events| gelf::read(&message, Some("127.0.0.1"), BYTES_MAX as u64, events));
            }
            gelf::Datagram::Waiting | gelf::Datagram::Refused => {}
        }
        assert!(chunks.waiting() <= limits.messages_max);
    }
}

/// Messages over a connection. The first byte says how the bytes are cut, which must not matter.
pub fn gelf_frames(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let messages = framed(body, usize::from(*choice) + 1);
    assert_eq!(messages, framed(body, body.len().max(1)), "it is the same however it is cut");
    for message in &messages.0 {
        with_events(|events| gelf::read(message, Some("127.0.0.1"), BYTES_MAX as u64, events));
    }
}

/// The frames in bytes that come in pieces, and whether none was too long.
fn framed(body: &[u8], piece: usize) -> (Vec<Vec<u8>>, bool) {
    const FRAME_BYTES_MAX: usize = 256;
    let (mut frames, mut found) = (gelf::Frames::new(FRAME_BYTES_MAX), Vec::new());
    let mut keep = |frame: &[u8]| {
        assert!(frame.len() <= FRAME_BYTES_MAX);
        found.push(frame.to_vec());
    };
    let is_whole = body.chunks(piece).all(|piece| frames.feed(piece, &mut keep).is_ok());
    assert!(frames.pending() <= FRAME_BYTES_MAX);
    if is_whole {
        frames.finish(&mut keep);
    }
    (found, is_whole)
}

/// The first byte says how many messages are announced, if any.
pub fn logplex(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let messages = (*choice > 0).then_some(u64::from(*choice));
    with_events(|events| {
        logplex::read(body, logplex::Head { messages, drain: Some("d.1") }, events)?;
        // A frame has a digit and a space.
        assert!(events.ended() <= (body.len() / 2) as u64 + u64::from(u8::MAX));
        Ok(())
    });
}

/// A block as it came, and one that is made of the bytes.
pub fn snappy(data: &[u8]) {
    if let Ok(plain) = snappy::expand(data, BYTES_MAX) {
        assert!(plain.len() <= BYTES_MAX);
        assert_eq!(plain.len(), snappy::declared_bytes(data));
    }
    let Ok(block) = snap::raw::Encoder::new().compress_vec(data) else { return };
    assert_eq!(snappy::declared_bytes(&block), data.len());
    assert_eq!(snappy::expand(&block, data.len()).as_deref(), Ok(data));
    assert!(data.is_empty() || snappy::expand(&block, data.len() - 1).is_err(), "a limit holds");
}

/// A call of gRPC: the frame and the message. It is also what is wrong in a refusal.
pub fn grpc(data: &[u8]) {
    let Some((head, message)) = data.split_first_chunk::<{ otlp::FRAME_BYTES }>() else { return };
    if let Ok(frame) = otlp::Frame::read(*head) {
        assert_eq!(frame.is_compressed, head[0] == 1);
        if !frame.is_compressed && frame.length as usize == message.len() {
            assert_eq!(otlp::framed(message), data);
            with_events(|events| otlp::read(otlp::Signal::Logs, otlp::Encoding::Protobuf, message, events));
        }
    }
    let kind = [ErrorKind::Malformed, ErrorKind::Busy, ErrorKind::StorageFull][usize::from(head[0] % 3)];
    let refused = otlp::grpc_refused(&Problem::new(kind, String::from_utf8_lossy(message)));
    for (name, value) in &refused.headers {
        assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{name} is no header: {value:?}");
    }
}

pub fn msgpack(data: &[u8]) {
    with_events(|events| msgpack::read(data, events));
}

/// The first byte says how the bytes are cut.
pub fn syslog(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    with_events(|events| {
        let (mut frames, mut messages) = (syslog::Frames::default(), syslog::Messages::default());
        let mut texts = Vec::new();
        for piece in body.chunks(usize::from(*choice) + 1) {
            frames.feed(piece, |message, is_cut| texts.push((message.to_vec(), is_cut)));
        }
        frames.finish(true, |message, is_cut| texts.push((message.to_vec(), is_cut)));
        for (text, is_cut) in texts {
            messages.write(&text, syslog::Origin { is_cut, ..syslog::Origin::default() }, events)?;
        }
        Ok(())
    });
}

/// The first byte says how the bytes are cut.
pub fn forward(data: &[u8]) {
    let [choice, body @ ..] = data else { return };
    let limits = forward::ForwardLimits { message_bytes_max: 4096, unpacked_bytes_max: 1 << 20 };
    let mut connection = forward::Connection::new(limits, choice & 1 == 1);
    for piece in body.chunks(usize::from(*choice) + 1) {
        connection.push(piece);
        loop {
            match connection.next_step() {
                Ok(Some(forward::Step::Batch(batch))) => with_events(|events| batch.read(events)),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
}

/// The answer to a greeting. The digest is short and weak here, so that chance finds a good one.
pub fn forward_ping(data: &[u8]) {
    let handshake = forward::Handshake { hostname: "h", shared_key: b"k", nonce: b"n" };
    let digest = |parts: &[&[u8]]| format!("{:02x}", parts.concat().len() % 4);
    let (answer, checked) = handshake.check(data, &digest);
    assert!(answer.starts_with(b"\x95\xa4PONG"));
    assert_eq!(answer.get(6), Some(&if checked.is_ok() { 0xc3 } else { 0xc2 }));
}

/// The first byte chooses the version. The message is compressed here, since chance makes no blocks.
pub fn remote_write(data: &[u8]) {
    let [choice, message @ ..] = data else { return };
    let version = if choice & 1 == 0 { remote_write::Version::V1 } else { remote_write::Version::V2 };
    with_events(|events| remote_write::read(version, message, BYTES_MAX, events).map(|_| ()));
    let Ok(block) = snap::raw::Encoder::new().compress_vec(message) else { return };
    with_events(|events| remote_write::read(version, &block, BYTES_MAX, events).map(|_| ()));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A target by its name in the fuzz packages, and what it does with an input.
    type Target = (&'static str, fn(&[u8]));

    /// Every target of the fuzz packages that is in this file.
    const TARGETS: [Target; 18] = [
        ("sender_cloudevents", cloudevents_binary),
        ("sender_elastic", elastic_bulk),
        ("sender_firehose", firehose),
        ("sender_forward", forward),
        ("sender_forward_ping", forward_ping),
        ("sender_gelf_chunks", gelf_chunks),
        ("sender_gelf_frames", gelf_frames),
        ("sender_grpc", grpc),
        ("sender_hec", hec),
        ("sender_journald", journald),
        ("sender_json", json_senders),
        ("sender_logplex", logplex),
        ("sender_loki", loki),
        ("sender_msgpack", msgpack),
        ("sender_otlp", otlp),
        ("sender_remote_write", remote_write),
        ("sender_snappy", snappy),
        ("sender_syslog", syslog),
    ];

    #[test]
    fn the_inputs_that_are_kept_hold() {
        let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        for (target, run) in TARGETS {
            let inputs = std::fs::read_dir(corpora.join(target)).unwrap();
            let inputs: Vec<Vec<u8>> =
                inputs.map(|input| std::fs::read(input.unwrap().path()).unwrap()).collect();
            assert!(!inputs.is_empty(), "{target} has an input to begin with");
            for input in inputs {
                run(&input);
            }
        }
    }
}
