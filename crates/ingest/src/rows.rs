//! The events of a request while they are read: appends the values of one event to the typed columns and takes them
//! back when the event fails or was cut by the end of a chunk. Knows the fields of the dataset and which of them
//! hold a time. How values are written in a body is left to the formats.

mod append;
mod field;
mod fields;
mod placeholders;

use std::sync::Arc;

use hashbrown::HashMap;
use tidegauge_model::columns::{Columns, Texts, Values};

use crate::limits::Limits;
use crate::options::Options;
use crate::outcome::{Failure, Outcome, Replaced};
use crate::time::{EventTime, TimeRule, TimeValue};
use field::Field;

pub(crate) use fields::stored_name;
pub(crate) use placeholders::{INVALID, NONE, TOO_LONG};

#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) columns: Columns,
    fields: Vec<Field>,
    by_name: HashMap<Arc<str>, u32>,
    /// Columns that the event in hand has a value in. May name a column twice, or one whose value was replaced.
    touched: Vec<u32>,
    /// Differs for each try to read an event, so that a field knows whether the event already has it.
    stamp: u64,
    /// About how much memory the values of this request take.
    bytes: usize,
    /// The same before the event in hand.
    bytes_before: usize,
    replaced_before: Replaced,
    failure: Option<String>,
    time: EventTime,
    time_rule: TimeRule,
    /// Fields admitted by this request that no finished request has stored yet.
    unsettled: Vec<u32>,
    outcome: Outcome,
    limits: Limits,
}

impl Rows {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            columns: Columns::default(),
            fields: Vec::new(),
            by_name: HashMap::new(),
            touched: Vec::new(),
            stamp: 0,
            bytes: 0,
            bytes_before: 0,
            replaced_before: Replaced::default(),
            failure: None,
            time: EventTime::default(),
            time_rule: TimeRule::default(),
            unsettled: Vec::new(),
            outcome: Outcome::default(),
            limits,
        }
    }

    /// Forgets the events of the request before. The fields stay known.
    pub(crate) fn begin(&mut self, options: &Options, arrival_ns: i64) {
        self.discard();
        self.time_rule = TimeRule { arrival_ns, layout: options.timestamp_format.clone() };
        self.assign_time_fields(options.timestamp_field.as_deref());
    }

    /// Drops what was read, as when the rest of the body is malformed.
    pub(crate) fn discard(&mut self) {
        self.columns.clear();
        self.touched.clear();
        self.bytes = 0;
        self.failure = None;
        self.outcome = Outcome::default();
        self.withdraw_unsettled();
    }

    pub(crate) fn fields_known(&self) -> usize {
        self.fields.len()
    }

    pub(crate) fn forget_fields(&mut self) {
        self.columns = Columns::default();
        self.fields = Vec::new();
        self.by_name = HashMap::new();
        self.unsettled.clear();
    }

    pub(crate) fn arrival_ns(&self) -> i64 {
        self.time_rule.arrival_ns
    }

    pub(crate) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// About how much memory the values take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many events were read, failed ones included.
    pub(crate) fn events(&self) -> u64 {
        self.outcome.ingested + self.outcome.failed
    }

    pub(crate) fn start_event(&mut self) {
        self.stamp += 1;
        self.bytes_before = self.bytes;
        self.replaced_before = self.outcome.replaced;
        self.touched.clear();
        self.failure = None;
        self.time.clear();
    }

    /// Takes back the values of the event in hand.
    pub(crate) fn abandon_event(&mut self) {
        self.bytes = self.bytes_before;
        self.outcome.replaced = self.replaced_before;
        let row = self.columns.times.len() as u32;
        for column in self.touched.drain(..) {
            let column = &mut self.columns.columns[column as usize];
            if column.rows.last() == Some(&row) {
                column.rows.pop();
                let len = column.rows.len();
                column.values.truncate(len);
            }
        }
    }

    /// Marks the event in hand as failed. The first reason is kept.
    pub(crate) fn fail(&mut self, reason: impl FnOnce() -> String) {
        if self.failure.is_none() {
            self.failure = Some(format!("event fails: {}", reason()));
        }
    }

    /// Notes that values of the event in hand are stored as something else than was sent.
    pub(crate) fn replace(&mut self, replaced: Replaced) {
        self.outcome.replaced.add(replaced);
    }

    pub(crate) fn is_failing(&self) -> bool {
        self.failure.is_some()
    }

    /// The event in hand is a line of text, which may begin with its time.
    pub(crate) fn leading_time(&mut self, line: &[u8]) {
        self.time.set_leading(line, &self.time_rule);
    }

    /// The time of the event in hand, for which it has no field.
    pub(crate) fn time_at(&mut self, nanoseconds: i64) {
        self.time.set_at(nanoseconds);
    }

    pub(crate) fn time_text(&mut self, text: &[u8]) {
        self.time.set(false, TimeValue::Text(text), &self.time_rule);
    }

    /// What a time of the event in hand that cannot be read looks like; the event does not fail because of it.
    pub(crate) fn forgive_time(&mut self) -> Option<String> {
        if self.is_failing() { None } else { self.time.forgive() }
    }

    /// Counts the event in hand, as ingested or as failed, and says which.
    pub(crate) fn end_event(&mut self) -> bool {
        if self.failure.is_none() {
            let is_named = self.time.is_named();
            match self.time.resolve(self.time_rule.arrival_ns) {
                Ok(time) => {
                    self.columns.times.push(time);
                    self.bytes += size_of::<i64>();
                    self.outcome.ingested += 1;
                    self.outcome.with_time_field += u64::from(is_named);
                    return true;
                }
                Err(reason) => self.fail(|| reason),
            }
        }
        self.abandon_event();
        let index = self.events();
        self.outcome.failed += 1;
        if let Some(error) = self.failure.take()
            && self.outcome.failures.len() < self.limits.failures_listed_max
        {
            self.outcome.failures.push(Failure { index, error });
        }
        false
    }

    /// Whether the events outgrew their bound. Rows and ends of texts are counted in 32 bits.
    pub(crate) fn is_too_large(&self) -> bool {
        self.bytes > self.limits.columns_bytes_max.min(u32::MAX as usize / 2)
            || self.columns.times.len() > self.limits.events_max
    }

    pub(crate) fn finish(&mut self) -> Outcome {
        self.settle();
        std::mem::take(&mut self.outcome)
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        let columns: usize = self
            .columns
            .columns
            .iter()
            .map(|column| column.rows.capacity() * size_of::<u32>() + capacity_bytes(&column.values))
            .sum();
        let names: usize = self.fields.iter().map(|field| field.name.len() + size_of::<Field>()).sum();
        columns + names + self.columns.times.capacity() * size_of::<i64>()
    }
}

fn capacity_bytes(values: &Values) -> usize {
    let texts = |texts: &Texts| texts.ends.capacity() * size_of::<u32>() + texts.bytes.capacity();
    match values {
        Values::Boolean(values) => values.capacity(),
        Values::Integer(values) => values.capacity() * size_of::<i64>(),
        Values::Float(values) => values.capacity() * size_of::<f64>(),
        Values::String(values)
        | Values::Array(values)
        | Values::Map(values)
        | Values::LongInteger(values) => texts(values),
    }
}
