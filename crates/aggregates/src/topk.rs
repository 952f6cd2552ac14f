//! The most frequent values, counted as `frequent` counts texts.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion_common::Result;

use super::frequent::{self, Count, Frequent};
use super::grouped::{Aggregate, Bytes, Rows, estimate_type, estimates, texts};
use super::state::StateReader;
use super::texts::Entry;

/// How many values are kept at least when some are given up.
const PLACES_MIN: usize = 1000;

/// How many values are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TopK {
    wanted: usize,
    places: usize,
}

impl TopK {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, places: PLACES_MIN.max(wanted.saturating_mul(10)) }
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
            groups[group].add(column.value(row), self.places, bytes);
        });
        Ok(())
    }

    fn merge(&self, group: &mut Frequent, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        group.merge(state, self.places, bytes)
    }

    fn write_state(&self, group: &mut Frequent, state: &mut Vec<u8>) {
        group.write(state);
    }

    fn evaluate(&self, groups: Vec<Frequent>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::new();
        let mut is_estimate = Vec::with_capacity(groups.len());
        for group in groups {
            let (mut entries, given_up) = group.take();
            entries
                .sort_unstable_by(|a, b| b.about.count.cmp(&a.about.count).then_with(|| a.text.cmp(&b.text)));
            entries.truncate(self.wanted);
            is_estimate.push(!frequent::is_exact(&entries, self.wanted, given_up));
            column.append_value(json(&entries));
        }
        estimates(Arc::new(column.finish()), is_estimate)
    }

    fn heap_bytes(group: &Frequent) -> usize {
        group.heap_bytes()
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
