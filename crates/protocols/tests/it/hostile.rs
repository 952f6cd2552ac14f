//! Bytes that nobody would send, for each reader: nothing may end but with events or a refusal, within bounds.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use tidegauge_ingest::{Events, Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::otlp::{self, Encoding, Signal};
use tidegauge_protocols::{
    Problem, cloudevents, datadog, elastic, firehose, forward, gelf, hec, honeycomb, journald, logplex, loki,
    msgpack, remote_write, syslog,
};

use crate::support::{Gate, Proto, any_text, otlp_request, pair, read, read_with};

/// Tries every reader with the same bytes.
fn try_all(bytes: &[u8]) {
    for signal in [Signal::Logs, Signal::Traces, Signal::Metrics] {
        for encoding in [Encoding::Protobuf, Encoding::Json] {
            let _ = read(|events| otlp::read(signal, encoding, bytes, events));
        }
    }
    for encoding in [loki::Encoding::Snappy, loki::Encoding::Json] {
        let _ = read(|events| loki::read(encoding, bytes, 1 << 16, events));
    }
    for version in [remote_write::Version::V1, remote_write::Version::V2] {
        let _ = read(|events| remote_write::read(version, bytes, 1 << 16, events));
    }
    let target = elastic::Target::Named { otherwise: Some("web") };
    if let Ok(mut bulk) = elastic::Bulk::parse(bytes, target, 1000) {
        let _ = read(|events| bulk.read(0, events));
        bulk.answer(0);
    }
    let none = hec::Metadata::default();
    let _ = read(|events| hec::read_events(bytes, &none, events));
    let _ = read(|events| hec::read_raw(bytes, &none, events));
    let _ = read(|events| datadog::read(bytes, events));
    let _ = read(|events| honeycomb::read_batch(bytes, events));
    let _ = read(|events| honeycomb::read_event(bytes, honeycomb::Headers::default(), events));
    let _ = read(|events| firehose::read(bytes, None, 1 << 16, events));
    let text = String::from_utf8_lossy(bytes);
    let text: &str = &text;
    let delivery = br#"{"records":[{"data":"eyJhIjoxfQ=="}]}"#;
    let _ = read(|events| firehose::read(delivery, Some(text), 1 << 16, events));
    let _ = read(|events| cloudevents::read_batch(bytes, events));
    let headers = [("ce-id", "1"), ("ce-source", text), ("ce-time", text), (text, "x")];
    let _ = read(|events| cloudevents::read_binary(headers.into_iter(), Some(text), bytes, events));
    let _ = read(|events| gelf::read(bytes, None, 1 << 16, events));
    let _ = read(|events| msgpack::read(bytes, events));
    for messages in [None, Some(u64::from(u8::MAX))] {
        let _ = read(|events| logplex::read(bytes, logplex::Head { messages, drain: Some(text) }, events));
    }
    let _ = read(|events| {
        let mut journal = journald::Journal::default();
        journal.feed(bytes, events)?;
        journal.finish(events)
    });
    try_calls(bytes);
    try_listeners(bytes);
}

fn try_calls(bytes: &[u8]) {
    if let Some((head, message)) = bytes.split_first_chunk::<{ otlp::FRAME_BYTES }>()
        && let Ok(frame) = otlp::Frame::read(*head)
        && !frame.is_compressed
        && frame.length as usize == message.len()
    {
        assert_eq!(otlp::framed(message), bytes);
    }
    let refused = otlp::grpc_refused(&Problem::malformed(String::from_utf8_lossy(bytes)));
    for (name, value) in refused.headers {
        assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{name}: {value:?}");
    }
}

fn try_listeners(bytes: &[u8]) {
    let mut chunks = gelf::Chunks::default();
    for datagram in [bytes].into_iter().chain(bytes.chunks(32)) {
        match chunks.push(datagram, IpAddr::V4(Ipv4Addr::LOCALHOST), 0) {
            gelf::Datagram::Whole(message) => drop(read(|events| gelf::read(message, None, 1 << 16, events))),
            gelf::Datagram::Joined(message) => {
                drop(read(|events| gelf::read(&message, None, 1 << 16, events)))
            }
            gelf::Datagram::Waiting | gelf::Datagram::Refused => {}
        }
    }
    let handshake = forward::Handshake { hostname: "h", shared_key: b"k", nonce: b"n" };
    let (answer, checked) = handshake.check(bytes, &|_| "d".to_owned());
    assert_eq!(answer.get(6), Some(&if checked.is_ok() { 0xc3 } else { 0xc2 }));
    let _ = read(|events| {
        let mut messages = syslog::Messages::default();
        messages.write(bytes, syslog::Origin::default(), events)
    });
    syslog::Frames::default().feed(bytes, |_, _| ());
    let mut connection = forward::Connection::new(forward::ForwardLimits::default(), false);
    connection.push(bytes);
    while let Ok(Some(step)) = connection.next_step() {
        if let forward::Step::Batch(batch) = step {
            let _ = read(|events| batch.read(events));
        }
    }
}

/// A good request of each kind, to be damaged.
fn seeds() -> Vec<Vec<u8>> {
    let record = Proto::default()
        .fixed64(1, 7)
        .message(5, any_text("x"))
        .message(6, pair("http.route", any_text("/")));
    vec![
        otlp_request([record]),
        crate::loki::snap_block(b"\x0a\x10\x0a\x07{a=\"b\"}\x12\x05\x12\x03abc"),
        br#"{"streams":[{"stream":{"a":"b"},"values":[["7","x",{"m":"1"}]]}]}"#.to_vec(),
        b"{\"index\":{\"_index\":\"a\",\"_id\":1}}\n{\"x\":[1,{\"y\":null}]}\n".to_vec(),
        br#"{"event":{"a":1},"time":1,"fields":{"b":2}}{"event":"x"}"#.to_vec(),
        br#"[{"data":{"a":1},"time":"2026-11-14T00:00:00Z","samplerate":2,"ddtags":"a:b"}]"#.to_vec(),
        br#"{"requestId":"1","records":[{"data":"eyJhIjoxfQ=="}]}"#.to_vec(),
        b"MESSAGE=x\nB\n\x03\0\0\0\0\0\0\0abc\n\n".to_vec(),
        b"<165>1 2026-11-14T00:00:00Z h a 1 - [x k=\"v\"] hi".to_vec(),
        b"<34>Nov 14 00:00:00 h su[7]: x\n".to_vec(),
        b"27 <34>1 - h a web.1 - started\n27 <34>1 - h a web.2 - stopped\n".to_vec(),
        vec![0x93, 0xa1, b't', 0xd7, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0x81, 0xa1, b'a', 0x92, 1, 0xc0],
        otlp::framed(&otlp_request([Proto::default().message(5, any_text("x"))])),
        [&b"\x1e\x0f12345678\0\x02{\"short_message\":\"x\""[..], b"\x1e\x0f12345678\x01\x02,\"_a\":1}"]
            .concat(),
        b"\x96\xa4PING\xa1h\xa1s\xa1d\xa0\xa0".to_vec(),
        br#"{"commonAttributes":{"env":"prod","a":"b"}}"#.to_vec(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn damaged_requests_are_read_or_refused(
        seed in 0..16_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = seeds()[seed].clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        try_all(&bytes);
        try_all(&bytes[..cut.index(bytes.len() + 1)]);
    }
}

#[test]
fn protobuf_nested_without_end_is_null_beyond_the_limit() {
    let mut value = any_text("deep");
    for _ in 0..5000 {
        value = Proto::default().message(5, Proto::default().message(1, value));
    }
    let body = otlp_request([Proto::default().message(6, pair("mine", value.clone())).message(5, value)]);
    let read = read(|events| otlp::read(Signal::Logs, Encoding::Protobuf, &body, events)).unwrap();
    assert!(read.events[0].contains("[null]"), "{}", read.events[0]);
    let mut list = any_text("deep");
    for _ in 0..2000 {
        list = Proto::default().message(6, Proto::default().message(1, pair("http", list)));
    }
    let body = otlp_request([Proto::default().message(6, pair("http", list.clone())).message(5, list)]);
    assert!(
        crate::support::read(|events| otlp::read(Signal::Logs, Encoding::Protobuf, &body, events)).is_ok()
    );
}

#[test]
fn labels_of_one_resource_for_a_million_records_meet_the_limit() {
    let resource = Proto::default().message(1, pair("service.name", any_text(&"x".repeat(100_000))));
    let scoped = (0..100_000).fold(Proto::default(), |all, _| all.message(2, Proto::default()));
    let body = Proto::default().message(1, Proto::default().message(1, resource).message(2, scoped)).0;
    let limits = Limits { columns_bytes_max: 16 << 20, ..Limits::default() };
    let problem = read_with(limits, Options::default(), &Gate::default(), |events| {
        otlp::read(Signal::Logs, Encoding::Protobuf, &body, events)
    })
    .unwrap_err();
    assert_eq!(problem.kind, ErrorKind::TooLarge);
}

#[test]
fn a_request_stops_when_there_is_no_room() {
    let body = otlp_request((0..10_000).map(|_| Proto::default().message(5, any_text("some text"))));
    let mut reader = tidegauge_ingest::Reader::new(Limits::default());
    reader.begin(Options::default(), 0);
    let mut asked = 0;
    let mut room = |bytes: usize| {
        asked += 1;
        bytes < 300_000
    };
    let taken = tidegauge_protocols::take(&mut reader, &Gate::default(), &mut room, |events| {
        otlp::read(Signal::Logs, Encoding::Protobuf, &body, events)
    });
    assert_eq!(taken.unwrap_err().kind, ErrorKind::Unavailable);
    assert!(asked > 2);
    assert_eq!(reader.columns().rows(), 0);
}

type Reading<'a> = &'a dyn Fn(&mut Events<'_>) -> Result<(), Problem>;

/// Reads with room for so many bytes, and tells the most that was asked for.
fn read_within<T>(
    most: usize,
    read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem>,
) -> (Result<T, Problem>, usize) {
    let mut reader = tidegauge_ingest::Reader::new(Limits::default());
    reader.begin(Options::default(), 0);
    let mut asked = 0;
    let mut room = |bytes: usize| {
        asked = asked.max(bytes);
        bytes <= most
    };
    let taken = tidegauge_protocols::take(&mut reader, &Gate::default(), &mut room, read);
    (taken.map(|(read, _)| read), asked)
}

#[test]
fn what_a_small_body_unfolds_to_needs_room_before_it_is_there() {
    let symbols = crate::loki::snap_block(&b"\x22\x00".repeat(100_000));
    let write = |events: &mut Events<'_>| {
        remote_write::read(remote_write::Version::V2, &symbols, 1 << 20, events).map(drop)
    };
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&vec![b' '; 600 << 10]).unwrap();
    let record = STANDARD.encode(packed.finish().unwrap());
    let delivery = format!("{{\"records\":[{{\"data\":\"{record}\"}}]}}");
    let deliver =
        |events: &mut Events<'_>| firehose::read(delivery.as_bytes(), None, 1 << 20, events).map(drop);
    let readers: [(usize, Reading<'_>); 2] = [(100_000 * size_of::<&[u8]>(), &write), (600 << 10, &deliver)];
    for (unfolded, read) in readers {
        let (taken, asked) = read_within(4 * unfolded, read);
        assert!(taken.is_ok() && asked >= unfolded, "{taken:?}, {asked} of {unfolded}");
        let (taken, _) = read_within(unfolded - 1, read);
        assert_eq!(taken.unwrap_err().kind, ErrorKind::Unavailable);
    }
}
