//! What distinguishes the rows that a condition is true for from the others: for each field the values of both kinds of
//! rows are kept, and compared when all rows have come. What is kept of a field is left to `field`, how kinds are
//! compared to `compare`.

mod compare;
mod field;
mod sides;
mod statistics;

use std::mem::size_of;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion_common::Result;
use tidegauge_exec::kernels::json;
use tidegauge_exec::{Message, Notices};

use self::compare::{Comparison, DIFFERENCES_MAX};
use self::field::FieldValues;
use self::sides::Sides;
use super::grouped::{Aggregate, Bytes, Rows, estimate_type, estimates, texts, wrong_input};
use super::state::{StateReader, write_number};

/// With less rows of a kind nothing can be told.
const ROWS_MIN: u64 = 6;

/// The names of the fields that are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spotlight {
    fields: Arc<[String]>,
    notices: Notices,
}

/// The rows of a group.
#[derive(Debug, Default)]
pub(super) struct Compared {
    rows: Sides,
    /// None before the first row.
    fields: Vec<FieldValues>,
}

impl Spotlight {
    pub(super) fn new(fields: &[String], notices: Notices) -> Self {
        Self { fields: fields.into(), notices }
    }

    fn make_fields(&self, group: &mut Compared, bytes: &mut Bytes) {
        if group.fields.is_empty() {
            group.fields.resize_with(self.fields.len(), FieldValues::default);
            bytes.replace(0, group.fields.capacity() * size_of::<FieldValues>());
        }
    }

    fn answer(&self, group: Compared) -> String {
        if group.rows.iter().any(|count| *count < ROWS_MIN) {
            return "[]".to_owned();
        }
        if let Some(limit) = group.fields.iter().find_map(FieldValues::exceeded_bytes) {
            self.tell_of_cut(limit, "bytes for a value");
        }
        let compared = self.fields.iter().zip(group.fields);
        let mut comparisons: Vec<Comparison> =
            compared.map(|(name, values)| Comparison::new(name, values, group.rows)).collect();
        comparisons.sort_by(Comparison::order);
        if comparisons.iter().any(Comparison::has_more) {
            self.tell_of_cut(DIFFERENCES_MAX, "values of a field");
        }
        let mut text = String::from("[");
        for (place, comparison) in comparisons.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            comparison.write(&mut text);
        }
        text.push(']');
        text
    }

    fn tell_of_cut(&self, limit: usize, unit: &'static str) {
        self.notices.tell(Message::Cut { function: "spotlight", limit: limit as u64, unit });
    }
}

impl Aggregate for Spotlight {
    type Group = Compared;

    fn name(&self) -> &'static str {
        "spotlight"
    }

    fn output_type(&self) -> DataType {
        estimate_type(DataType::Utf8View)
    }

    fn update(
        &self,
        groups: &mut [Compared],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let conditions =
            inputs[0].as_boolean_opt().ok_or_else(|| wrong_input(inputs[0].data_type(), "Boolean"))?;
        let packed = texts(inputs, 1)?;
        rows.for_each(packed.nulls(), |row, group| {
            let group = &mut groups[group];
            let is_true = conditions.is_valid(row) && conditions.value(row);
            let side = usize::from(!is_true);
            group.rows[side] += 1;
            self.make_fields(group, bytes);
            let values = json::elements(packed.value(row)).into_iter().flatten();
            for (field, value) in group.fields.iter_mut().zip(values) {
                field.add(value, side, bytes);
            }
        });
        Ok(())
    }

    fn merge(&self, group: &mut Compared, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        for count in &mut group.rows {
            *count += state.number()?;
        }
        if state.is_at_end() {
            return Ok(());
        }
        self.make_fields(group, bytes);
        group.fields.iter_mut().try_for_each(|field| field.merge(state, bytes))
    }

    fn write_state(&self, group: &mut Compared, state: &mut Vec<u8>) {
        group.rows.iter().for_each(|count| write_number(state, *count));
        group.fields.iter().for_each(|field| field.write(state));
    }

    fn evaluate(&self, groups: Vec<Compared>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::with_capacity(groups.len());
        let mut is_estimate = Vec::with_capacity(groups.len());
        for group in groups {
            is_estimate.push(group.fields.iter().any(FieldValues::is_estimate));
            column.append_value(self.answer(group));
        }
        estimates(Arc::new(column.finish()), is_estimate)
    }

    fn heap_bytes(group: &Compared) -> usize {
        let fields: usize = group.fields.iter().map(FieldValues::heap_bytes).sum();
        fields + group.fields.capacity() * size_of::<FieldValues>()
    }
}
