//! The states of all groups of a question as they come to be merged: those of runs of blocks that were merged before,
//! and all others; and the merging of blocks to such runs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::SchemaRef;
use datafusion_common::utils::memory::RecordBatchMemoryCounter;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::aggregates::AggregateMode;
use datafusion_physical_plan::coalesce_partitions::CoalescePartitionsExec;
use futures_util::TryStreamExt;
use tidegauge_cache::partials::{MergedRun, Partials};
use tidegauge_store::{Block, BlockId};
use tokio::task::JoinSet;

use super::error::stopped;
use super::merger::{Form, Keys, Merger, values};
use super::{GroupedRows, Grouping, Totals};
use crate::Result;
use crate::turns::in_turns;

/// The states of all groups.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) runs: Vec<Arc<MergedRun>>,
    pub(super) loose: Vec<RecordBatch>,
    /// What of the kept ones is to be compared with what is computed.
    pub(super) check: Option<Check>,
}

/// Blocks whose states are all kept, and are to be merged.
#[derive(Clone, Debug)]
pub(super) struct Unmerged {
    pub(super) blocks: Vec<BlockId>,
    pub(super) states: Vec<RecordBatch>,
    pub(super) matched: u64,
}

/// Blocks, and what is kept of them.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) blocks: Vec<Block>,
    pub(super) kept: Kept,
}

#[derive(Debug)]
pub(super) enum Kept {
    Run(Arc<MergedRun>),
    /// The states of blocks that are not merged.
    Blocks(Unmerged),
}

impl States {
    /// How many states there are.
    pub(super) fn count(&self) -> usize {
        let of_runs: usize = self.runs.iter().map(|run| run.states.num_rows()).sum();
        of_runs + self.loose.iter().map(RecordBatch::num_rows).sum::<usize>()
    }

    /// All states in one form.
    pub(super) fn all(&self, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
        let batches = self.runs.iter().map(|run| &run.states).chain(&self.loose);
        // Keys may have other names in another wording of the same question.
        let named = |batch: &RecordBatch| RecordBatch::try_new(Arc::clone(schema), batch.columns().to_vec());
        Ok(batches.map(named).collect::<std::result::Result<_, _>>()?)
    }

    /// Merges blocks to runs, which are kept, on the threads of queries.
    pub(super) async fn merge(
        &mut self,
        unmerged: Vec<Unmerged>,
        keys: &Arc<Keys>,
        partials: &Partials,
    ) -> Result<()> {
        let mut merging = JoinSet::new();
        for run in unmerged {
            let keys = Arc::clone(keys);
            merging.spawn(in_turns(async move {
                let merged = Arc::new(merged(&keys, &run)?);
                Ok::<_, crate::Error>((run.blocks, merged))
            }));
        }
        while let Some(done) = merging.join_next().await {
            let (blocks, run) = done.map_err(stopped)??;
            partials.insert_run(&blocks, Arc::clone(&run));
            self.runs.push(run);
        }
        Ok(())
    }
}

impl Grouping<'_> {
    /// One pass: the states of all groups in all buckets, kept ones among them, which are merged.
    pub(super) async fn by_states(
        &self,
        rows: &GroupedRows,
        threads: usize,
        partials: Option<&Partials>,
    ) -> Result<(Totals, Option<RecordBatch>)> {
        let mut states = self.states(rows, threads, partials).await?;
        if let (Some(check), Some(partials), GroupedRows::Scan(scan)) = (states.check.take(), partials, rows)
        {
            self.check_later(check, scan, partials);
        }
        self.merged_states(&states).await
    }

    /// The mergeable states of all groups and buckets.
    pub(super) async fn states(
        &self,
        rows: &GroupedRows,
        threads: usize,
        partials: Option<&Partials>,
    ) -> Result<States> {
        if let GroupedRows::Scan(scan) = rows
            && (self.key_count() > 0 || partials.is_some())
            && self.is_dense()
        {
            return self.dense_states(scan, threads, partials).await;
        }
        let partial = self.aggregate(AggregateMode::Partial, self.leaf(rows, threads), 0)?;
        let all = CoalescePartitionsExec::new(partial);
        let mut stream = all.execute(0, Arc::clone(&self.context))?;
        let reservation = MemoryConsumer::new("states").register(self.context.memory_pool());
        let (mut states, mut counter) = (States::default(), RecordBatchMemoryCounter::new());
        while let Some(batch) = stream.try_next().await? {
            reservation.try_grow(counter.count_batch(&batch))?;
            states.loose.push(batch);
        }
        Ok(states)
    }
}

/// What blocks come to together.
pub(super) fn merged(keys: &Keys, run: &Unmerged) -> Result<MergedRun> {
    let mut merger = Merger::new(keys)?;
    run.states.iter().try_for_each(|states| merger.add(states))?;
    // Of a run there are at most so many states as its few blocks keep.
    let total_of = merger.total_of().iter().map(|place| *place as u32).collect();
    let totals = merger.totals(Form::States)?;
    let totals = RecordBatch::try_new(
        Arc::clone(&keys.totals_schema),
        totals.keys.into_iter().chain(totals.aggregates).collect(),
    )?;
    if !keys.has_bucket {
        let (values, buckets) = Default::default();
        let empty = RecordBatch::new_empty(totals.schema());
        return Ok(MergedRun {
            states: totals,
            totals: empty,
            total_of,
            values,
            buckets,
            matched: run.matched,
        });
    }
    let groups = merger.groups(Form::States)?;
    let rows = groups.keys[0].len();
    let values = values(keys, &groups.aggregates, rows)?;
    let mut buckets = groups.keys[0].as_primitive::<Int64Type>().values().to_vec();
    buckets.sort_unstable();
    buckets.dedup();
    let states = RecordBatch::try_new(
        Arc::clone(&keys.schema),
        groups.keys.into_iter().chain(groups.aggregates).collect(),
    )?;
    Ok(MergedRun { states, totals, total_of, values, buckets, matched: run.matched })
}
