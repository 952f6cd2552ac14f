//! The reader of a dataset's bodies: hands the bytes to the format of the request and keeps, from request to
//! request, what it learnt about the fields and the memory of the columns.

pub(crate) mod position;

use tidegauge_model::columns::Columns;

use crate::csv::CsvStream;
use crate::events::Events;
use crate::json::Memory;
use crate::json::stream::{JsonStream, ReadContext};
use crate::limits::{FieldGate, Limits};
use crate::lines::LineStream;
use crate::options::{Format, Options};
use crate::outcome::{Malformed, Outcome};
use crate::rows::Rows;
use position::Position;

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Reads bodies one after the other: [`begin`](Self::begin), [`feed`](Self::feed) for each chunk,
/// [`finish`](Self::finish), then [`columns`](Self::columns).
#[derive(Debug)]
pub struct Reader {
    limits: Limits,
    options: Options,
    rows: Rows,
    memory: Memory,
    json: JsonStream,
    csv: CsvStream,
    lines: LineStream,
    /// How many bytes of a byte order mark the body began with; nothing once that is decided.
    mark: Option<usize>,
    /// Why the body cannot be taken. Said again to a caller that goes on.
    refused: Option<Malformed>,
}

impl Reader {
    pub fn new(limits: Limits) -> Self {
        Self {
            options: Options::default(),
            rows: Rows::new(limits.clone()),
            memory: Memory::default(),
            json: JsonStream::default(),
            csv: CsvStream::default(),
            lines: LineStream::default(),
            mark: Some(0),
            refused: None,
            limits,
        }
    }

    /// Forgets the events of the request before and prepares for the next. `arrival_ns` is the time of events that
    /// have none.
    pub fn begin(&mut self, options: Options, arrival_ns: i64) {
        if self.rows.fields_known() > self.limits.fields_kept_max {
            self.rows.forget_fields();
            self.memory.forget();
        }
        self.memory.begin(&options.map_fields);
        self.rows.begin(&options, arrival_ns);
        self.mark = Some(0);
        self.refused = None;
        self.options = options;
        self.start_format(Position::default());
    }

    fn start_format(&mut self, place: Position) {
        match self.options.format {
            Format::Json => self.json.begin(place),
            Format::Csv => self.csv.begin(&self.options, place),
            Format::Lines => self.lines.begin(place),
        }
    }

    /// Reads a piece of the body, cut anywhere. An error means that nothing of the body can be taken.
    pub fn feed(&mut self, bytes: &[u8], gate: &dyn FieldGate) -> Result<(), Malformed> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let mut bytes = bytes;
        if let Some(matched) = self.mark {
            let expected = &BYTE_ORDER_MARK[matched..];
            let same = bytes.iter().zip(expected).take_while(|(byte, mark)| byte == mark).count();
            let matched = matched + same;
            bytes = &bytes[same..];
            if matched == BYTE_ORDER_MARK.len() {
                self.mark = None;
                self.start_format(Position::after(&BYTE_ORDER_MARK));
            } else if bytes.is_empty() {
                self.mark = Some(matched);
            } else {
                self.mark = None;
                self.feed_format(&BYTE_ORDER_MARK[..matched], gate)?;
            }
        }
        self.feed_format(bytes, gate)
    }

    /// Ends the body. The events are in [`columns`](Self::columns) until the next [`begin`](Self::begin).
    pub fn finish(&mut self, gate: &dyn FieldGate) -> Result<Outcome, Malformed> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        if let Some(matched) = self.mark.take() {
            self.feed_format(&BYTE_ORDER_MARK[..matched], gate)?;
        }
        self.step(None, gate)?;
        Ok(self.rows.finish())
    }

    /// Takes the events of a protocol instead of a body: [`begin`](Self::begin), this, [`Events::finish`].
    pub fn events<'a>(&'a mut self, gate: &'a dyn FieldGate) -> Events<'a> {
        Events::new(ReadContext {
            options: &self.options,
            limits: &self.limits,
            memory: &mut self.memory,
            rows: &mut self.rows,
            gate,
        })
    }

    /// The events that were read. Empty after an error.
    pub fn columns(&self) -> &Columns {
        &self.rows.columns
    }

    /// How much memory this reader keeps, so that a pool can drop one that a large body has fattened.
    pub fn retained_bytes(&self) -> usize {
        self.rows.retained_bytes()
            + self.memory.retained_bytes()
            + self.json.retained_bytes()
            + self.csv.retained_bytes()
            + self.lines.retained_bytes()
    }

    fn feed_format(&mut self, bytes: &[u8], gate: &dyn FieldGate) -> Result<(), Malformed> {
        self.step(Some(bytes), gate)
    }

    /// Hands the format the next bytes, or the end of the body.
    fn step(&mut self, bytes: Option<&[u8]>, gate: &dyn FieldGate) -> Result<(), Malformed> {
        let mut around = ReadContext {
            options: &self.options,
            limits: &self.limits,
            memory: &mut self.memory,
            rows: &mut self.rows,
            gate,
        };
        let result = match (self.options.format, bytes) {
            (Format::Json, Some(bytes)) => self.json.feed(bytes, &mut around),
            (Format::Json, None) => self.json.finish(&mut around),
            (Format::Csv, Some(bytes)) => self.csv.feed(bytes, &mut around),
            (Format::Csv, None) => self.csv.finish(&mut around),
            (Format::Lines, Some(bytes)) => self.lines.feed(bytes, &mut around),
            (Format::Lines, None) => self.lines.finish(&mut around),
        };
        if let Err(malformed) = &result {
            self.refused = Some(malformed.clone());
            self.rows.discard();
        }
        result
    }
}
