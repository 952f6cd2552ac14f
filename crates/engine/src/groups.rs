//! Groups and their aggregates. One pass over the rows makes mergeable states for each group and time bucket; from
//! those come the groups over all time, of which the first are chosen, and then the chosen ones by bucket. DataFusion
//! groups, merges and sorts, and spills when its share of memory is used up.

mod accumulators;
mod bucket;
mod check;
mod chosen;
mod collected;
mod dense;
mod error;
mod key_column;
mod many;
mod many_columns;
mod merge;
mod merger;
mod ordered;
mod places;
mod shape;
mod sort_keys;
mod states;
mod wide;

pub(crate) use chosen::in_order;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field as ArrowField, Schema, SchemaRef};
use datafusion_common::ScalarValue;
use datafusion_execution::TaskContext;
use datafusion_physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion_physical_expr::expressions::{Column, Literal};
use datafusion_physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use tidegauge_cache::partials::Partials;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::types::arrow_type;
use tidegauge_lang::tree::{Bucket, Type};
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_store::Block;

use self::collected::collected;
use self::ordered::ordered;
use crate::answer::{Answer, Field, Table};
use crate::leaf::Leaf;
use crate::plan::GroupsPlan;
use crate::scan::Scan;
use crate::{Error, Result};

/// A query over groups while it runs.
struct Grouping<'a> {
    plan: &'a GroupsPlan,
    context: Arc<TaskContext>,
    /// The columns of the scan: the bucket if there is one, the keys, and what aggregates read.
    schema: SchemaRef,
    columns: Vec<Typed>,
    aggregates: Vec<Arc<AggregateFunctionExpr>>,
    /// How many seconds the whole range has, for rates.
    range_seconds: f64,
    has_bucket: bool,
}

/// The rows that are grouped.
#[derive(Clone, Debug)]
pub(crate) enum GroupedRows {
    Scan(Arc<Scan>),
    /// Those of a plan that pass all conditions.
    Plan(Arc<dyn ExecutionPlan>, Vec<Typed>),
}

impl GroupedRows {
    /// Whether the groups of some block are kept, which they are only where they are few.
    fn has_kept(&self, partials: &Partials) -> bool {
        let Self::Scan(scan) = self else { return false };
        partials.look_up(scan.blocks.iter().map(Block::id));
        scan.blocks.iter().any(|block| partials.has(block.id()))
    }
}

/// Groups rows.
pub(crate) async fn run(
    plan: &GroupsPlan,
    scan: &GroupedRows,
    context: Arc<TaskContext>,
    threads: usize,
    range_seconds: f64,
    partials: Option<&Partials>,
) -> Result<Answer> {
    let grouping = Grouping::new(plan, context, range_seconds, plan.bucket.is_some())?;
    let is_known = partials.is_some_and(|partials| scan.has_kept(partials));
    let (totals, series) = if !is_known && grouping.is_wide(scan).await? {
        grouping.by_totals(scan, threads, partials).await?
    } else {
        match (grouping.by_states(scan, threads, partials).await, scan) {
            // The states of all groups must be in memory at once. Without them, groups can wait on the disk.
            (Err(Error::Memory { .. }), GroupedRows::Scan(scan)) if !grouping.has_many_columns() => {
                // Its blocks were claimed the first time.
                let again = Arc::new(scan.again(None));
                let counters = Arc::clone(&again.counters);
                let grouped = grouping.by_totals(&GroupedRows::Scan(again), threads, partials).await?;
                scan.counters.set(&counters);
                grouped
            }
            (grouped, _) => grouped?,
        }
    };
    let mut answer = Answer::default();
    answer.figures.groups = totals.groups;
    let mut tables = Vec::new();
    if let (Some((bucket, _)), Some(series)) = (&plan.bucket, &series) {
        tables.push(grouping.table("0", series, Some(*bucket), &mut answer)?);
    }
    let name = if plan.bucket.is_some() { "_totals" } else { "0" };
    let table = grouping.table(name, &totals.batch, None, &mut answer)?;
    tables.push(table);
    answer.tables = tables;
    Ok(answer)
}

/// The chosen groups over all time, and how many there were.
struct Totals {
    batch: RecordBatch,
    groups: u64,
}

impl<'a> Grouping<'a> {
    fn new(
        plan: &'a GroupsPlan,
        context: Arc<TaskContext>,
        range_seconds: f64,
        has_bucket: bool,
    ) -> Result<Self> {
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        if let Some((bucket, time)) = plan.bucket.as_ref().filter(|_| has_bucket) {
            columns.push(bucket::of_time(*bucket, time.clone())?);
            fields.push(ArrowField::new(TIME_FIELD, DataType::Int64, true));
        }
        for (name, key) in &plan.keys {
            columns.push(key.clone());
            fields.push(ArrowField::new(name, arrow_type(key.kind), true));
        }
        let mut arguments: Vec<Vec<Arc<dyn PhysicalExpr>>> = Vec::new();
        for aggregate in &plan.aggregates {
            let mut places: Vec<Arc<dyn PhysicalExpr>> = Vec::new();
            for argument in &aggregate.arguments {
                let known = columns.iter().position(|column: &Typed| column.is_same(argument));
                let place = known.unwrap_or(columns.len());
                if known.is_none() {
                    columns.push(argument.clone());
                    fields.push(ArrowField::new(format!("#{place}"), arrow_type(argument.kind), true));
                }
                places.push(Arc::new(Column::new(fields[place].name(), place)));
            }
            if places.is_empty() {
                places.push(Arc::new(Literal::new(ScalarValue::Int64(Some(1)))));
            }
            arguments.push(places);
        }
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let mut aggregates = Vec::with_capacity(plan.aggregates.len());
        for (number, (aggregate, arguments)) in plan.aggregates.iter().zip(arguments).enumerate() {
            let expr = AggregateExprBuilder::new(Arc::clone(&aggregate.function), arguments)
                .schema(Arc::clone(&schema))
                .alias(format!("@{number}"))
                .build()?;
            aggregates.push(Arc::new(expr));
        }
        let context = many_columns::context(context, columns.len());
        Ok(Self { plan, context, schema, columns, aggregates, range_seconds, has_bucket })
    }

    /// Whether groups have so many columns that waiting on the disk does not help: they come back all at once.
    fn has_many_columns(&self) -> bool {
        many_columns::come_back_at_once(self.columns.len())
    }

    /// How many columns groups are told apart by, the bucket among them.
    fn key_count(&self) -> usize {
        self.plan.keys.len() + usize::from(self.has_bucket)
    }

    /// The columns that are grouped and aggregated.
    fn leaf(&self, rows: &GroupedRows, threads: usize) -> Arc<dyn ExecutionPlan> {
        let (columns, schema) = (self.columns.clone(), Arc::clone(&self.schema));
        Arc::new(match rows {
            GroupedRows::Scan(scan) => {
                let weight = many_columns::weight(columns.len(), self.aggregates.len());
                Leaf::of_scan(Arc::clone(scan), columns, schema, threads).weighing(weight)
            }
            GroupedRows::Plan(plan, conditions) => {
                Leaf::of_plan(Arc::clone(plan), conditions.clone(), columns, schema)
            }
        })
    }

    /// An aggregation by the keys from a place on. After a partial one, its input has states in place of arguments.
    fn aggregate(
        &self,
        mode: AggregateMode,
        input: Arc<dyn ExecutionPlan>,
        first_key: usize,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let fields = self.schema.fields()[first_key..self.key_count()].iter();
        // States come without the keys before the first; rows come with all columns.
        let first_place = if mode == AggregateMode::Final { 0 } else { first_key };
        let keys = fields.enumerate().map(|(place, field)| {
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), first_place + place));
            (column, field.name().clone())
        });
        let aggregate = AggregateExec::try_new(
            mode,
            PhysicalGroupBy::new_single(keys.collect()),
            self.aggregates.clone(),
            vec![None; self.aggregates.len()],
            input,
            Arc::clone(&self.schema),
        )?;
        Ok(Arc::new(aggregate))
    }

    /// What an aggregation by the keys from a place on gives, states or results. The operator would tell as well, but is
    /// dear to make: a twentieth of a small query.
    fn schema_of(&self, mode: AggregateMode, first_key: usize) -> Result<SchemaRef> {
        let mut fields = self.schema.fields()[first_key..self.key_count()].to_vec();
        for aggregate in &self.aggregates {
            match mode {
                AggregateMode::Partial => fields.extend(aggregate.state_fields()?),
                _ => fields.push(aggregate.field()),
            }
        }
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        #[cfg(debug_assertions)]
        {
            let empty = Leaf::of_batches(Vec::new(), Arc::clone(&self.schema));
            assert_eq!(schema, self.aggregate(mode, Arc::new(empty), first_key)?.schema());
        }
        Ok(schema)
    }

    /// The groups over all time, the first of them in order.
    async fn totals(&self, states: &[RecordBatch]) -> Result<Totals> {
        let first_key = usize::from(self.has_bucket);
        let merged = self.merged(states, first_key)?;
        let order = self.order(&merged.schema());
        let batch = ordered(Arc::clone(&merged), order, self.fetched(), &self.context).await?;
        let groups = merged.metrics().and_then(|metrics| metrics.output_rows());
        let groups = groups.unwrap_or(batch.num_rows()) as u64;
        let kept = batch.num_rows().min(self.plan.limit);
        Ok(Totals { batch: batch.slice(0, kept), groups })
    }

    /// How many groups are sorted out. A sort cannot be asked for none.
    fn fetched(&self) -> Option<usize> {
        (self.plan.limit < usize::MAX).then_some(self.plan.limit.max(1))
    }

    /// States merged to results, grouped by the keys from a place on.
    fn merged(&self, states: &[RecordBatch], first_key: usize) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(first) = states.first() else {
            let empty = RecordBatch::new_empty(Arc::clone(&self.schema));
            let leaf = Leaf::of_batches(vec![empty], Arc::clone(&self.schema));
            return self.aggregate(AggregateMode::Single, Arc::new(leaf), first_key);
        };
        let kept: Vec<usize> = (first_key..first.num_columns()).collect();
        let projected = states.iter().map(|batch| batch.project(&kept));
        let projected = projected.collect::<std::result::Result<Vec<RecordBatch>, _>>()?;
        let schema = projected[0].schema();
        self.aggregate(AggregateMode::Final, Arc::new(Leaf::of_batches(projected, schema)), first_key)
    }

    /// The order that was asked for, and after it that of the keys, so that an answer is always the same.
    fn order(&self, schema: &SchemaRef) -> Vec<PhysicalSortExpr> {
        if self.plan.is_in_any_order && self.plan.limit == usize::MAX {
            return Vec::new();
        }
        let asked = self.plan.order.iter().map(|(place, descending)| (*place, *descending, true));
        let keys = (0..self.plan.keys.len()).map(|place| (place, false, false));
        let by = |(place, descending, is_asked): (usize, bool, bool)| {
            let field = schema.field(place);
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), place));
            let is_json = self.plan.is_json(place);
            let mut columns = sort_keys::of(&column, field.data_type(), is_json);
            if is_asked && is_json {
                // Values that read the same are in the order of the keys, whichever way was asked for.
                columns.pop();
            }
            if self.plan.is_zero_of_nothing(place) {
                columns = columns.into_iter().map(sort_keys::or_zero).collect();
            }
            let options = arrow_ord::sort::SortOptions { descending, nulls_first: !descending };
            columns.into_iter().map(move |expr| PhysicalSortExpr { expr, options })
        };
        asked.chain(keys).flat_map(by).collect()
    }

    /// The chosen groups by bucket, in the order of buckets and then of the totals.
    async fn series(&self, states: &[RecordBatch], totals: &RecordBatch) -> Result<Option<RecordBatch>> {
        if !self.has_bucket {
            return Ok(None);
        }
        let merged = self.merged(states, 0)?;
        let all = collected(&merged, &self.context).await?;
        let keys = self.plan.keys.len();
        let rows = chosen::in_order(&all.columns()[..=keys], &totals.columns()[..keys])?;
        Ok(Some(arrow_select::take::take_record_batch(&all, &rows)?))
    }

    /// A table of the answer.
    fn table(
        &self,
        name: &'static str,
        batch: &RecordBatch,
        bucket: Option<Bucket>,
        answer: &mut Answer,
    ) -> Result<Table> {
        let mut fields = Vec::with_capacity(batch.num_columns());
        let mut columns = batch.columns().iter();
        if bucket.is_some() {
            let times = columns.next().ok_or_else(internal)?;
            fields.push(Field {
                name: TIME_FIELD.to_owned(),
                aggregate: None,
                values: vec![(Type::Datetime, Arc::clone(times))],
            });
        }
        for ((name, key), column) in self.plan.keys.iter().zip(columns.by_ref()) {
            fields.push(Field {
                name: name.clone(),
                aggregate: None,
                values: vec![(key.kind, Arc::clone(column))],
            });
        }
        let keys = self.plan.keys.len();
        let seconds = bucket.map_or(self.range_seconds, |bucket| bucket.step as f64 / 1e9);
        for (aggregate, column) in self.plan.aggregates.iter().zip(columns) {
            let column = shape::settled(aggregate.shape, column, batch, keys, bucket.is_some())?;
            let (values, is_estimate) = shape::values(aggregate.shape, &column, seconds)?;
            answer.figures.is_estimate |= is_estimate;
            fields.push(Field {
                name: aggregate.name.clone(),
                aggregate: Some(aggregate.info.clone()),
                values,
            });
        }
        let bucket_name = bucket.map(|_| TIME_FIELD.to_owned());
        let groups = bucket_name.into_iter().chain(self.plan.keys.iter().map(|(name, _)| name.clone()));
        Ok(Table {
            name,
            rows: batch.num_rows(),
            fields,
            order: self.plan.sorted_by.clone(),
            groups: groups.collect(),
            bucket,
            ..Table::default()
        })
    }
}

fn internal() -> Error {
    Error::Internal { message: "a table lacks a column".to_owned() }
}
