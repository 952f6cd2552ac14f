//! Measures how fast one thread reads the same events as NDJSON, as OTLP logs, as a bulk request and as Loki's push. Run it with
//! `cargo run --profile fast -p tidegauge-protocols --example protocol_speed`.

use std::fmt::Write as _;
use std::hint::black_box;

use tidegauge_ingest::{Events, FieldGate, Limits, Options, Reader};
use tidegauge_protocols::otlp::{Encoding, Signal};
use tidegauge_protocols::{Problem, elastic, loki, otlp};

const EVENTS: u64 = 4000;
const ROUNDS: usize = 200;
const NAMES: [&str; 10] = [
    "http.request.method",
    "http.route",
    "url.path",
    "user_agent.original",
    "server.address",
    "network.protocol.version",
    "thread.name",
    "code.function",
    "db.system",
    "client.address",
];

struct Open;

impl FieldGate for Open {
    fn admit(&self, _field: &str) -> bool {
        true
    }
}

fn value(event: u64, place: usize) -> String {
    format!("value-{}-{place}", event * 7 % 1000)
}

fn line(event: u64) -> String {
    format!("request {event} completed after {} ms, upstream node-{} answered", event % 977, event % 13)
}

fn time(event: u64) -> u64 {
    1_794_000_000_000_000_000 + event * 1_000_000
}

fn ndjson(bulk: bool) -> String {
    let mut body = String::new();
    for event in 0..EVENTS {
        if bulk {
            body.push_str("{\"index\":{}}\n");
        }
        let _ =
            write!(body, "{{\"_time\":{},\"body\":\"{}\",\"severity_number\":9,", time(event), line(event));
        for (place, name) in NAMES.iter().enumerate() {
            let _ = write!(body, "\"attributes.{name}\":\"{}\",", value(event, place));
        }
        let _ = writeln!(body, "\"trace_id\":\"{:032x}\",\"span_id\":\"{:016x}\"}}", event + 1, event + 1);
    }
    body
}

/// A field of protobuf that has a length.
fn bytes(number: u8, content: &[u8], out: &mut Vec<u8>) {
    out.push(number << 3 | 2);
    let mut length = content.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(content);
}

fn otlp_body() -> Vec<u8> {
    let mut scoped = Vec::new();
    for event in 0..EVENTS {
        let mut record = vec![1 << 3 | 1];
        record.extend_from_slice(&time(event).to_le_bytes());
        record.extend_from_slice(&[2 << 3, 9]);
        let mut text = Vec::new();
        bytes(1, line(event).as_bytes(), &mut text);
        bytes(5, &text, &mut record);
        for (place, name) in NAMES.iter().enumerate() {
            let (mut pair, mut any) = (Vec::new(), Vec::new());
            bytes(1, value(event, place).as_bytes(), &mut any);
            bytes(1, name.as_bytes(), &mut pair);
            bytes(2, &any, &mut pair);
            bytes(6, &pair, &mut record);
        }
        bytes(9, &u128::from(event + 1).to_be_bytes(), &mut record);
        bytes(10, &(event + 1).to_be_bytes(), &mut record);
        bytes(2, &record, &mut scoped);
    }
    let (mut resource, mut body) = (Vec::new(), Vec::new());
    bytes(2, &scoped, &mut resource);
    bytes(1, &resource, &mut body);
    body
}

fn loki_body() -> Vec<u8> {
    let mut stream = Vec::new();
    let labels: Vec<String> = (0..3).map(|place| format!("label{place}=\"{}\"", value(1, place))).collect();
    bytes(1, format!("{{{}}}", labels.join(", ")).as_bytes(), &mut stream);
    for event in 0..EVENTS {
        let mut entry = Vec::new();
        // The seconds of the time as a number of five bytes.
        let seconds = time(event) / 1_000_000_000;
        let varint: Vec<u8> = (0..5)
            .map(|place| (seconds >> (7 * place)) as u8 & 0x7f | if place < 4 { 0x80 } else { 0 })
            .collect();
        bytes(1, &[&[1 << 3][..], &varint].concat(), &mut entry);
        bytes(2, line(event).as_bytes(), &mut entry);
        for (place, name) in NAMES.iter().enumerate() {
            let mut pair = Vec::new();
            bytes(1, name.as_bytes(), &mut pair);
            bytes(2, value(event, place).as_bytes(), &mut pair);
            bytes(3, &pair, &mut entry);
        }
        bytes(2, &entry, &mut stream);
    }
    let mut body = Vec::new();
    bytes(1, &stream, &mut body);
    snap::raw::Encoder::new().compress_vec(&body).unwrap_or_default()
}

/// The seconds of the best of many runs, which is what the machine can do while others use it too.
#[expect(clippy::disallowed_methods, reason = "a measurement looks at the clock")]
fn best(mut run: impl FnMut() -> u64) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = std::time::Instant::now();
        let events = run();
        best = best.min(start.elapsed().as_secs_f64() / events.max(1) as f64);
    }
    best
}

fn through(reader: &mut Reader, read: impl FnOnce(&mut Events<'_>) -> Result<(), Problem>) -> u64 {
    reader.begin(Options::default(), 0);
    let mut room = |_: usize| true;
    let taken = tidegauge_protocols::take(reader, &Open, &mut room, read);
    black_box(reader.columns());
    taken.map_or(0, |((), outcome)| outcome.ingested)
}

#[expect(clippy::print_stdout, reason = "a measurement prints what it measures")]
fn main() {
    let mut reader = Reader::new(Limits::default());
    let (plain, bulk, otlp, loki) = (ndjson(false), ndjson(true), otlp_body(), loki_body());
    let lines = best(|| {
        reader.begin(Options::default(), 0);
        let read = reader.feed(plain.as_bytes(), &Open).and_then(|()| reader.finish(&Open));
        black_box(reader.columns());
        read.map_or(0, |outcome| outcome.ingested)
    });
    let mut reader = Reader::new(Limits::default());
    let records =
        best(|| through(&mut reader, |events| otlp::read(Signal::Logs, Encoding::Protobuf, &otlp, events)));
    let mut reader = Reader::new(Limits::default());
    let items = best(|| {
        let target = elastic::Target::Fixed("web");
        let Ok(mut bulk) = elastic::Bulk::parse(bulk.as_bytes(), target, 100_000) else { return 0 };
        let read = through(&mut reader, |events| bulk.read(0, events));
        black_box(bulk.answer(0));
        read
    });
    let mut reader = Reader::new(Limits::default());
    let entries =
        best(|| through(&mut reader, |events| loki::read(loki::Encoding::Snappy, &loki, 64 << 20, events)));
    for (name, seconds) in [("ndjson", lines), ("otlp logs", records), ("bulk", items), ("loki", entries)] {
        println!("{name}: {:.0} events/s, {:.2} of ndjson", 1.0 / seconds, lines / seconds);
    }
}
