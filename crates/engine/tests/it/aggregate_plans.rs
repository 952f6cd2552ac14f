//! Runs an aggregate in the ways a plan can run it: at once, in parts that are merged, in parts that are merged twice,
//! and with rows that become states one by one. What the answer should be is left to the tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use datafusion_common::ScalarValue;
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_expr::AggregateUDF;
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::aggregate::AggregateExprBuilder;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion_physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion_physical_plan::test::TestMemoryExec;
use datafusion_physical_plan::{ExecutionPlan, collect};

/// How the rows are cut and put together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    AtOnce,
    /// Batches of so many rows, dealt to so many parts, whose states are merged.
    InParts {
        parts: usize,
        rows: usize,
    },
    /// The same, with states that are merged into states in between.
    Twice {
        parts: usize,
        rows: usize,
    },
    /// The same, with rows that become states of their own after the first batch.
    RowByRow {
        parts: usize,
        rows: usize,
    },
}

/// Ways that should all give the same.
pub(crate) const WAYS: [Way; 7] = [
    Way::AtOnce,
    Way::InParts { parts: 1, rows: 100 },
    Way::InParts { parts: 3, rows: 7 },
    Way::InParts { parts: 4, rows: 1000 },
    Way::Twice { parts: 5, rows: 13 },
    Way::Twice { parts: 2, rows: 700 },
    Way::RowByRow { parts: 2, rows: 40 },
];

/// A question to an aggregate.
pub(crate) struct Asked {
    pub(crate) function: Arc<AggregateUDF>,
    pub(crate) inputs: Vec<ArrayRef>,
    /// The group of each row; without, there are no groups, and the answer is that of group 0.
    pub(crate) groups: Option<Vec<i64>>,
    /// Which rows count; without, all do.
    pub(crate) filter: Option<BooleanArray>,
}

impl Asked {
    pub(crate) fn new(function: Arc<AggregateUDF>, inputs: Vec<ArrayRef>) -> Self {
        Self { function, inputs, groups: None, filter: None }
    }

    pub(crate) fn by(self, groups: impl IntoIterator<Item = i64>) -> Self {
        Self { groups: Some(groups.into_iter().collect()), ..self }
    }

    pub(crate) fn where_true(self, filter: BooleanArray) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// The answer for each group.
    pub(crate) fn answer(&self, way: Way) -> BTreeMap<i64, ScalarValue> {
        let plan = self.plan(way);
        let mut config = SessionConfig::new().with_batch_size(64);
        if let Way::RowByRow { rows, .. } = way {
            let execution = &mut config.options_mut().execution;
            execution.skip_partial_aggregation_probe_rows_threshold = rows;
            execution.skip_partial_aggregation_probe_ratio_threshold = 0.0;
        }
        let context = Arc::new(TaskContext::default().with_session_config(config));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let batches = runtime.block_on(collect(plan, context)).unwrap();
        let mut answers = BTreeMap::new();
        for batch in &batches {
            let column = batch.columns().last().unwrap();
            for row in 0..batch.num_rows() {
                let group = match &self.groups {
                    Some(_) => batch.column(0).as_primitive::<Int64Type>().value(row),
                    None => 0,
                };
                let answer = ScalarValue::try_from_array(column, row).unwrap();
                assert!(answers.insert(group, answer).is_none(), "group {group} came twice");
            }
        }
        answers
    }

    /// The answers, which must be the same in all ways.
    pub(crate) fn answer_in_all_ways(&self) -> BTreeMap<i64, ScalarValue> {
        let at_once = self.answer(Way::AtOnce);
        for way in WAYS {
            assert_eq!(self.answer(way), at_once, "{way:?}");
        }
        at_once
    }

    fn plan(&self, way: Way) -> Arc<dyn ExecutionPlan> {
        let batch = self.batch();
        let schema = batch.schema();
        match way {
            Way::AtOnce => {
                let source = source(vec![vec![batch]], &schema);
                self.aggregate(AggregateMode::Single, source, &schema)
            }
            Way::InParts { parts, rows } | Way::RowByRow { parts, rows } => {
                let source = source(deal(&batch, parts, rows), &schema);
                let partial = self.aggregate(AggregateMode::Partial, source, &schema);
                self.aggregate(AggregateMode::Final, gather(partial), &schema)
            }
            Way::Twice { parts, rows } => {
                let source = source(deal(&batch, parts, rows), &schema);
                let partial = self.aggregate(AggregateMode::Partial, source, &schema);
                // Without groups the states of the parts are gathered first, since there is no merging in parts.
                let reduced = match self.groups {
                    Some(_) => self.aggregate(AggregateMode::PartialReduce, partial, &schema),
                    None => self.aggregate(AggregateMode::PartialReduce, gather(partial), &schema),
                };
                self.aggregate(AggregateMode::Final, gather(reduced), &schema)
            }
        }
    }

    /// The group of each row, if there are groups, the inputs, and the filter, if there is one.
    fn batch(&self) -> RecordBatch {
        let mut columns = self.inputs.clone();
        if let Some(groups) = &self.groups {
            columns.insert(0, Arc::new(Int64Array::from(groups.clone())));
        }
        if let Some(filter) = &self.filter {
            columns.push(Arc::new(filter.clone()));
        }
        let field = |(index, column): (usize, &ArrayRef)| {
            Field::new(format!("column{index}"), column.data_type().clone(), true)
        };
        let fields: Vec<Field> = columns.iter().enumerate().map(field).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    }

    fn aggregate(
        &self,
        mode: AggregateMode,
        source: Arc<dyn ExecutionPlan>,
        schema: &SchemaRef,
    ) -> Arc<dyn ExecutionPlan> {
        let column = |index: usize| -> Arc<dyn PhysicalExpr> {
            Arc::new(Column::new(schema.field(index).name(), index))
        };
        let grouped = usize::from(self.groups.is_some());
        let groups = (0..grouped).map(|index| (column(index), "group".to_owned())).collect();
        let inputs_end = grouped + self.inputs.len();
        let inputs = (grouped..inputs_end).map(column).collect();
        // Only what takes rows in has a filter; states have been filtered.
        let takes_rows = mode == AggregateMode::Single || mode == AggregateMode::Partial;
        let filter = self.filter.as_ref().filter(|_| takes_rows).map(|_| column(inputs_end));
        let aggregate = AggregateExprBuilder::new(Arc::clone(&self.function), inputs)
            .schema(Arc::clone(schema))
            .alias("answer")
            .build()
            .unwrap();
        let groups = PhysicalGroupBy::new_single(groups);
        let groups = if takes_rows { groups } else { groups.as_final() };
        let exec = AggregateExec::try_new(
            mode,
            groups,
            vec![Arc::new(aggregate)],
            vec![filter],
            source,
            Arc::clone(schema),
        );
        Arc::new(exec.unwrap())
    }
}

fn source(partitions: Vec<Vec<RecordBatch>>, schema: &SchemaRef) -> Arc<dyn ExecutionPlan> {
    TestMemoryExec::try_new_exec(&partitions, Arc::clone(schema), None).unwrap()
}

fn gather(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    Arc::new(CoalescePartitionsExec::new(plan))
}

fn deal(batch: &RecordBatch, parts: usize, rows: usize) -> Vec<Vec<RecordBatch>> {
    let mut dealt = vec![Vec::new(); parts];
    for (index, start) in (0..batch.num_rows()).step_by(rows).enumerate() {
        dealt[index % parts].push(batch.slice(start, rows.min(batch.num_rows() - start)));
    }
    dealt
}

/// The answer inside an answer that may be an estimate, and whether it is one.
pub(crate) fn estimate(answer: &ScalarValue) -> (ScalarValue, bool) {
    let column = answer.to_array().unwrap();
    let (value, is_estimate) = tidegauge_aggregates::split_estimates(&column);
    (ScalarValue::try_from_array(&value, 0).unwrap(), is_estimate)
}

/// A text answer as JSON.
pub(crate) fn json(answer: &ScalarValue) -> serde_json::Value {
    let ScalarValue::Utf8View(Some(text)) = answer else { panic!("{answer:?} is no text") };
    serde_json::from_str(text).unwrap()
}
