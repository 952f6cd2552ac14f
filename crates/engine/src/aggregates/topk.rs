//! The most frequent values. Counts are exact while a group has few different values; above, the rare ones are given
//! up again and again, and a value that comes (back) later starts with the greatest count that was given up, as the
//! most it may have had before. That most is its error: its true count lies between `count - error` and `count`.
//! With places for C values no error is greater than the rows divided by C, in whatever order and parts they came;
//! which of the rare values are kept does depend on that. Very long texts leave fewer places.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion_common::Result;

use super::grouped::{Aggregate, Bytes, Rows, estimate_type, estimates, texts};
use super::state::{StateReader, write_number, write_text};
use super::texts::{Entry, Texts};

/// How many values are kept at least when some are given up.
const PLACES_MIN: usize = 1000;
/// How many bytes the texts of a group may have. Longer texts are given up earlier.
const TEXT_BYTES_MAX: usize = 4 << 20;

/// How many values are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TopK {
    wanted: usize,
    places: usize,
}

/// The values of a group.
#[derive(Debug, Default)]
pub(super) struct Frequent {
    texts: Texts<Count>,
    /// The most that a value which is not here may have been counted.
    given_up: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// At most so often.
    count: u64,
    /// How much of that may be too much.
    error: u64,
}

impl TopK {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, places: PLACES_MIN.max(wanted.saturating_mul(10)) }
    }

    fn must_give_up(&self, group: &Frequent) -> bool {
        group.texts.len() > self.places.saturating_mul(2) || group.texts.text_bytes() > TEXT_BYTES_MAX
    }

    /// Gives up the rarest values. Of equally rare ones it is a matter of their hash, which is as good as chance and
    /// cheaper to compare than the text.
    #[cold]
    fn give_up(&self, group: &mut Frequent) {
        let mut entries = group.texts.take();
        entries.sort_unstable_by_key(|entry| (Reverse(entry.about.count), entry.hash));
        let mut bytes = 0;
        let fitting = entries.iter().take_while(|entry| {
            bytes += entry.text.len();
            bytes <= TEXT_BYTES_MAX / 2
        });
        let kept = fitting.count().clamp(1, self.places);
        if let Some(rarer) = entries.get(kept) {
            group.given_up = group.given_up.max(rarer.about.count);
        }
        entries.truncate(kept);
        group.texts.fill(entries);
    }
}

impl Aggregate for TopK {
    type Group = Frequent;

    fn name(&self) -> &'static str {
        "topk"
    }

    fn output_type(&self) -> DataType {
        estimate_type(DataType::Utf8View)
    }

    fn update(
        &self,
        groups: &mut [Frequent],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let column = texts(inputs, 0)?;
        rows.for_each(column.nulls(), |row, group| {
            let group = &mut groups[group];
            let text = column.value(row);
            if let Some(about) = group.texts.get_mut(text) {
                about.count += 1;
                return;
            }
            let before = group.texts.heap_bytes();
            let error = group.given_up;
            group.texts.get_or_insert(text, Count { count: error + 1, error });
            if self.must_give_up(group) {
                self.give_up(group);
            }
            bytes.replace(before, group.texts.heap_bytes());
        });
        Ok(())
    }

    fn merge(&self, group: &mut Frequent, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        let before = group.texts.heap_bytes();
        let given_up = state.number()?;
        // What only one side has may have been given up by the other: everything is taken to be of that kind first,
        // and what proves to be on both sides is corrected.
        for entry in group.texts.entries_mut() {
            entry.about.count += given_up;
            entry.about.error += given_up;
        }
        let here = Count { count: group.given_up, error: group.given_up };
        while !state.is_at_end() {
            let text = state.text()?;
            let there = Count { count: state.number()?, error: state.number()? };
            let is_new = group.texts.get_mut(text).is_none();
            let about = group.texts.get_or_insert(text, here);
            about.count += there.count;
            about.error += there.error;
            if !is_new {
                about.count = about.count.saturating_sub(given_up);
                about.error = about.error.saturating_sub(given_up);
            }
        }
        group.given_up += given_up;
        if self.must_give_up(group) {
            self.give_up(group);
        }
        bytes.replace(before, group.texts.heap_bytes());
        Ok(())
    }

    fn write_state(&self, group: &mut Frequent, state: &mut Vec<u8>) {
        write_number(state, group.given_up);
        for entry in group.texts.entries() {
            write_text(state, &entry.text);
            write_number(state, entry.about.count);
            write_number(state, entry.about.error);
        }
    }

    fn evaluate(&self, groups: Vec<Frequent>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::new();
        let mut is_estimate = Vec::with_capacity(groups.len());
        for mut group in groups {
            let mut entries = group.texts.take();
            entries
                .sort_unstable_by(|a, b| b.about.count.cmp(&a.about.count).then_with(|| a.text.cmp(&b.text)));
            entries.truncate(self.wanted);
            let is_full = entries.len() == self.wanted;
            let least = entries.last().filter(|_| is_full).map_or(0, |entry| entry.about.count);
            let is_exact = entries.iter().all(|entry| entry.about.error == 0) && group.given_up <= least;
            is_estimate.push(!is_exact);
            column.append_value(json(&entries));
        }
        estimates(Arc::new(column.finish()), is_estimate)
    }

    fn heap_bytes(group: &Frequent) -> usize {
        group.texts.heap_bytes()
    }
}

fn json(entries: &[Entry<Count>]) -> String {
    let mut text = String::from("[");
    for (index, entry) in entries.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let Count { count, error } = entry.about;
        // Writing to a text cannot fail.
        let _ = write!(text, r#"{comma}{{"key":{},"count":{count},"error":{error}}}"#, entry.text);
    }
    text.push(']');
    text
}
