//! Merging the states of groups that have few different values in each key: every value becomes a number, so that groups
//! are told apart by numbers, and the groups over all time and those by bucket are found in one go. Where there are too
//! many states for that, DataFusion merges them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field as ArrowField, Schema};
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_expr::{EmitTo, GroupsAccumulator};
use datafusion_physical_expr::LexOrdering;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::aggregates::AggregateMode;
use datafusion_physical_plan::sorts::sort::SortExec;

use super::accumulators::accumulators;
use super::dense::KeyColumn;
use super::places::Places;
use super::{Grouping, Totals, collected};
use crate::Result;
use crate::leaf::Leaf;

/// More states than these, and those of more keys, are merged by DataFusion.
const STATES_MAX: usize = 1 << 20;
const KEYS_MAX: usize = 16;

/// What each group costs beside its states, and what each of its keys does, about.
const GROUP_BYTES: usize = 64;
const KEY_BYTES: usize = 48;

impl Grouping<'_> {
    /// The chosen groups over all time, and by bucket where there are buckets.
    pub(super) async fn merged_states(
        &self,
        states: &[RecordBatch],
    ) -> Result<(Totals, Option<RecordBatch>)> {
        if let Some(merged) = self.merged_by_numbers(states).await? {
            return Ok(merged);
        }
        let totals = self.totals(states).await?;
        let series = self.series(states, &totals.batch).await?;
        Ok((totals, series))
    }

    /// The same by numbers; none where DataFusion must merge.
    async fn merged_by_numbers(
        &self,
        states: &[RecordBatch],
    ) -> Result<Option<(Totals, Option<RecordBatch>)>> {
        let count: usize = states.iter().map(RecordBatch::num_rows).sum();
        let are_few = (1..=STATES_MAX).contains(&count) && (1..=KEYS_MAX).contains(&self.key_count());
        if !are_few || !self.is_dense() {
            return Ok(None);
        }
        let memory = MemoryConsumer::new("merged groups").register(self.context.memory_pool());
        if memory.try_grow(count * (GROUP_BYTES + KEY_BYTES * self.key_count())).is_err() {
            return Ok(None);
        }
        let first = usize::from(self.has_bucket);
        let mut keys: Vec<KeyColumn> =
            self.columns[..self.key_count()].iter().map(|key| KeyColumn::new(key.kind)).collect();
        let mut groups = Places::new(self.key_count());
        let mut totals = Places::new(self.plan.keys.len());
        let mut of_totals = accumulators(&self.aggregates)?;
        let mut of_groups = if self.has_bucket { accumulators(&self.aggregates)? } else { Vec::new() };
        // The place over all time of each group by bucket.
        let mut total_of: Vec<usize> = Vec::new();
        for batch in states {
            let numbers = numbered(batch, &mut keys);
            let rows = numbers.chunks_exact(self.key_count());
            if self.has_bucket {
                let places: Vec<usize> = rows.map(|numbers| groups.of(numbers)).collect();
                for numbers in groups.from(total_of.len()) {
                    total_of.push(totals.of(&numbers[first..]));
                }
                let totals_of: Vec<usize> = places.iter().map(|place| total_of[*place]).collect();
                self.merge(&mut of_groups, batch, &places, groups.len())?;
                self.merge(&mut of_totals, batch, &totals_of, totals.len())?;
            } else {
                let places: Vec<usize> = rows.map(|numbers| totals.of(numbers)).collect();
                self.merge(&mut of_totals, batch, &places, totals.len())?;
            }
        }
        let held = of_totals.iter().chain(&of_groups).map(|accumulator| accumulator.size()).sum();
        if memory.try_grow(held).is_err() {
            return Ok(None);
        }
        let all = self.evaluated(&keys[first..], &totals, of_totals)?;
        let (totals, ranks) = self.first_totals(all).await?;
        let series = if self.has_bucket {
            let all = self.evaluated(&keys, &groups, of_groups)?;
            Some(in_order(&all, &total_of, &ranks)?)
        } else {
            None
        };
        Ok(Some((totals, series)))
    }

    /// Merges the states of a batch into those of the groups at these places.
    fn merge(
        &self,
        accumulators: &mut [Box<dyn GroupsAccumulator>],
        batch: &RecordBatch,
        places: &[usize],
        groups: usize,
    ) -> Result<()> {
        let mut columns = &batch.columns()[self.key_count()..];
        for (accumulator, aggregate) in accumulators.iter_mut().zip(&self.aggregates) {
            let (states, rest) = columns.split_at(aggregate.state_fields()?.len());
            accumulator.merge_batch(states, places, groups)?;
            columns = rest;
        }
        Ok(())
    }

    /// The groups at their places: these keys, and the values of all aggregates.
    fn evaluated(
        &self,
        keys: &[KeyColumn],
        places: &Places,
        accumulators: Vec<Box<dyn GroupsAccumulator>>,
    ) -> Result<RecordBatch> {
        let schema = self.schema_of(AggregateMode::Single, self.key_count() - keys.len())?;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(schema.fields().len());
        for (place, key) in keys.iter().enumerate() {
            columns.push(key.array(places.of_key(place)));
        }
        for mut accumulator in accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        Ok(RecordBatch::try_new(schema, columns)?)
    }

    /// The first of all groups over all time in order, and for each place the rank of its group if it is among them.
    async fn first_totals(&self, all: RecordBatch) -> Result<(Totals, Vec<Option<u32>>)> {
        let groups = all.num_rows();
        // The place goes along as a last column, so that ranks are known after the sort.
        let places: ArrayRef = Arc::new(UInt32Array::from_iter_values(0..groups as u32));
        let mut fields: Vec<ArrowField> =
            all.schema().fields().iter().map(|field| ArrowField::clone(field)).collect();
        fields.push(ArrowField::new("#place", DataType::UInt32, false));
        let columns = all.columns().iter().cloned().chain([places]).collect();
        let placed = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
        let order = LexOrdering::new(self.order(&placed.schema()));
        let sorted = match order {
            Some(order) => {
                let schema = placed.schema();
                let leaf = Leaf::of_batches(vec![placed], schema);
                let sort: Arc<dyn ExecutionPlan> =
                    Arc::new(SortExec::new(order, Arc::new(leaf)).with_fetch(self.fetched()));
                collected(&sort, &self.context).await?
            }
            None => placed,
        };
        let kept = sorted.slice(0, sorted.num_rows().min(self.plan.limit));
        let mut ranks = vec![None; groups];
        let places = kept.column(kept.num_columns() - 1).as_primitive::<arrow_array::types::UInt32Type>();
        for (rank, place) in (0_u32..).zip(places.values()) {
            ranks[*place as usize] = Some(rank);
        }
        let shown: Vec<usize> = (0..kept.num_columns() - 1).collect();
        Ok((Totals { batch: kept.project(&shown)?, groups: groups as u64 }, ranks))
    }
}

/// The groups by bucket that are among the chosen ones, in the order of buckets and then of the ranks.
fn in_order(all: &RecordBatch, total_of: &[usize], ranks: &[Option<u32>]) -> Result<RecordBatch> {
    let buckets = all.column(0).as_primitive::<Int64Type>().values();
    let ranked = (0_u32..).zip(buckets.iter().zip(total_of));
    let mut rows: Vec<(i64, u32, u32)> =
        ranked.filter_map(|(row, (bucket, total))| Some((*bucket, ranks[*total]?, row))).collect();
    rows.sort_unstable();
    let rows = UInt32Array::from_iter_values(rows.into_iter().map(|(_, _, row)| row));
    Ok(arrow_select::take::take_record_batch(all, &rows)?)
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
