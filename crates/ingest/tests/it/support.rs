//! Reads bodies and turns the columns back into events, so that tests can say what they expect.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tidegauge_ingest::{FieldGate, Limits, Malformed, Options, Outcome, Reader};
use tidegauge_model::columns::{Columns, Values};

/// When every test request arrives: 2026-11-15T00:00:00Z.
pub(crate) const ARRIVAL: i64 = 1_794_700_800_000_000_000;

pub(crate) type Event = BTreeMap<String, Cell>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(String),
    Array(String),
    Map(String),
    LongInteger(String),
}

pub(crate) fn text(text: &str) -> Cell {
    Cell::String(text.to_owned())
}

/// Admits every field, or all but some, and remembers what it was asked.
#[derive(Default)]
pub(crate) struct Gate {
    pub(crate) refuses: Vec<&'static str>,
    pub(crate) asked: RefCell<Vec<String>>,
    /// What it was told that it takes in any case.
    pub(crate) told: RefCell<Vec<&'static str>>,
}

impl FieldGate for Gate {
    fn admit(&self, field: &str) -> bool {
        self.asked.borrow_mut().push(field.to_owned());
        !self.refuses.contains(&field)
    }

    fn admit_always(&self, field: &'static str) {
        self.told.borrow_mut().push(field);
    }
}

#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) outcome: Outcome,
    pub(crate) times: Vec<i64>,
    pub(crate) events: Vec<Event>,
}

impl Read {
    /// The only event.
    pub(crate) fn event(&self) -> &Event {
        assert_eq!((self.events.len(), &self.outcome.failures), (1, &Vec::new()));
        &self.events[0]
    }

    /// The failure of the only event.
    pub(crate) fn failure(&self) -> &str {
        assert_eq!((self.events.len(), self.outcome.failed, self.outcome.failures.len()), (0, 1, 1));
        &self.outcome.failures[0].error
    }
}

pub(crate) fn read_with(
    reader: &mut Reader,
    options: Options,
    chunks: &[&[u8]],
    gate: &Gate,
) -> Result<Read, Malformed> {
    reader.begin(options, ARRIVAL);
    for chunk in chunks {
        reader.feed(chunk, gate)?;
    }
    let outcome = reader.finish(gate)?;
    let columns = reader.columns();
    check(columns);
    assert_eq!(outcome.ingested, columns.rows() as u64);
    Ok(Read { outcome, times: columns.times.clone(), events: events(columns) })
}

pub(crate) fn try_read(options: Options, body: impl AsRef<[u8]>) -> Result<Read, Malformed> {
    read_with(&mut Reader::new(Limits::default()), options, &[body.as_ref()], &Gate::default())
}

pub(crate) fn read_options(options: Options, body: impl AsRef<[u8]>) -> Read {
    try_read(options, body).expect("the body is well-formed")
}

pub(crate) fn read(body: impl AsRef<[u8]>) -> Read {
    read_options(Options::default(), body)
}

/// The fields of the only event of a body.
pub(crate) fn event(body: impl AsRef<[u8]>) -> Event {
    read(body).event().clone()
}

pub(crate) fn malformed(body: impl AsRef<[u8]>) -> Malformed {
    try_read(Options::default(), body).expect_err("the body is malformed")
}

pub(crate) fn named<const N: usize>(pairs: [(&str, Cell); N]) -> Event {
    pairs.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect()
}

/// What must hold for columns whatever was read.
fn check(columns: &Columns) {
    for column in &columns.columns {
        assert_eq!(column.rows.len(), column.values.len(), "{}", column.field);
        assert!(column.rows.is_sorted_by(|one, next| one < next), "{}", column.field);
        assert!(column.rows.last().is_none_or(|row| (*row as usize) < columns.rows()), "{}", column.field);
        if let Values::String(texts)
        | Values::Array(texts)
        | Values::Map(texts)
        | Values::LongInteger(texts) = &column.values
        {
            assert_eq!(texts.bytes.len(), texts.ends.last().map_or(0, |end| *end as usize));
        }
    }
}

pub(crate) fn events(columns: &Columns) -> Vec<Event> {
    let mut events = vec![Event::new(); columns.rows()];
    for column in &columns.columns {
        for (index, row) in column.rows.iter().enumerate() {
            let utf8 = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("texts are valid UTF-8");
            let cell = match &column.values {
                Values::Boolean(values) => Cell::Boolean(values[index]),
                Values::Integer(values) => Cell::Integer(values[index]),
                Values::Float(values) => Cell::Float(values[index]),
                Values::String(texts) => Cell::String(utf8(texts.get(index))),
                Values::Array(texts) => Cell::Array(utf8(texts.get(index))),
                Values::Map(texts) => Cell::Map(utf8(texts.get(index))),
                Values::LongInteger(texts) => Cell::LongInteger(utf8(texts.get(index))),
            };
            let before = events[*row as usize].insert(column.field.to_string(), cell);
            assert_eq!(before, None, "an event has one value for a field");
        }
    }
    events
}
