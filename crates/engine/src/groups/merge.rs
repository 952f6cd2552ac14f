//! From states to the groups that are answered. States that are few enough are merged by numbers, and what runs of
//! blocks come to alone is taken as it is; where there are too many, DataFusion merges them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field as ArrowField, Schema};
use arrow_select::interleave::interleave;
use arrow_select::take::{take, take_record_batch};
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::aggregates::AggregateMode;
use hashbrown::HashSet;
use tidegauge_cache::partials::MergedRun;

use super::merger::{Form, Keys, Merged, Merger};
use super::ordered::ordered;
use super::states::States;
use super::{Grouping, Totals};
use crate::Result;
use crate::leaf::Leaf;

/// More states than these, and those of more keys, are merged by DataFusion. So places and rows below fit into 32 bits.
const STATES_MAX: usize = 1 << 20;
const KEYS_MAX: usize = 16;

/// What each group costs beside its states, and what each of its keys does, about.
const GROUP_BYTES: usize = 64;
const KEY_BYTES: usize = 48;

/// Groups are put in order by a table of all cells where no more than one of so many stays empty.
const CELLS_FOR_EACH: usize = 8;

/// A group by bucket: the bucket, its place over all time, and where its values are: the part, and the row there.
type Row = (Option<i64>, u32, u32, u32);

impl Grouping<'_> {
    /// The chosen groups over all time, and by bucket where there are buckets.
    pub(super) async fn merged_states(&self, states: &States) -> Result<(Totals, Option<RecordBatch>)> {
        if let Some(merged) = self.merged_by_numbers(states).await? {
            return Ok(merged);
        }
        let states = states.all(&self.schema_of(AggregateMode::Partial, 0)?)?;
        let totals = self.totals(&states).await?;
        let series = self.series(&states, &totals.batch).await?;
        Ok((totals, series))
    }

    /// Whether states can be merged by numbers, as long as they are not too many.
    pub(super) fn has_numbered_keys(&self) -> bool {
        (1..=KEYS_MAX).contains(&self.key_count()) && self.is_dense()
    }

    /// What states are merged by.
    pub(super) fn keys(&self) -> Result<Keys> {
        Ok(Keys {
            kinds: self.columns[..self.key_count()].iter().map(|key| key.kind).collect(),
            has_bucket: self.has_bucket,
            aggregates: self.aggregates.clone(),
            schema: self.schema_of(AggregateMode::Partial, 0)?,
            totals_schema: self.schema_of(AggregateMode::Partial, usize::from(self.has_bucket))?,
        })
    }

    /// The same by numbers; none where DataFusion must merge.
    async fn merged_by_numbers(&self, states: &States) -> Result<Option<(Totals, Option<RecordBatch>)>> {
        let count = states.count();
        if !are_few(count) || !self.has_numbered_keys() {
            return Ok(None);
        }
        let memory = MemoryConsumer::new("merged groups").register(self.context.memory_pool());
        if memory.try_grow(count * (GROUP_BYTES + KEY_BYTES * self.key_count())).is_err() {
            return Ok(None);
        }
        let keys = self.keys()?;
        let mut merger = Merger::new(&keys)?;
        let shared = shared_buckets(states, self.has_bucket);
        let mut rows: Vec<Row> = Vec::with_capacity(if self.has_bucket { count } else { 0 });
        for (part, run) in (0_u32..).zip(&states.runs) {
            if self.has_bucket {
                add_run(&mut merger, run, part, &shared, &mut rows)?;
            } else {
                merger.add(&run.states)?;
            }
        }
        states.loose.iter().try_for_each(|batch| merger.add(batch))?;
        if memory.try_grow(merger.memory_bytes()).is_err() {
            return Ok(None);
        }
        let all = merger.totals(Form::Values)?;
        let schema = self.schema_of(AggregateMode::Single, usize::from(self.has_bucket))?;
        let all = RecordBatch::try_new(schema, all.keys.into_iter().chain(all.aggregates).collect())?;
        let (totals, ranks) = self.first_totals(all).await?;
        if !self.has_bucket {
            return Ok(Some((totals, None)));
        }
        let merged = merger.groups(Form::Values)?;
        let buckets = merged.keys[0].as_primitive::<Int64Type>();
        let part = states.runs.len() as u32;
        let of_merged = (0_u32..).zip(buckets.iter().zip(merger.total_of()));
        rows.extend(of_merged.map(|(row, (bucket, total))| (bucket, *total as u32, part, row)));
        let series = self.series_of(rows, &totals.batch, &ranks, &states.runs, &merged)?;
        Ok(Some((totals, Some(series))))
    }

    /// The groups by bucket that are among the chosen ones, in the order of buckets and then of the ranks.
    fn series_of(
        &self,
        mut rows: Vec<Row>,
        totals: &RecordBatch,
        ranks: &[Option<u32>],
        runs: &[Arc<MergedRun>],
        merged: &Merged,
    ) -> Result<RecordBatch> {
        rows.retain_mut(|(_, total, _, _)| match ranks[*total as usize] {
            Some(rank) => {
                *total = rank;
                true
            }
            None => false,
        });
        let rows = in_order(rows, totals.num_rows());
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.key_count() + self.aggregates.len());
        columns.push(Arc::new(rows.iter().map(|(bucket, ..)| *bucket).collect::<Int64Array>()));
        let ranks = UInt32Array::from_iter_values(rows.iter().map(|(_, rank, ..)| *rank));
        for key in &totals.columns()[..self.plan.keys.len()] {
            columns.push(take(key, &ranks, None)?);
        }
        let places: Vec<(usize, usize)> =
            rows.iter().map(|(_, _, part, row)| (*part as usize, *row as usize)).collect();
        for (aggregate, last) in merged.aggregates.iter().enumerate() {
            let of_runs = runs.iter().map(|run| run.values[aggregate].as_ref());
            let parts: Vec<&dyn Array> = of_runs.chain([last.as_ref()]).collect();
            columns.push(interleave(&parts, &places)?);
        }
        Ok(RecordBatch::try_new(self.schema_of(AggregateMode::Single, 0)?, columns)?)
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
        let schema = placed.schema();
        let order = self.order(&schema);
        let rows = Arc::new(Leaf::of_batches(vec![placed], schema));
        let sorted = ordered(rows, order, self.fetched(), &self.context).await?;
        let kept = sorted.slice(0, sorted.num_rows().min(self.plan.limit));
        let mut ranks = vec![None; groups];
        let places = kept.column(kept.num_columns() - 1).as_primitive::<UInt32Type>();
        for (rank, place) in (0_u32..).zip(places.values()) {
            ranks[*place as usize] = Some(rank);
        }
        let shown: Vec<usize> = (0..kept.num_columns() - 1).collect();
        Ok((Totals { batch: kept.project(&shown)?, groups: groups as u64 }, ranks))
    }
}

/// Whether states are so few that they are merged by numbers.
fn are_few(states: usize) -> bool {
    (1..=STATES_MAX).contains(&states)
}

/// Rows in the order of buckets and then of the ranks of their groups, of which there are so many.
fn in_order(mut rows: Vec<Row>, ranks: usize) -> Vec<Row> {
    // Rows of one bucket mostly follow each other.
    let mut buckets: Vec<Option<i64>> =
        rows.chunk_by(|(one, ..), (next, ..)| one == next).map(|same| same[0].0).collect();
    buckets.sort_unstable();
    buckets.dedup();
    let cells = buckets.len().saturating_mul(ranks);
    if cells > rows.len().saturating_mul(CELLS_FOR_EACH) {
        rows.sort_unstable();
        return rows;
    }
    // A group has one row in a bucket, so that each has a cell of its own.
    let mut numbers = vec![u32::MAX; cells];
    let (mut last, mut start) = (None, 0);
    for (number, (bucket, rank, ..)) in (0_u32..).zip(&rows) {
        if last != Some(*bucket) {
            start = buckets.partition_point(|other| other < bucket) * ranks;
            last = Some(*bucket);
        }
        numbers[start + *rank as usize] = number;
    }
    let mut ordered = Vec::with_capacity(rows.len());
    ordered.extend(numbers.into_iter().filter_map(|number| rows.get(number as usize)));
    ordered
}

/// The buckets that have states in more than one run, or outside of runs: only these are merged.
fn shared_buckets(states: &States, has_bucket: bool) -> HashSet<i64> {
    let (mut seen, mut shared) = (HashSet::new(), HashSet::new());
    if !has_bucket {
        return shared;
    }
    for bucket in states.runs.iter().flat_map(|run| &run.buckets) {
        if !seen.insert(*bucket) {
            shared.insert(*bucket);
        }
    }
    for batch in &states.loose {
        shared.extend(batch.column(0).as_primitive::<Int64Type>().values());
    }
    shared
}

/// Takes over a run: its groups over all time, of its groups by bucket those that others have too, and the others as
/// rows of their own.
fn add_run(
    merger: &mut Merger<'_>,
    run: &MergedRun,
    part: u32,
    shared: &HashSet<i64>,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let totals_of = merger.add_to_totals(&run.totals)?;
    let mut of_shared: Vec<u32> = Vec::new();
    let mut last = None;
    let buckets = run.states.column(0).as_primitive::<Int64Type>();
    for (row, (bucket, total)) in (0_u32..).zip(buckets.iter().zip(&run.total_of)) {
        let is_shared = match (bucket, last) {
            (Some(bucket), Some((known, is_shared))) if known == bucket => is_shared,
            (Some(bucket), _) => shared.contains(&bucket),
            (None, _) => true,
        };
        match bucket.filter(|_| !is_shared) {
            Some(bucket) => rows.push((Some(bucket), totals_of[*total as usize] as u32, part, row)),
            None => of_shared.push(row),
        }
        last = bucket.map(|bucket| (bucket, is_shared));
    }
    if !of_shared.is_empty() {
        merger.add_to_groups(&take_record_batch(&run.states, &UInt32Array::from(of_shared))?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
