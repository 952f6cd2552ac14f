//! Reads requests and shows the events, so that tests can say what they expect; and writes protobuf and MessagePack.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use tidegauge_ingest::{Events, FieldGate, Limits, Options, Outcome, Reader};
use tidegauge_model::columns::{Columns, Values};
use tidegauge_protocols::Problem;

/// When every test request arrives: 2026-11-15T00:00:00Z.
pub(crate) const ARRIVAL: i64 = 1_794_700_800_000_000_000;

/// Admits every field but some.
#[derive(Default)]
pub(crate) struct Gate {
    pub(crate) refuses: Vec<&'static str>,
}

impl FieldGate for Gate {
    fn admit(&self, field: &str) -> bool {
        !self.refuses.contains(&field)
    }
}

/// Of a dataset that is full: takes what the layout of a protocol has and no other field, and remembers what that was.
#[derive(Default)]
pub(crate) struct Full {
    pub(crate) told: RefCell<BTreeSet<&'static str>>,
}

impl FieldGate for Full {
    fn admit(&self, _: &str) -> bool {
        false
    }

    fn admit_always(&self, field: &'static str) {
        self.told.borrow_mut().insert(field);
    }
}

#[derive(Debug)]
pub(crate) struct Read<T = ()> {
    pub(crate) told: T,
    pub(crate) outcome: Outcome,
    pub(crate) events: Vec<String>,
}

impl<T> Read<T> {
    /// The events without the names of their series, and these, of which each event has one.
    pub(crate) fn with_series(&self) -> (Vec<String>, Vec<String>) {
        let parted = self.events.iter().map(|event| {
            let start = event.find(" series=\"").expect("a point says which series it is of");
            let end = start + " series=\"0123456789abcdef\"".len();
            (format!("{}{}", &event[..start], &event[end..]), event[start + 9..end - 1].to_owned())
        });
        parted.unzip()
    }

    /// The events without the names of their series.
    pub(crate) fn without_series(&self) -> Vec<String> {
        self.with_series().0
    }
}

/// Reads a request with the usual limits, and shows each event as `@time field=value …`, fields in order of names. The
/// time is left out where it is that of the arrival.
pub(crate) fn read<T>(read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem>) -> Result<Read<T>, Problem> {
    read_with(Limits::default(), Options::default(), &Gate::default(), read)
}

pub(crate) fn read_with<T>(
    limits: Limits,
    options: Options,
    gate: &dyn FieldGate,
    read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem>,
) -> Result<Read<T>, Problem> {
    let mut reader = Reader::new(limits);
    reader.begin(options, ARRIVAL);
    let mut room = |_: usize| true;
    let read = tidegauge_protocols::take(&mut reader, gate, &mut room, read);
    let columns = reader.columns();
    check(columns);
    match read {
        Ok((told, outcome)) => {
            assert_eq!(outcome.ingested, columns.rows() as u64);
            Ok(Read { told, outcome, events: shown(columns) })
        }
        Err(problem) => {
            assert_eq!(columns.rows(), 0, "nothing is left of a request that is refused");
            Err(problem)
        }
    }
}

/// What must hold for columns whatever was read.
fn check(columns: &Columns) {
    for column in &columns.columns {
        assert_eq!(column.rows.len(), column.values.len(), "{}", column.field);
        assert!(column.rows.is_sorted_by(|one, next| one < next), "{}", column.field);
        assert!(column.rows.last().is_none_or(|row| (*row as usize) < columns.rows()), "{}", column.field);
    }
}

fn shown(columns: &Columns) -> Vec<String> {
    let mut events: Vec<BTreeMap<String, String>> = vec![BTreeMap::new(); columns.rows()];
    for column in &columns.columns {
        for (index, row) in column.rows.iter().enumerate() {
            let utf8 = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("texts are valid UTF-8");
            let text = match &column.values {
                Values::Boolean(values) => values[index].to_string(),
                Values::Integer(values) => values[index].to_string(),
                Values::Float(values) => format!("{:?}", values[index]),
                Values::String(texts) => format!("{:?}", utf8(texts.get(index))),
                Values::Array(texts) | Values::LongInteger(texts) => utf8(texts.get(index)),
                Values::Map(texts) => format!("map{}", utf8(texts.get(index))),
            };
            let before = events[*row as usize].insert(column.field.to_string(), text);
            assert_eq!(before, None, "an event has one value for a field");
        }
    }
    let times = columns.times.iter().map(|time| match *time {
        ARRIVAL => String::new(),
        time => format!("@{time}"),
    });
    let texts = events.iter().zip(times).map(|(event, time)| {
        let fields = event.iter().map(|(name, value)| format!("{name}={value}"));
        let parts: Vec<String> = std::iter::once(time).filter(|it| !it.is_empty()).chain(fields).collect();
        parts.join(" ")
    });
    texts.collect()
}

/// A protobuf message by its fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proto(pub(crate) Vec<u8>);

impl Proto {
    fn number(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    pub(crate) fn varint(self, field: u32, value: u64) -> Self {
        self.number(u64::from(field) << 3).number(value)
    }

    pub(crate) fn zigzag(self, field: u32, value: i64) -> Self {
        self.varint(field, ((value << 1) ^ (value >> 63)) as u64)
    }

    pub(crate) fn fixed64(self, field: u32, value: u64) -> Self {
        let mut message = self.number(u64::from(field) << 3 | 1);
        message.0.extend_from_slice(&value.to_le_bytes());
        message
    }

    pub(crate) fn double(self, field: u32, value: f64) -> Self {
        self.fixed64(field, value.to_bits())
    }

    pub(crate) fn fixed32(self, field: u32, value: u32) -> Self {
        let mut message = self.number(u64::from(field) << 3 | 5);
        message.0.extend_from_slice(&value.to_le_bytes());
        message
    }

    pub(crate) fn bytes(self, field: u32, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut message = self.number(u64::from(field) << 3 | 2).number(bytes.len() as u64);
        message.0.extend_from_slice(bytes);
        message
    }

    pub(crate) fn message(self, field: u32, inner: Self) -> Self {
        self.bytes(field, inner.0)
    }
}

/// A value of OTLP that is a text.
pub(crate) fn any_text(text: &str) -> Proto {
    Proto::default().bytes(1, text)
}

/// A pair of OTLP.
pub(crate) fn pair(name: &str, value: Proto) -> Proto {
    Proto::default().bytes(1, name).message(2, value)
}

/// A request of OTLP with one resource, one scope, and in it messages.
pub(crate) fn otlp_request(messages: impl IntoIterator<Item = Proto>) -> Vec<u8> {
    let resource = Proto::default()
        .message(1, pair("service.name", any_text("shop")))
        .message(1, pair("host.name", any_text("h1")))
        .message(1, pair("mine", any_text("x")));
    let scope = Proto::default().bytes(1, "lib").bytes(2, "1.0");
    let scoped = messages.into_iter().fold(Proto::default().message(1, scope), |all, it| all.message(2, it));
    Proto::default().message(1, Proto::default().message(1, resource).message(2, scoped)).0
}

/// What [`otlp_request`] puts into each event, as it is shown: before and behind names that begin with `r`.
pub(crate) const ORIGIN: &str = "resource.custom=map{\"mine\":\"x\"} resource.host.name=\"h1\" \
    scope.name=\"lib\" scope.version=\"1.0\" service.name=\"shop\"";
