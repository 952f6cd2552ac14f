//! The value that stands beside the least or the greatest key. Rows without a key, and keys that are not a number,
//! lose against all others, or are left out. Of equal keys the smaller text wins, and a text wins over none, so that
//! the answer does not depend on the order of the rows; where rows have an order of their own, the first one wins.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_schema::{DataType, TimeUnit};
use datafusion_common::Result;

use super::grouped::{Aggregate, Bytes, Rows, texts, wrong_input};
use super::state::{StateReader, damaged, write_text, write_word};

/// Which row is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arg {
    pub(super) is_max: bool,
    /// Whether a row without a key is better than none.
    pub(super) has_rows_without_key: bool,
    /// Whether the first of rows with equal keys wins.
    pub(super) is_first: bool,
}

/// The best row of a group so far.
#[derive(Debug, Default)]
pub(super) struct Best {
    key: Key,
    has_payload: bool,
    payload: String,
}

#[derive(Debug, Default)]
enum Key {
    #[default]
    None,
    /// Whole numbers, fractions, times and truth values as numbers in the same order.
    Number(u64),
    Text(String),
}

impl Arg {
    /// Whether a key with a payload is better than what there is.
    fn is_better(self, keys: Ordering, payload: Option<&str>, best: &Best) -> bool {
        let keys = if self.is_max { keys } else { keys.reverse() };
        if self.is_first {
            return keys.is_gt();
        }
        keys.then_with(|| match (payload, best.payload()) {
            (Some(new), Some(old)) => old.cmp(new),
            (new, old) => new.is_some().cmp(&old.is_some()),
        })
        .is_gt()
    }

    fn offer_number(self, best: &mut Best, key: u64, payload: Option<&str>, bytes: &mut Bytes) {
        let order = match &best.key {
            Key::Number(old) => key.cmp(old),
            _ => return best.replace(Key::Number(key), payload, bytes),
        };
        if self.is_better(order, payload, best) {
            best.replace(Key::Number(key), payload, bytes);
        }
    }

    /// A row without a key, which loses against all that have one.
    fn offer_without_key(self, best: &mut Best, payload: Option<&str>, bytes: &mut Bytes) {
        let is_wanted = self.has_rows_without_key && matches!(best.key, Key::None);
        if is_wanted && (!best.has_payload || self.is_better(Ordering::Equal, payload, best)) {
            best.replace(Key::None, payload, bytes);
        }
    }

    fn offer_text(self, best: &mut Best, key: &str, payload: Option<&str>, bytes: &mut Bytes) {
        let is_better = match &best.key {
            Key::Text(old) => self.is_better(key.cmp(old), payload, best),
            _ => true,
        };
        if is_better {
            best.replace(Key::Text(key.to_owned()), payload, bytes);
        }
    }

    fn update_numbers(
        self,
        groups: &mut [Best],
        key: impl Fn(usize) -> Option<u64>,
        keys: &ArrayRef,
        payloads: &StringViewArray,
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) {
        let nulls = keys.nulls().filter(|_| !self.has_rows_without_key);
        rows.for_each(nulls, |row, group| {
            let payload = payloads.is_valid(row).then(|| payloads.value(row));
            match key(row).filter(|_| keys.is_valid(row)) {
                Some(key) => self.offer_number(&mut groups[group], key, payload, bytes),
                None => self.offer_without_key(&mut groups[group], payload, bytes),
            }
        });
    }
}

impl Best {
    fn payload(&self) -> Option<&str> {
        self.has_payload.then_some(self.payload.as_str())
    }

    /// The memory of the old payload is used again, since keys that rise with time are replaced row by row.
    fn replace(&mut self, key: Key, payload: Option<&str>, bytes: &mut Bytes) {
        let before = self.heap_bytes();
        self.key = key;
        self.has_payload = payload.is_some();
        self.payload.clear();
        self.payload.push_str(payload.unwrap_or_default());
        bytes.replace(before, self.heap_bytes());
    }

    fn heap_bytes(&self) -> usize {
        let key = if let Key::Text(text) = &self.key { text.capacity() } else { 0 };
        key + self.payload.capacity()
    }
}

impl Aggregate for Arg {
    type Group = Best;

    fn name(&self) -> &'static str {
        if self.is_max { "argmax" } else { "argmin" }
    }

    fn output_type(&self) -> DataType {
        DataType::Utf8View
    }

    fn update(
        &self,
        groups: &mut [Best],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let keys = &inputs[0];
        let payloads = texts(inputs, 1)?;
        match keys.data_type() {
            DataType::Int64 => {
                let values = keys.as_primitive::<Int64Type>().values();
                self.update_numbers(groups, |row| Some(rank(values[row])), keys, payloads, rows, bytes);
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                let values = keys.as_primitive::<TimestampNanosecondType>().values();
                self.update_numbers(groups, |row| Some(rank(values[row])), keys, payloads, rows, bytes);
            }
            DataType::Float64 => {
                let values = keys.as_primitive::<Float64Type>().values();
                self.update_numbers(groups, |row| float_rank(values[row]), keys, payloads, rows, bytes);
            }
            DataType::Boolean => {
                let values = keys.as_boolean();
                let key = |row| Some(u64::from(values.value(row)));
                self.update_numbers(groups, key, keys, payloads, rows, bytes);
            }
            DataType::Utf8View => {
                let values = keys.as_string_view();
                let nulls = values.nulls().filter(|_| !self.has_rows_without_key);
                rows.for_each(nulls, |row, group| {
                    let payload = payloads.is_valid(row).then(|| payloads.value(row));
                    if values.is_valid(row) {
                        self.offer_text(&mut groups[group], values.value(row), payload, bytes);
                    } else {
                        self.offer_without_key(&mut groups[group], payload, bytes);
                    }
                });
            }
            other => return Err(wrong_input(other, "Int64, Float64, Boolean or Utf8View")),
        }
        Ok(())
    }

    fn merge(&self, group: &mut Best, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        let kind = state.byte()?;
        if kind == 0 {
            return Ok(());
        }
        let payload = if state.byte()? == 1 { Some(state.text()?) } else { None };
        match kind {
            1 => self.offer_number(group, state.word()?, payload, bytes),
            2 => self.offer_text(group, state.text()?, payload, bytes),
            3 => self.offer_without_key(group, payload, bytes),
            _ => return Err(damaged()),
        }
        Ok(())
    }

    fn write_state(&self, group: &mut Best, state: &mut Vec<u8>) {
        state.push(match &group.key {
            Key::None if !group.has_payload => return state.push(0),
            Key::None => 3,
            Key::Number(_) => 1,
            Key::Text(_) => 2,
        });
        state.push(u8::from(group.has_payload));
        if let Some(payload) = group.payload() {
            write_text(state, payload);
        }
        match &group.key {
            Key::None => {}
            Key::Number(key) => write_word(state, *key),
            Key::Text(key) => write_text(state, key),
        }
    }

    fn evaluate(&self, groups: Vec<Best>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::with_capacity(groups.len());
        groups.iter().for_each(|group| column.append_option(group.payload()));
        Ok(Arc::new(column.finish()))
    }

    fn heap_bytes(group: &Best) -> usize {
        group.heap_bytes()
    }
}

/// A number whose order without signs is that of the number with its sign.
fn rank(value: i64) -> u64 {
    value as u64 ^ (1 << 63)
}

fn float_rank(value: f64) -> Option<u64> {
    // Adding zero makes the two zeros one.
    let bits = (value + 0.0).to_bits();
    let rank = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    (!value.is_nan()).then_some(rank)
}
