//! The way in for what is neither JSON nor CSV nor lines: whoever knows a protocol hands over the values of one event
//! after the other, and they become columns by the rules that hold for bodies. Values that are JSON inside of another
//! form are read here as well, so that there is one reader of JSON.

use std::fmt;

use crate::json::cursor::{Cursor, Stop};
use crate::json::stream::ReadContext;
use crate::json::walk::InvalidJson;
use crate::json::{EventReader, add_labels};
use crate::limits::Limits;
use crate::outcome::{Failure, Outcome};

/// Where the text of a time goes that cannot be read, if the event is to have the time of its arrival then.
pub const UNREADABLE_TIME: &str = "unreadable_time";

/// How far the events of a request grow before it is asked again whether there is room.
const LOOK_BYTES: usize = 64 << 10;

/// A field of the dataset. Good for the request in which it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field(u32);

/// Why a request must not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Overflow {
    #[error("the events up to here are too many or too large together; send the rest apart")]
    TooLarge,
    #[error("more events come in than can be read at once: try again")]
    NoRoom,
}

/// Says whether there is room for as many bytes as the events of a request have come to take.
pub type Room<'a> = &'a mut dyn FnMut(usize) -> bool;

/// The events of one request while they are handed over: [`start`](Self::start), values, [`end`](Self::end).
pub struct Events<'a> {
    pub(crate) around: ReadContext<'a>,
    pub(crate) room: Option<Room<'a>>,
    pub(crate) next_look: usize,
    /// What reading the request takes at once beside its events.
    beside: usize,
    /// An event was started and not ended.
    is_open: bool,
    /// Whether an event with a time that cannot be read has that of its arrival.
    pub(crate) takes_unreadable_times: bool,
}

impl<'a> Events<'a> {
    pub(crate) fn new(around: ReadContext<'a>) -> Self {
        Self {
            around,
            room: None,
            next_look: LOOK_BYTES,
            beside: 0,
            is_open: false,
            takes_unreadable_times: false,
        }
    }

    /// Asks for room as the events grow.
    pub fn within(self, room: Room<'a>) -> Self {
        Self { room: Some(room), ..self }
    }

    /// From here on an event whose time cannot be read has that of its arrival and keeps the text of its own in
    /// [`UNREADABLE_TIME`]: for senders that cannot mend it.
    pub fn take_unreadable_times(&mut self) {
        self.takes_unreadable_times = true;
    }

    /// Asks for room for so much as reading the request takes at once beside its events, before it is taken: a small
    /// request may unfold to much. The most that was asked for counts until the request ends.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Overflow> {
        if bytes <= self.beside {
            return Ok(());
        }
        self.beside = bytes;
        self.ask()
    }

    fn ask(&mut self) -> Result<(), Overflow> {
        let bytes = self.around.rows.bytes().saturating_add(self.beside);
        let has_room = self.room.as_mut().is_none_or(|room| room(bytes));
        if has_room { Ok(()) } else { Err(Overflow::NoRoom) }
    }

    pub fn limits(&self) -> &Limits {
        self.around.limits
    }

    pub fn arrival_ns(&self) -> i64 {
        self.around.rows.arrival_ns()
    }

    /// How many events were ended, failed ones included.
    pub fn ended(&self) -> u64 {
        self.around.rows.events()
    }

    pub fn failed(&self) -> u64 {
        self.around.rows.outcome().failed
    }

    /// The first failures so far, as many as the limits list.
    pub fn failures(&self) -> &[Failure] {
        &self.around.rows.outcome().failures
    }

    /// Begins an event. One that was begun and not ended leaves no trace.
    pub fn start(&mut self) {
        self.abandon();
        self.is_open = true;
        self.around.rows.start_event();
    }

    /// Adds the labels of the request and counts the event; `false` if it failed.
    pub fn end(&mut self) -> Result<bool, Overflow> {
        if let Some(labels) = &self.around.options.labels {
            let around = &mut self.around;
            add_labels(labels, around.memory, around.rows, around.limits, around.gate);
        }
        if self.takes_unreadable_times
            && let Some(text) = self.around.rows.forgive_time()
            && let Some(field) = self.layout_field(UNREADABLE_TIME)
        {
            self.string(field, &text);
        }
        self.is_open = false;
        let stored = self.around.rows.end_event();
        if self.around.rows.is_too_large() {
            return Err(Overflow::TooLarge);
        }
        let bytes = self.around.rows.bytes();
        if bytes >= self.next_look {
            self.next_look = bytes + LOOK_BYTES;
            self.ask()?;
        }
        Ok(stored)
    }

    /// Makes the event in hand fail. The first reason is kept.
    pub fn fail(&mut self, reason: impl FnOnce() -> String) {
        self.around.rows.fail(reason);
    }

    pub fn is_failing(&self) -> bool {
        self.around.rows.is_failing()
    }

    /// Whether an event of so many bytes is within the limit; it fails otherwise.
    pub fn fits(&mut self, bytes: usize) -> bool {
        let limit = self.around.limits.event_bytes_max;
        if bytes > limit {
            self.fail(|| format!("it is larger than {limit} bytes; send smaller events"));
        }
        bytes <= limit
    }

    /// The field of a flattened name. If the dataset does not take it, the event in hand fails.
    pub fn field(&mut self, name: &str) -> Option<Field> {
        self.around.rows.resolve(name, self.around.gate).map(Field)
    }

    /// The same for who has another place for the value if the dataset does not take the field.
    pub fn admitted(&mut self, name: &str) -> Option<Field> {
        self.around.rows.resolve_quietly(name, self.around.gate).map(Field)
    }

    /// A field that the layout of a protocol has, under a name that no sender chose: a dataset takes it though it is full.
    /// Nothing if the event in hand fails anyway.
    pub fn layout_field(&mut self, name: &'static str) -> Option<Field> {
        self.around.rows.resolve_always(name, self.around.gate).map(Field)
    }

    /// Whether objects under a flattened name are kept as maps.
    pub fn is_map(&self, name: &str) -> bool {
        self.around.memory.is_map(name)
    }

    /// The time of the event, unless the request names a field for it that the event has.
    pub fn time(&mut self, nanoseconds: i64) {
        self.around.rows.time_at(nanoseconds);
    }

    /// The same as it is written: in any form in which events may have it.
    pub fn time_text(&mut self, text: &str) {
        self.around.rows.time_text(text.as_bytes());
    }

    pub fn boolean(&mut self, field: Field, value: bool) {
        self.around.rows.boolean(field.0, value);
    }

    pub fn integer(&mut self, field: Field, value: i64) {
        self.around.rows.integer(field.0, value);
    }

    pub fn unsigned(&mut self, field: Field, value: u64) {
        match i64::try_from(value) {
            Ok(value) => self.integer(field, value),
            Err(_) => self.around.rows.long_integer(field.0, value as f64, value.to_string().as_bytes()),
        }
    }

    /// What is no number is kept as the text that protobuf has for it in JSON.
    pub fn float(&mut self, field: Field, value: f64) {
        match not_finite(value) {
            Some(word) => self.string(field, word),
            None => self.around.rows.float(field.0, value, b""),
        }
    }

    pub fn string(&mut self, field: Field, text: &str) {
        self.around.rows.string(field.0, text.as_bytes());
    }

    /// The JSON text of an array, without insignificant whitespace.
    pub fn array(&mut self, field: Field, text: &str) {
        self.around.rows.array(field.0, text.as_bytes());
    }

    /// The JSON text of an object, without insignificant whitespace. An empty one leaves no trace.
    pub fn map(&mut self, field: Field, text: &str) {
        if text == "{}" {
            self.around.rows.null(field.0)
        } else {
            self.around.rows.map(field.0, text.as_bytes())
        }
    }

    /// The members of a JSON object become fields of the event in hand, as those of an event in a body do.
    pub fn json_object(&mut self, text: &[u8]) -> Result<(), InvalidJson> {
        if !self.fits(text.len()) {
            return Ok(());
        }
        self.read_json(text, |reader| match reader.cursor.next_significant()? {
            b'{' => reader.event(b'{'),
            _ => Err(Stop::Malformed("expected an object")),
        })
    }

    /// A JSON value becomes the value of a flattened name, an object those of the names below it.
    pub fn json(&mut self, name: &str, text: &[u8]) -> Result<(), InvalidJson> {
        if !self.fits(text.len()) {
            return Ok(());
        }
        self.read_json(text, |reader| reader.named(name))
    }

    fn read_json(
        &mut self,
        text: &[u8],
        read: impl FnOnce(&mut EventReader<'_, '_>) -> Result<(), Stop>,
    ) -> Result<(), InvalidJson> {
        let around = &mut self.around;
        let mut reader = EventReader {
            cursor: Cursor::new(text, true),
            clean: simdutf8::basic::from_utf8(text).is_ok(),
            memory: &mut *around.memory,
            rows: &mut *around.rows,
            limits: around.limits,
            gate: around.gate,
        };
        let result = read(&mut reader);
        let mut cursor = reader.cursor;
        result.map_err(|stop| InvalidJson::at(&cursor, stop))?;
        cursor.skip_whitespace();
        if cursor.position < text.len() {
            return Err(InvalidJson::at(&cursor, Stop::Malformed("there is more after the value")));
        }
        Ok(())
    }

    /// Ends the request. The events are in the columns of the reader until it begins the next.
    pub fn finish(mut self) -> Outcome {
        self.abandon();
        self.around.rows.finish()
    }

    fn abandon(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.around.rows.abandon_event();
        }
    }

    /// Ends the request without its events.
    pub fn discard(self) {
        self.around.rows.discard();
    }
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Events").field("ended", &self.ended()).finish_non_exhaustive()
    }
}

/// The word for a float that is no number or infinite.
pub fn not_finite(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_finite() => None,
        _ if value.is_nan() => Some("NaN"),
        _ if value > 0.0 => Some("Infinity"),
        _ => Some("-Infinity"),
    }
}
