//! Groups by codes: the keys of a block become small numbers, one number for each combination tells the group of a row,
//! and a table turns it into the place of the group. No row is hashed where keys come as codes or lie close together.
//! Where a block has more combinations than such a number can tell apart, whole keys are hashed. The states are those
//! that DataFusion's own aggregation makes and merges.

mod codes;
mod kept;
mod parted;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::SchemaRef;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_expr::{EmitTo, GroupsAccumulator};
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use datafusion_physical_plan::aggregates::AggregateMode;
use hashbrown::HashMap;
use tidegauge_cache::partials::Partials;
use tidegauge_exec::expr::{Rows, Typed};
use tidegauge_lang::tree::Bucket;
use tokio::task::JoinSet;

use self::codes::{Coded, Combination};
use super::accumulators::{accumulators, places};
use super::error::stopped;
use super::key_column::KeyColumn;
use super::places::Places;
use super::states::States;
use super::{Grouping, many_columns};
use crate::Result;
use crate::scan::{Scan, Selected};
use crate::stretches::Stretches;
use crate::turns::{self, in_turns};

/// Up to how many combinations of codes there is a table of all; above, those that occur are kept by hash.
const TABLE_PLACES: u64 = 1 << 18;

/// Up to how many combinations of codes their numbers have 32 bits, because half the bytes are half the time. Above, they
/// have 64; and where those are not enough, there are no numbers of combinations.
const NARROW_COMBINATIONS_MAX: u64 = u32::MAX as u64;

/// From so many groups on, a thread hands its states on and begins anew.
const GROUPS_MAX: usize = 1 << 18;

/// With so many values of a key too, whether or not there are groups of them: their numbers have 32 bits, and a block
/// adds no more values than it has rows and entries of dictionaries.
const VALUES_MAX: usize = 1 << 22;

/// What the threads of one aggregation share.
struct Shared {
    /// Blocks whose groups are computed for themselves and kept.
    kept: Option<(Partials, Scan)>,
    /// All other blocks.
    scan: Arc<Scan>,
    /// Whether blocks have turned out to have too many groups for keeping them.
    is_wide: AtomicBool,
    /// The keys, then what aggregates read.
    columns: Vec<Typed>,
    key_count: usize,
    aggregates: Vec<Arc<AggregateFunctionExpr>>,
    /// For each aggregate the columns it reads; none counts rows.
    arguments: Vec<Vec<usize>>,
    schema: SchemaRef,
    /// How times become buckets, which are the first key then.
    bucket: Option<(Bucket, Typed)>,
}

impl Grouping<'_> {
    /// Whether every aggregate can take rows of many groups at once.
    pub(super) fn is_dense(&self) -> bool {
        self.aggregates.iter().all(|aggregate| aggregate.groups_accumulator_supported())
    }

    /// The mergeable states of all groups and buckets.
    pub(super) async fn dense_states(
        &self,
        scan: &Arc<Scan>,
        threads: usize,
        partials: Option<&Partials>,
    ) -> Result<States> {
        let schema = self.schema_of(AggregateMode::Partial, 0)?;
        let mut states = States::default();
        let (mut kept, mut scan) = (None, Arc::clone(scan));
        if let Some(partials) = partials {
            let parted = parted::parted(&scan, partials, threads, self.has_numbered_keys());
            states = parted.kept;
            if !parted.unmerged.is_empty() {
                states.merge(parted.unmerged, &Arc::new(self.keys()?), partials).await?;
            }
            kept = Some((partials.clone(), parted.new));
            scan = Arc::new(parted.rest);
        }
        let shared = Arc::new(Shared {
            kept,
            scan,
            is_wide: AtomicBool::new(false),
            columns: self.columns.clone(),
            key_count: self.key_count(),
            aggregates: self.aggregates.clone(),
            arguments: self.aggregates.iter().map(|aggregate| places(aggregate)).collect(),
            schema,
            bucket: self.plan.bucket.clone().filter(|_| self.has_bucket),
        });
        let mut running = JoinSet::new();
        for _ in 0..threads {
            let mut worker =
                Worker::new(&shared, MemoryConsumer::new("groups").register(self.context.memory_pool()))?;
            running.spawn(in_turns(async move { worker.work().await }));
        }
        while let Some(done) = running.join_next().await {
            states.loose.extend(done.map_err(stopped)??);
        }
        if let Some(partials) = partials {
            partials.write();
        }
        Ok(states)
    }
}

/// What is added for some rows: the place of each row's group, and the columns that are aggregated.
struct Computed {
    groups: Vec<usize>,
    arguments: Vec<Option<ArrayRef>>,
}

/// The groups that one thread has seen.
struct Worker {
    shared: Arc<Shared>,
    memory: MemoryReservation,
    keys: Vec<KeyColumn>,
    /// The place of each group, by its key numbers.
    places: Places,
    accumulators: Vec<Box<dyn GroupsAccumulator>>,
    /// As long as the longest block so far, for aggregates that count rows.
    ones: ArrayRef,
    done: Vec<RecordBatch>,
    /// The bytes of these.
    held_done: usize,
}

impl Worker {
    fn new(shared: &Arc<Shared>, memory: MemoryReservation) -> Result<Self> {
        Ok(Self {
            memory,
            keys: shared.key_columns(),
            places: Places::new(shared.key_count),
            accumulators: accumulators(&shared.aggregates)?,
            ones: Arc::new(Int64Array::from(Vec::<i64>::new())),
            done: Vec::new(),
            held_done: 0,
            shared: Arc::clone(shared),
        })
    }

    async fn work(&mut self) -> Result<Vec<RecordBatch>> {
        let shared = Arc::clone(&self.shared);
        self.keep().await?;
        while let Some(claim) = shared.scan.claim() {
            if let Some(selected) = shared.scan.select(claim).await? {
                self.add(&shared.scan, &selected).await?;
            }
            // Other queries have a turn between blocks.
            turns::pause().await;
        }
        self.hand_on(false)?;
        Ok(std::mem::take(&mut self.done))
    }

    /// Takes over the rows of a block.
    async fn add(&mut self, scan: &Scan, selected: &Selected) -> Result<()> {
        let places = Typed::inputs_of(&self.shared.columns);
        let inputs = scan.load(selected.place, &places, &selected.picked).await?;
        let weight = many_columns::weight(self.shared.columns.len(), self.shared.aggregates.len());
        let mut stretches = Stretches::of_columns(inputs, selected.picked.count(), weight);
        while let Some(computed) = stretches.next(&scan.pace, |rows, _| self.computed(rows))? {
            self.add_computed(computed)?;
            turns::pause().await;
        }
        Ok(())
    }

    /// The groups of some rows and what is aggregated of them. Rows may be computed twice, so that nothing is added yet;
    /// a group that is known has its rows in the end.
    fn computed(&mut self, rows: &Rows<'_>) -> Result<Computed> {
        let shared = Arc::clone(&self.shared);
        let mut arguments: Vec<Option<ArrayRef>> = vec![None; shared.columns.len()];
        for place in shared.arguments.iter().flatten() {
            if arguments[*place].is_none() {
                arguments[*place] = Some(shared.columns[*place].evaluate(rows)?.into_array(rows.count)?);
            }
        }
        Ok(Computed { groups: self.groups_of(rows)?, arguments })
    }

    fn add_computed(&mut self, Computed { groups, arguments: computed }: Computed) -> Result<()> {
        let (shared, count) = (Arc::clone(&self.shared), groups.len());
        for (accumulator, arguments) in self.accumulators.iter_mut().zip(&shared.arguments) {
            let mut values: Vec<ArrayRef> = Vec::with_capacity(arguments.len().max(1));
            values.extend(arguments.iter().filter_map(|place| computed[*place].clone()));
            if values.is_empty() {
                if self.ones.len() < count {
                    self.ones = Arc::new(Int64Array::from(vec![1; count]));
                }
                values.push(self.ones.slice(0, count));
            }
            accumulator.update_batch(&values, &groups, None, self.places.len())?;
        }
        let states: usize = self.accumulators.iter().map(|accumulator| accumulator.size()).sum();
        let held = self.held_done + states + self.places.memory_bytes() + self.key_bytes() + self.handed_on();
        let is_refused = self.memory.try_resize(held).is_err();
        let values = self.keys.iter().map(KeyColumn::len).max().unwrap_or(0);
        if is_refused || are_too_many(self.places.len(), values) {
            self.hand_on(is_refused)?;
        }
        Ok(())
    }

    /// The place of each row's group.
    fn groups_of(&mut self, rows: &Rows<'_>) -> Result<Vec<usize>> {
        let shared = Arc::clone(&self.shared);
        let mut coded: Vec<Coded> = Vec::with_capacity(shared.key_count);
        for (number, (key, column)) in self.keys.iter_mut().zip(&shared.columns).enumerate() {
            coded.push(match &shared.bucket {
                Some((bucket, time)) if number == 0 => {
                    let times = time.evaluate(rows)?.into_array(rows.count)?;
                    codes::of_times(times.as_primitive::<Int64Type>(), bucket.step, key)
                }
                _ => codes::of(column, rows, key)?,
            });
        }
        Ok(match combinations(&coded) {
            Some(combinations) if combinations <= NARROW_COMBINATIONS_MAX => {
                self.places_of::<u32>(&coded, combinations, rows.count)
            }
            Some(combinations) => self.places_of::<u64>(&coded, combinations, rows.count),
            None => self.places_of_whole_keys(&coded, rows.count),
        })
    }

    /// The places by one number for each combination of codes, of which there are so many.
    fn places_of<N: Combination>(&mut self, coded: &[Coded], combinations: u64, count: usize) -> Vec<usize> {
        let mut combined = vec![N::ZERO; count];
        coded.iter().for_each(|column| column.add_to(&mut combined));
        // The key numbers of a combination, by taking it apart again from the last key on.
        let mut numbers = vec![0_u32; coded.len()].into_boxed_slice();
        let all = &mut self.places;
        let groups_max = usize::try_from(combinations).unwrap_or(usize::MAX).min(count);
        all.reserve(groups_max.saturating_sub(all.len()));
        let mut place_of = |combination: u64| {
            let mut rest = combination;
            for (number, column) in numbers.iter_mut().zip(coded).rev() {
                let different = column.numbers.len() as u64;
                *number = column.numbers[(rest % different) as usize];
                rest /= different;
            }
            all.of(&numbers)
        };
        if combinations <= TABLE_PLACES && codes::is_worth_a_table(combinations as usize, count) {
            let mut table = vec![usize::MAX; combinations as usize];
            let place = |combination: &N| {
                let combination = combination.number();
                let place = &mut table[combination as usize];
                if *place == usize::MAX {
                    *place = place_of(combination);
                }
                *place
            };
            return combined.iter().map(place).collect();
        }
        let mut seen: HashMap<u64, usize> = HashMap::new();
        let numbers = combined.iter().map(|combination| combination.number());
        numbers.map(|number| *seen.entry(number).or_insert_with(|| place_of(number))).collect()
    }

    /// The places by the key numbers themselves, whatever there is of them.
    fn places_of_whole_keys(&mut self, coded: &[Coded], count: usize) -> Vec<usize> {
        let mut numbers = vec![0_u32; coded.len()].into_boxed_slice();
        let place_of = |row: usize| {
            numbers.iter_mut().zip(coded).for_each(|(number, column)| *number = column.number(row));
            self.places.of(&numbers)
        };
        (0..count).map(place_of).collect()
    }

    /// Makes a batch of the states so far, and begins anew: with no values at all where memory was refused, so that there
    /// is room for many rows again and not for a few at a time.
    fn hand_on(&mut self, is_refused: bool) -> Result<()> {
        if self.places.is_empty() {
            return Ok(());
        }
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.shared.schema.fields().len());
        for (number, key) in self.keys.iter().enumerate() {
            columns.push(key.array(self.places.of_key(number)));
        }
        for accumulator in &mut self.accumulators {
            columns.extend(accumulator.state(EmitTo::All)?);
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.shared.schema), columns)?;
        self.held_done += batch.get_array_memory_size();
        self.done.push(batch);
        self.places = Places::new(self.shared.key_count);
        self.accumulators = accumulators(&self.shared.aggregates)?;
        // Values that come again keep their numbers, as long as they are few.
        if is_refused
            || self.has_more_values_than(GROUPS_MAX)
            || self.memory.try_resize(self.held_done + self.key_bytes()).is_err()
        {
            self.keys = self.shared.key_columns();
            self.memory.try_resize(self.held_done)?;
        }
        Ok(())
    }

    /// How many bytes the groups take as what they are handed on as. Of few keys that is about what their values take,
    /// which are let go for it; of very many, most are null in each group and take a place there all the same.
    fn handed_on(&self) -> usize {
        if !many_columns::are_many(self.shared.key_count) {
            return 0;
        }
        self.keys.iter().map(|key| key.array_bytes(self.places.len())).sum()
    }

    fn has_more_values_than(&self, count: usize) -> bool {
        self.keys.iter().any(|key| key.len() > count)
    }

    fn key_bytes(&self) -> usize {
        self.keys.iter().map(KeyColumn::memory_bytes).sum()
    }
}

impl Shared {
    fn key_columns(&self) -> Vec<KeyColumn> {
        self.columns[..self.key_count].iter().map(|column| KeyColumn::new(column.kind)).collect()
    }
}

/// Whether a thread has so many groups, or so many values of a key, that it hands their states on.
fn are_too_many(groups: usize, values: usize) -> bool {
    groups > GROUPS_MAX || values > VALUES_MAX
}

/// How many combinations of codes there can be; none where 64 bits cannot count them.
fn combinations(coded: &[Coded]) -> Option<u64> {
    coded.iter().map(|column| column.numbers.len() as u64).try_fold(1, u64::checked_mul)
}

#[cfg(test)]
mod tests;
