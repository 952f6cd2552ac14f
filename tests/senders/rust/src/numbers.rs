//! Numbers in batches, as they are asked for on the input, by one exporter. For each number a line tells what became of it:
//! `stored N` or `lost N`.

use std::io::Write;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::logs::{LogRecord, Logger, LoggerProvider};
use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::{Span, Tracer, TracerProvider};
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::SdkTracerProvider;

use crate::exporters::{self, Place, Transport};
use crate::noting::{Note, Noting};

/// A provider is asked for a batch at once. What it answers does not matter, because the exporter's own answer is noted.
type Hand = Box<dyn FnMut(std::ops::Range<u64>)>;

pub fn send(to: &Place, kind: &str) {
    let (notes, noted) = mpsc::channel::<Note>();
    let mut hand = match kind {
        "logs" => logs(to, notes),
        "spans" => spans(to, notes),
        "metrics" => metrics(to, notes),
        other => panic!("unknown kind: {other}"),
    };
    for line in std::io::stdin().lines() {
        let line = line.expect("a line");
        let (begin, count) = line.split_once(' ').expect("two numbers");
        let (begin, count): (u64, u64) = (begin.parse().expect("a number"), count.parse().expect("a number"));
        hand(begin..begin + count);
        let mut left = count;
        while left > 0 {
            let (numbers, is_stored) = noted.recv().expect("the exporter is there");
            left -= numbers.len() as u64;
            let mut out = std::io::stdout().lock();
            for number in numbers {
                writeln!(out, "{} {number}", if is_stored { "stored" } else { "lost" }).expect("a reader");
            }
            out.flush().expect("a reader");
        }
    }
}

fn noting<E>(to: &Place, exporter: E, notes: Sender<Note>) -> Noting<E> {
    Noting { exporter, notes, asks_again: to.transport == Transport::Grpc }
}

fn logs(to: &Place, notes: Sender<Note>) -> Hand {
    let provider =
        SdkLoggerProvider::builder().with_batch_exporter(noting(to, exporters::logs(to), notes)).build();
    let logger = provider.logger("shop");
    Box::new(move |numbers| {
        for n in numbers {
            let mut record = logger.create_log_record();
            record.set_body(n.to_string().into());
            logger.emit(record);
        }
        let _ = provider.force_flush();
    })
}

fn spans(to: &Place, notes: Sender<Note>) -> Hand {
    let provider =
        SdkTracerProvider::builder().with_batch_exporter(noting(to, exporters::spans(to), notes)).build();
    let tracer = provider.tracer("shop");
    Box::new(move |numbers| {
        for n in numbers {
            tracer.start(n.to_string()).end();
        }
        let _ = provider.force_flush();
    })
}

/// Each number is the value of a gauge; there are as many gauges as numbers come together.
fn metrics(to: &Place, notes: Sender<Note>) -> Hand {
    let exporter = noting(to, exporters::metrics(to), notes);
    let reader = PeriodicReader::builder(exporter).with_interval(Duration::from_secs(3600)).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    let upcoming = Arc::new(Mutex::new(0..0));
    let taken = Arc::clone(&upcoming);
    let meter = provider.meter("shop");
    // It stays registered without being held.
    let _ = meter
        .u64_observable_gauge("numbers")
        .with_callback(move |observer| {
            let numbers = std::mem::replace(&mut *taken.lock().expect("no thread failed"), 0..0);
            for (place, n) in numbers.enumerate() {
                observer.observe(n, &[KeyValue::new("place", place as i64)]);
            }
        })
        .build();
    Box::new(move |numbers| {
        *upcoming.lock().expect("no thread failed") = numbers;
        let _ = provider.force_flush();
    })
}
