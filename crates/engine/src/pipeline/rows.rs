//! The rows of a relation: as a plan that gives them batch by batch, and as a relation of their own. How they become
//! the tables of the answer is left to `finish`.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion_physical_plan::limit::GlobalLimitExec;
use futures_util::TryStreamExt;
use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_lang::tree::{BinaryOperator, Stage, TimeRange, Type};
use tidegauge_store::{Block, Blocks};
use tokio::time::Instant;

use super::needed;
use super::relation::{About, Columns, DatasetRows, Origin, Relation};
use crate::answer::{Answer, Table};
use crate::context::{QueryContext, Scanned};
use crate::error::misplaced;
use crate::events::{self, Budget};
use crate::explain;
use crate::leaf::Leaf;
use crate::own_rows;
use crate::plan::{EventOrder, EventsPlan, SortColumn};
use crate::prune::Prune;
use crate::scan::Scan;
use crate::stretches::Pace;
use crate::{Error, Result};

/// Up to so many events of a dataset are found first and read afterwards, where they are limited in an order.
const FOUND_MAX: usize = 100_000;

impl QueryContext {
    /// The scan of a dataset's rows. Everything that it reads must have been asked of the scope before.
    pub(super) async fn scan(
        &self,
        rows: &DatasetRows,
        scope: &Scope,
        conditions: &[Typed],
        is_ascending: bool,
    ) -> Result<Scan> {
        let began = Instant::now();
        let range = narrowed(rows.range, scope, conditions);
        let arrived = self.question.options.arrived;
        let snapshot = match arrived {
            Some(arrived) => rows.state.snapshot().after(arrived.after),
            None => rows.state.snapshot(),
        };
        let Blocks { mut blocks, segment_bytes, skipped } =
            self.store.blocks(&snapshot, range.start, range.end).await?;
        if is_ascending {
            blocks.sort_by_key(Block::min_time);
        }
        let has_unflushed = blocks.iter().any(Block::is_buffered);
        let times = blocks.iter().map(Block::min_time).min().zip(blocks.iter().map(Block::max_time).max());
        let inputs = scope.inputs().to_vec();
        let prune = Prune::AllOf(rows.prunes.clone());
        let count = blocks.len();
        let pace = Pace::new(self.context.memory_pool());
        let mut scan = Scan::new(blocks, range, inputs, conditions.to_vec(), prune, self.cache.clone(), pace);
        scan.arrived = arrived;
        scan.is_dry = self.question.options.is_dry;
        if let Some(progress) = &self.question.options.progress {
            progress.watch(&scan.counters, count);
        }
        let mut work = self.work();
        if work.scans.is_empty() {
            work.planning = began - self.began;
        }
        work.finding += began.elapsed();
        work.scans.push(Scanned {
            dataset: rows.name.clone(),
            columns: explain::column_names(scope),
            range: rows.range,
            counters: Arc::clone(&scan.counters),
            skipped,
            segment_bytes,
            has_unflushed,
            times,
        });
        Ok(scan)
    }

    /// A plan that gives these columns for the rows of a relation.
    pub(super) async fn plan(
        &self,
        relation: &Relation,
        columns: Vec<Typed>,
        schema: SchemaRef,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(match &relation.origin {
            Origin::Plan(input) => {
                Arc::new(Leaf::of_plan(Arc::clone(input), relation.conditions.clone(), columns, schema))
            }
            Origin::Dataset(rows) => {
                let mut scan = self.scan(rows, &relation.scope, &relation.conditions, false).await?;
                scan.split_for(self.threads, Typed::inputs_of(&columns));
                Arc::new(Leaf::of_scan(Arc::new(scan), columns, schema, self.threads))
            }
        })
    }

    /// The same rows, of which no number is wanted: what waits for all rows is done first.
    pub(super) async fn unlimited(&self, relation: Relation) -> Result<Relation> {
        match relation.pending.limit.is_some() || relation.pending.after.is_some() {
            true => self.settled(relation).await,
            false => Ok(relation),
        }
    }

    /// The same rows, with every field a column of a plan.
    pub(super) async fn settled(&self, relation: Relation) -> Result<Relation> {
        Box::pin(self.settled_before(relation, &[])).await
    }

    /// The same rows, with every field that these stages need a column of a plan.
    pub(super) async fn settled_before(&self, mut relation: Relation, after: &[Stage]) -> Result<Relation> {
        let is_limited = relation.pending.limit.is_some_and(|limit| limit <= FOUND_MAX)
            || relation.pending.after.is_some();
        if is_limited && matches!(relation.origin, Origin::Dataset(_)) {
            return self.found(relation).await;
        }
        let pending = std::mem::take(&mut relation.pending);
        let mut fields = needed::carried(&mut relation.scope, after)?;
        fields.extend(relation.scope.hidden());
        let mut about = relation.about.clone();
        let around = relation.scope.surroundings().clone();
        let mut settled = match pending.order {
            Some((order, keys)) => {
                about.sorted_by = keys;
                let columns = in_one_order(order, &mut relation.scope);
                self.sorted_by_columns(&relation, fields, columns, pending.limit, about).await?
            }
            None => {
                let columns = Columns::of(&fields);
                let plan = self.plan(&relation, columns.exprs, columns.schema).await?;
                let mut settled = Relation::of_plan(plan, columns.fields, &around, about);
                if let Some(limit) = pending.limit {
                    settled = limited(settled, limit);
                }
                settled
            }
        };
        self.note(&relation.scope);
        settled.scope.follow(&relation.scope);
        settled.totals = relation.totals;
        Ok(settled)
    }

    /// The first events of a dataset, found and read.
    async fn found(&self, mut relation: Relation) -> Result<Relation> {
        let hidden = relation.scope.hidden();
        let answer = self.events(&mut relation, usize::MAX, &hidden, None).await?;
        if answer.continues_at.is_some() {
            return Err(Error::Time { seconds: self.question.options.time_max.as_secs() });
        }
        let table = answer.tables.into_iter().next().unwrap_or_default();
        let about = About { sorted_by: table.order.clone(), is_events: false, ..relation.about };
        let mut found = of_table(&table, relation.scope.surroundings(), about)?;
        found.scope.follow(&relation.scope);
        Ok(found)
    }

    /// The events of a dataset in their order, at most so many, with fields beside those that are shown.
    pub(super) async fn events(
        &self,
        relation: &mut Relation,
        rows_max: usize,
        beside: &[(String, Value)],
        bytes_max: Option<usize>,
    ) -> Result<Answer> {
        let mut plan = EventsPlan::new(&mut relation.scope)?;
        match &mut plan.fields {
            Some(fields) => fields.extend(beside.iter().cloned()),
            None => plan.computed.extend(beside.iter().cloned()),
        }
        if let Some((order, keys)) = relation.pending.order.take() {
            (plan.order, plan.sorted_by) = (order, keys);
        }
        plan.limit = relation.pending.limit.unwrap_or(usize::MAX).min(rows_max);
        plan.after = relation.pending.after;
        if plan.after.is_some() && !matches!(plan.order, EventOrder::Time { .. }) {
            return Err(misplaced("a cursor goes with an order by time alone: sort by `_time`"));
        }
        let Origin::Dataset(rows) = &relation.origin else {
            return Err(Error::Internal { message: "events need a dataset".to_owned() });
        };
        let is_ascending = matches!(plan.order, EventOrder::Time { is_descending: false });
        let mut scan = self.scan(rows, &relation.scope, &relation.conditions, is_ascending).await?;
        scan.after = events::rows_after(&plan);
        self.note(&relation.scope);
        let options = &self.question.options;
        let budget = Budget {
            threads: self.threads,
            deadline: self.deadline(),
            seconds: options.time_max.as_secs(),
            answer_bytes_max: bytes_max,
            memory: Arc::new(events::Memory::new(self.context.memory_pool())),
        };
        self.work().lists.push(Arc::clone(&budget.memory));
        let mut answer = events::run(&plan, &Arc::new(scan), budget).await?;
        answer.messages.drain(..).for_each(|message| self.tell(message));
        Ok(answer)
    }

    /// All rows of a plan as one batch. Their memory is the query's for as long as it runs.
    pub(super) async fn collected(&self, plan: Arc<dyn ExecutionPlan>) -> Result<RecordBatch> {
        let plan = one_partition(plan);
        let mut stream = plan.execute(0, Arc::clone(&self.context))?;
        let mut batches = Vec::new();
        while let Some(batch) = stream.try_next().await? {
            self.hold(batch.columns().iter().map(own_rows::bytes).sum())?;
            batches.push(batch);
        }
        Ok(arrow_select::concat::concat_batches(&plan.schema(), &batches)?)
    }

    /// Takes so many bytes from the query's share of memory until it is over.
    pub(super) fn hold(&self, bytes: usize) -> Result<()> {
        let mut work = self.work();
        let held =
            work.held.get_or_insert_with(|| MemoryConsumer::new("rows").register(self.context.memory_pool()));
        Ok(held.try_grow(bytes)?)
    }
}

/// The columns that put the events of a dataset in the order that [`EventOrder`] says, down to the last event: however
/// many there are and whichever way they are sorted, there is one order of them.
fn in_one_order(order: EventOrder, scope: &mut Scope) -> Vec<SortColumn> {
    let time = scope.time();
    let mut columns = match order {
        EventOrder::Time { is_descending } => vec![SortColumn::new(time, is_descending)],
        EventOrder::Columns(mut columns) => {
            columns.push(SortColumn::new(time, true));
            columns
        }
    };
    columns.extend(scope.as_sent().map(|column| SortColumn::new(column, false)));
    columns
}

/// A plan that gives all rows in one stream.
pub(super) fn one_partition(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    use datafusion_physical_plan::ExecutionPlanProperties;
    match plan.output_partitioning().partition_count() {
        1 => plan,
        _ => Arc::new(CoalescePartitionsExec::new(plan)),
    }
}

/// The first rows of a settled relation.
pub(super) fn limited(mut relation: Relation, limit: usize) -> Relation {
    if let Origin::Plan(plan) = relation.origin {
        let first = GlobalLimitExec::new(one_partition(plan), 0, Some(limit));
        relation.origin = Origin::Plan(Arc::new(first));
    }
    relation
}

/// A relation of the rows of a table.
pub(super) fn of_table(
    table: &Table,
    around: &tidegauge_bind::Surroundings,
    about: About,
) -> Result<Relation> {
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut kinds: Vec<Type> = Vec::new();
    let mut fields = Vec::with_capacity(table.fields.len());
    for field in &table.fields {
        let mut variants = Vec::with_capacity(field.values.len());
        for (kind, array) in &field.values {
            variants.push(Typed::input(*kind, arrays.len()));
            arrays.push(Arc::clone(array));
            kinds.push(*kind);
        }
        fields.push((field.name.clone(), Value { variants }));
    }
    of_arrays(arrays, &kinds, table.rows, fields, around, about)
}

/// A relation of rows in memory, whose fields are these columns.
pub(super) fn of_arrays(
    arrays: Vec<ArrayRef>,
    kinds: &[Type],
    rows: usize,
    fields: Vec<(String, Value)>,
    around: &tidegauge_bind::Surroundings,
    about: About,
) -> Result<Relation> {
    let schema = kinds.iter().enumerate().map(|(place, kind)| super::relation::column_field(place, *kind));
    let schema: SchemaRef = Arc::new(arrow_schema::Schema::new(schema.collect::<Vec<_>>()));
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)?;
    let plan: Arc<dyn ExecutionPlan> = Arc::new(Leaf::of_batches(vec![batch], schema));
    Ok(Relation::of_plan(plan, fields, around, about))
}

/// The range of time that conditions leave of a range.
pub(super) fn narrowed(mut range: TimeRange, scope: &Scope, conditions: &[Typed]) -> TimeRange {
    for condition in conditions {
        let Some((operator, time)) = condition.bound(|typed| scope.is_time(typed)) else { continue };
        let after = time.saturating_add(1);
        match operator {
            BinaryOperator::Greater => range.start = range.start.max(after),
            BinaryOperator::GreaterOrEqual => range.start = range.start.max(time),
            BinaryOperator::Less => range.end = range.end.min(time),
            BinaryOperator::LessOrEqual => range.end = range.end.min(after),
            BinaryOperator::Equal => {
                range = TimeRange { start: range.start.max(time), end: range.end.min(after) };
            }
            _ => {}
        }
    }
    range
}
