//! Questions with very many groups, of which few are wanted: first the groups over all time, merged on all threads and
//! spilled where they do not fit, then a second pass over the rows of the chosen ones alone. States for every group and
//! bucket would be as many as rows.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_row::{RowConverter, SortField};
use arrow_schema::DataType;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{Partitioning, PhysicalExpr};
use datafusion_physical_plan::aggregates::AggregateMode;
use datafusion_physical_plan::repartition::RepartitionExec;
use hashbrown::HashSet;
use tidegauge_cache::partials::Partials;
use tidegauge_exec::expr::{At, Typed, Values};
use tidegauge_exec::kernels::text::wanted::Wanted;
use tidegauge_exec::types::arrow_type;
use tidegauge_lang::tree::Type;
use tidegauge_store::Block;
use xxhash_rust::xxh3::xxh3_64;

use super::ordered::ordered;
use super::{GroupedRows, Grouping, Totals};
use crate::Result;
use crate::leaf;
use crate::scan::{Claim, Scan, Selected};
use crate::turns;

/// Fewer rows than these never have too many groups for one pass.
const NARROW_ROWS: usize = 1 << 16;

/// How many rows of a block are looked at, and from how many different groups and buckets among them on there are too
/// many for one pass.
const PROBED_ROWS: usize = 16 * 1024;
const WIDE_GROUPS: usize = 4 * 1024;

/// One row in so many tells already where there are few: the first rows have at least as many groups for each row as all.
const GLANCED_SHARE: usize = 8;

/// How many blocks are looked at to find one that tells.
const PROBED_BLOCKS: usize = 4;

impl Grouping<'_> {
    /// Two passes: the groups over all time, and then the chosen ones by bucket. Nothing of it is kept.
    pub(super) async fn by_totals(
        &self,
        rows: &GroupedRows,
        threads: usize,
        partials: Option<&Partials>,
    ) -> Result<(Totals, Option<RecordBatch>)> {
        partials.inspect(|partials| partials.give_up());
        let totals = self.totals_of(rows, threads).await?;
        let states = match self.plan.bucket {
            Some(_) => self.states_of(rows, threads, &totals.batch).await?,
            None => Vec::new(),
        };
        let series = self.series(&states, &totals.batch).await?;
        Ok((totals, series))
    }

    /// Whether there are so many groups that states for each bucket do not pay.
    pub(super) async fn is_wide(&self, rows: &GroupedRows) -> Result<bool> {
        if self.plan.keys.is_empty() || (self.has_bucket && self.plan.limit == usize::MAX) {
            return Ok(false);
        }
        // Groups that are hashed anyway are merged on all threads. Those of rows in memory are too.
        let GroupedRows::Scan(scan) = rows else { return Ok(!self.has_bucket) };
        if !self.has_bucket && !self.is_dense() {
            return Ok(true);
        }
        if scan.blocks.iter().map(Block::rows).sum::<usize>() < NARROW_ROWS {
            return Ok(false);
        }
        let probe = scan.again(None).uncut();
        for place in 0..probe.blocks.len().min(PROBED_BLOCKS) {
            let Some(mut selected) = probe.select(Claim { place, part: 0 }).await? else { continue };
            if selected.picked.count() < PROBED_ROWS {
                continue;
            }
            selected.picked = selected.picked.slice(0..PROBED_ROWS);
            return has_many_groups(&probe, &self.columns[..self.key_count()], &selected).await;
        }
        Ok(false)
    }

    /// The groups over all time, the first of them in order.
    pub(super) async fn totals_of(&self, rows: &GroupedRows, threads: usize) -> Result<Totals> {
        let grouping = Grouping::new(self.plan, Arc::clone(&self.context), self.range_seconds, false)?;
        if let Some(totals) = grouping.many_totals(rows, threads).await? {
            return Ok(totals);
        }
        let partial = grouping.aggregate(AggregateMode::Partial, grouping.leaf(rows, threads), 0)?;
        let keys = grouping.schema.fields()[..self.plan.keys.len()].iter().enumerate();
        let keys =
            keys.map(|(place, field)| Arc::new(Column::new(field.name(), place)) as Arc<dyn PhysicalExpr>);
        let spread = RepartitionExec::try_new(partial, Partitioning::Hash(keys.collect(), threads))?;
        let merged = grouping.aggregate(AggregateMode::FinalPartitioned, Arc::new(spread), 0)?;
        let order = grouping.order(&merged.schema());
        let batch = ordered(Arc::clone(&merged), order, self.fetched(), &self.context).await?;
        let groups = merged.metrics().and_then(|metrics| metrics.output_rows()).unwrap_or(batch.num_rows());
        let kept = batch.num_rows().min(self.plan.limit);
        Ok(Totals { batch: batch.slice(0, kept), groups: groups as u64 })
    }

    /// The states by bucket of the chosen groups alone.
    pub(super) async fn states_of(
        &self,
        rows: &GroupedRows,
        threads: usize,
        totals: &RecordBatch,
    ) -> Result<Vec<RecordBatch>> {
        let GroupedRows::Scan(scan) = rows else { return Ok(self.states(rows, threads, None).await?.loose) };
        let keys: Vec<Typed> = self.plan.keys.iter().map(|(_, key)| key.clone()).collect();
        let chosen = is_chosen(keys, &totals.columns()[..self.plan.keys.len()])?;
        // Nothing is kept of so many groups, so that no state is part of a run.
        let again = GroupedRows::Scan(Arc::new(scan.again(Some(chosen))));
        Ok(self.states(&again, threads, None).await?.loose)
    }
}

/// Whether the rows that are looked at have too many groups for one pass. A glance at the first of them may do.
async fn has_many_groups(probe: &Scan, keys: &[Typed], selected: &Selected) -> Result<bool> {
    let glanced_rows = PROBED_ROWS / GLANCED_SHARE;
    let mut different = Different::new(keys)?;
    let mut stretches = leaf::loaded(probe, keys, selected).await?;
    let mut done = 0;
    while let Some(arrays) = stretches.next(&probe.pace, |rows, _| leaf::evaluated(keys, rows))? {
        let count = arrays[0].len();
        let glanced = glanced_rows.saturating_sub(done).min(count);
        different.add(&arrays, 0, glanced)?;
        if glanced > 0 && done + glanced == glanced_rows && different.count() < WIDE_GROUPS / GLANCED_SHARE {
            return Ok(false);
        }
        different.add(&arrays, glanced, count - glanced)?;
        done += count;
        turns::pause().await;
    }
    Ok(different.count() >= WIDE_GROUPS)
}

/// How many different keys there are, as far as hashes tell: both ways come to the same groups.
struct Different {
    converter: RowConverter,
    hashes: HashSet<u64>,
}

impl Different {
    fn new(keys: &[Typed]) -> Result<Self> {
        let fields = keys.iter().map(|key| SortField::new(arrow_type(key.kind)));
        Ok(Self { converter: RowConverter::new(fields.collect())?, hashes: HashSet::new() })
    }

    fn add(&mut self, columns: &[ArrayRef], start: usize, count: usize) -> Result<()> {
        let columns: Vec<ArrayRef> = columns.iter().map(|column| column.slice(start, count)).collect();
        let rows = self.converter.convert_columns(&columns)?;
        self.hashes.extend(rows.iter().map(|row| xxh3_64(row.data())));
        Ok(())
    }

    fn count(&self) -> usize {
        self.hashes.len()
    }
}

/// A condition that is true for the rows of some groups.
fn is_chosen(keys: Vec<Typed>, groups: &[ArrayRef]) -> Result<Typed> {
    if let ([key], [group]) = (keys.as_slice(), groups)
        && arrow_type(key.kind) == DataType::Utf8View
    {
        return is_chosen_text(key.clone(), group);
    }
    let fields = keys.iter().map(|key| SortField::new(arrow_type(key.kind)));
    let converter = RowConverter::new(fields.collect())?;
    let chosen = converter.convert_columns(groups)?;
    let chosen: HashSet<Vec<u8>> = chosen.iter().map(|row| row.data().to_vec()).collect();
    let run = move |values: &[Values], At { rows, .. }: At<'_>| {
        let columns = values
            .iter()
            .map(|value| value.clone().into_array(rows))
            .collect::<tidegauge_exec::Result<Vec<_>>>()?;
        let of_rows = converter.convert_columns(&columns)?;
        let bits = BooleanBuffer::collect_bool(rows, |row| chosen.contains(of_rows.row(row).data()));
        Ok(Arc::new(BooleanArray::new(bits, None)) as ArrayRef)
    };
    Ok(Typed::call("is_chosen", Type::Boolean, keys, Arc::new(run))?)
}

/// The same for one key of texts.
fn is_chosen_text(key: Typed, groups: &ArrayRef) -> Result<Typed> {
    let has_null = groups.null_count() > 0;
    let chosen = Wanted::new(groups.as_string_view().iter().flatten());
    let run = move |values: &[Values], At { rows, .. }: At<'_>| {
        let array = values[0].clone().into_array(rows)?;
        let texts = array.as_string_view();
        let bits = match texts.nulls().filter(|_| has_null) {
            Some(nulls) => &chosen.rows(texts) | &!nulls.inner(),
            None => chosen.rows(texts),
        };
        Ok(Arc::new(BooleanArray::new(bits, None)) as ArrayRef)
    };
    Ok(Typed::call("is_chosen", Type::Boolean, vec![key], Arc::new(run))?)
}
