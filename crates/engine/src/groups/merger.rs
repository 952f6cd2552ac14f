//! States of groups merged by the numbers of their keys: every value of a key becomes a number, so that groups are told
//! apart by numbers, and the groups over all time and those by bucket are found in one go.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use datafusion_expr::{EmitTo, GroupsAccumulator};
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use tidegauge_lang::tree::Type;

use super::accumulators::accumulators;
use super::key_column::KeyColumn;
use super::places::Places;
use crate::Result;

/// What states are merged by.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// What the keys are; the bucket is the first where there is one.
    pub(super) kinds: Vec<Type>,
    pub(super) has_bucket: bool,
    pub(super) aggregates: Vec<Arc<AggregateFunctionExpr>>,
    /// What states look like, by bucket and over all time.
    pub(super) schema: SchemaRef,
    pub(super) totals_schema: SchemaRef,
}

/// States that are being merged.
pub(super) struct Merger<'a> {
    keys: &'a Keys,
    columns: Vec<KeyColumn>,
    groups: Places,
    totals: Places,
    of_groups: Vec<Box<dyn GroupsAccumulator>>,
    of_totals: Vec<Box<dyn GroupsAccumulator>>,
    /// The place over all time of each group by bucket.
    total_of: Vec<usize>,
}

/// Merged groups with their keys, and what became of their aggregates: states, or values.
pub(super) struct Merged {
    pub(super) keys: Vec<ArrayRef>,
    pub(super) aggregates: Vec<ArrayRef>,
}

impl Keys {
    fn first(&self) -> usize {
        usize::from(self.has_bucket)
    }
}

impl<'a> Merger<'a> {
    pub(super) fn new(keys: &'a Keys) -> Result<Self> {
        Ok(Self {
            columns: keys.kinds.iter().map(|kind| KeyColumn::new(*kind)).collect(),
            groups: Places::new(keys.kinds.len()),
            totals: Places::new(keys.kinds.len() - keys.first()),
            of_groups: if keys.has_bucket { accumulators(&keys.aggregates)? } else { Vec::new() },
            of_totals: accumulators(&keys.aggregates)?,
            total_of: Vec::new(),
            keys,
        })
    }

    /// Takes over states, with their bucket where there are buckets.
    pub(super) fn add(&mut self, states: &RecordBatch) -> Result<()> {
        if !self.keys.has_bucket {
            self.add_to_totals(states)?;
            return Ok(());
        }
        let places = self.add_to_groups(states)?;
        let totals_of: Vec<usize> = places.iter().map(|place| self.total_of[*place]).collect();
        merge(
            &mut self.of_totals,
            self.keys,
            &states.columns()[self.columns.len()..],
            &totals_of,
            self.totals.len(),
        )
    }

    /// Takes over states by bucket that are part of what is known over all time already; tells the place of each.
    pub(super) fn add_to_groups(&mut self, states: &RecordBatch) -> Result<Vec<usize>> {
        let count = self.columns.len();
        let numbers = numbered(states, &mut self.columns);
        self.groups.reserve(states.num_rows());
        let places: Vec<usize> = numbers.chunks_exact(count).map(|numbers| self.groups.of(numbers)).collect();
        for numbers in self.groups.from(self.total_of.len()) {
            self.total_of.push(self.totals.of(&numbers[self.keys.first()..]));
        }
        merge(&mut self.of_groups, self.keys, &states.columns()[count..], &places, self.groups.len())?;
        Ok(places)
    }

    /// Takes over states without their bucket, and tells the place over all time of each.
    pub(super) fn add_to_totals(&mut self, states: &RecordBatch) -> Result<Vec<usize>> {
        let columns = &mut self.columns[self.keys.first()..];
        let count = columns.len();
        let places: Vec<usize> = if count == 0 {
            (0..states.num_rows()).map(|_| self.totals.of(&[])).collect()
        } else {
            let numbers = numbered(states, columns);
            numbers.chunks_exact(count).map(|numbers| self.totals.of(numbers)).collect()
        };
        merge(&mut self.of_totals, self.keys, &states.columns()[count..], &places, self.totals.len())?;
        Ok(places)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.of_totals.iter().chain(&self.of_groups).map(|accumulator| accumulator.size()).sum()
    }

    /// For each group by bucket, in the order of their places, its place over all time.
    pub(super) fn total_of(&self) -> &[usize] {
        &self.total_of
    }

    /// The groups by bucket at their places.
    pub(super) fn groups(&mut self, form: Form) -> Result<Merged> {
        let accumulators = std::mem::take(&mut self.of_groups);
        Ok(Merged { keys: keys_of(&self.columns, &self.groups), aggregates: form.of(accumulators)? })
    }

    /// The groups over all time at their places.
    pub(super) fn totals(&mut self, form: Form) -> Result<Merged> {
        let accumulators = std::mem::take(&mut self.of_totals);
        let columns = &self.columns[self.keys.first()..];
        Ok(Merged { keys: keys_of(columns, &self.totals), aggregates: form.of(accumulators)? })
    }
}

/// What aggregates are made into.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    States,
    Values,
}

impl Form {
    fn of(self, accumulators: Vec<Box<dyn GroupsAccumulator>>) -> Result<Vec<ArrayRef>> {
        let mut columns = Vec::with_capacity(accumulators.len());
        for mut accumulator in accumulators {
            match self {
                Self::States => columns.extend(accumulator.state(EmitTo::All)?),
                Self::Values => columns.push(accumulator.evaluate(EmitTo::All)?),
            }
        }
        Ok(columns)
    }
}

/// What states come to, each for itself.
pub(super) fn values(keys: &Keys, states: &[ArrayRef], rows: usize) -> Result<Vec<ArrayRef>> {
    let mut accumulators = accumulators(&keys.aggregates)?;
    let places: Vec<usize> = (0..rows).collect();
    merge(&mut accumulators, keys, states, &places, rows)?;
    Form::Values.of(accumulators)
}

fn keys_of(columns: &[KeyColumn], places: &Places) -> Vec<ArrayRef> {
    columns.iter().enumerate().map(|(number, column)| column.array(places.of_key(number))).collect()
}

/// Merges states into those of the groups at these places.
fn merge(
    accumulators: &mut [Box<dyn GroupsAccumulator>],
    keys: &Keys,
    mut states: &[ArrayRef],
    places: &[usize],
    groups: usize,
) -> Result<()> {
    for (accumulator, aggregate) in accumulators.iter_mut().zip(&keys.aggregates) {
        let (own, rest) = states.split_at(aggregate.state_fields()?.len());
        accumulator.merge_batch(own, places, groups)?;
        states = rest;
    }
    Ok(())
}

/// The key numbers of all rows, one row after the other.
fn numbered(batch: &RecordBatch, keys: &mut [KeyColumn]) -> Vec<u32> {
    let mut numbers = vec![0; batch.num_rows() * keys.len()];
    let count = keys.len();
    for (place, key) in keys.iter_mut().enumerate() {
        let column = batch.column(place);
        let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut number = |row: usize, of: &mut dyn FnMut(&mut KeyColumn) -> u32| {
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            numbers[row * count + place] = if is_null { key.of_null() } else { of(key) };
        };
        match column.data_type() {
            DataType::Utf8View => {
                let texts = column.as_string_view();
                (0..texts.len()).for_each(|row| number(row, &mut |key| key.of_text(texts.value(row))));
            }
            DataType::Boolean => {
                let bits = column.as_boolean();
                (0..bits.len()).for_each(|row| number(row, &mut |key| key.of_number(bits.value(row).into())));
            }
            DataType::Float64 => {
                let floats = column.as_primitive::<Float64Type>();
                let bits = |row: usize| floats.value(row).to_bits().cast_signed();
                (0..floats.len()).for_each(|row| number(row, &mut |key| key.of_number(bits(row))));
            }
            _ => {
                let integers = column.as_primitive::<Int64Type>();
                (0..integers.len())
                    .for_each(|row| number(row, &mut |key| key.of_number(integers.value(row))));
            }
        }
    }
    numbers
}
