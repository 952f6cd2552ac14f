//! The leaves of DataFusion plans: the scan, whose threads claim blocks and compute the columns that the operator above
//! reads, and batches that are in memory already. And the step between plans: columns computed of another plan's rows.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{DataFusionError, Result as DataFusionResult};
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion_physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use tidegauge_exec::expr::{Input, Rows, Typed};

use crate::Result;
use crate::own_rows;
use crate::partners::{Alone, Paired, Partners};
use crate::scan::{Scan, Selected};
use crate::stretches::{Pace, Stretches};
use crate::turns;
use crate::unfold::{self, Unfolding};

/// How many rows go to the operator above at once: its working set should stay near the processor.
const BATCH_ROWS: usize = 16 * 1024;

/// The leaf of a plan.
#[derive(Debug)]
pub(crate) struct Leaf {
    rows: Source,
    properties: Arc<PlanProperties>,
}

/// Where the rows of a leaf come from.
#[derive(Debug)]
enum Source {
    /// Columns that are computed for the rows of a scan, by as many threads as there are partitions.
    Scan {
        scan: Arc<Scan>,
        columns: Arc<Vec<Typed>>,
        /// As how many columns they count when they are computed at once.
        weight: usize,
    },
    Batches(Vec<RecordBatch>),
    /// Columns that are computed for the rows of another plan that pass all conditions.
    Computed {
        input: Arc<dyn ExecutionPlan>,
        conditions: Arc<Vec<Typed>>,
        columns: Arc<Vec<Typed>>,
    },
    /// The rows of all partitions of another plan, one partition after the other.
    Partitions(Arc<dyn ExecutionPlan>),
    /// The rows of another plan, in batches that hold nothing else.
    Own(Arc<dyn ExecutionPlan>),
    /// A row for each element of what is in the rows of another plan.
    Unfolded {
        input: Arc<dyn ExecutionPlan>,
        unfolding: Arc<Unfolding>,
    },
    /// The rows of another plan beside their partners in a table, and at the end what is left of the table.
    Paired {
        input: Arc<dyn ExecutionPlan>,
        partners: Arc<Partners>,
    },
}

impl Leaf {
    /// Computes columns for the rows of a scan.
    pub(crate) fn of_scan(scan: Arc<Scan>, columns: Vec<Typed>, schema: SchemaRef, threads: usize) -> Self {
        let weight = columns.len();
        Self::new(Source::Scan { scan, columns: Arc::new(columns), weight }, schema, threads)
    }

    /// The same where the operator above makes more of the rows at hand than the columns are.
    pub(crate) fn weighing(mut self, more: usize) -> Self {
        if let Source::Scan { weight, .. } = &mut self.rows {
            *weight = more;
        }
        self
    }

    /// Batches in memory, as one partition.
    pub(crate) fn of_batches(batches: Vec<RecordBatch>, schema: SchemaRef) -> Self {
        Self::new(Source::Batches(batches), schema, 1)
    }

    /// Computes columns for the rows of a plan that pass, in their order.
    pub(crate) fn of_plan(
        input: Arc<dyn ExecutionPlan>,
        conditions: Vec<Typed>,
        columns: Vec<Typed>,
        schema: SchemaRef,
    ) -> Self {
        let partitions = input.output_partitioning().partition_count();
        let (conditions, columns) = (Arc::new(conditions), Arc::new(columns));
        Self::new(Source::Computed { input, conditions, columns }, schema, partitions)
    }

    /// A row for each element of the arrays and maps in the rows of a plan.
    pub(crate) fn of_elements(
        input: Arc<dyn ExecutionPlan>,
        unfolding: Unfolding,
        schema: SchemaRef,
    ) -> Self {
        let partitions = input.output_partitioning().partition_count();
        Self::new(Source::Unfolded { input, unfolding: Arc::new(unfolding) }, schema, partitions)
    }

    /// The rows of a plan beside their partners.
    pub(crate) fn of_partners(
        input: Arc<dyn ExecutionPlan>,
        partners: Arc<Partners>,
        schema: SchemaRef,
    ) -> Self {
        let partitions = input.output_partitioning().partition_count();
        Self::new(Source::Paired { input, partners }, schema, partitions)
    }

    /// The rows of all partitions of a plan in one, those of the first before those of the next.
    pub(crate) fn of_partitions(input: Arc<dyn ExecutionPlan>) -> Self {
        let schema = input.schema();
        Self::new(Source::Partitions(input), schema, 1)
    }

    /// The rows of a plan in batches that hold nothing else, for operators that count what the batches hold.
    pub(crate) fn of_own_rows(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let (schema, partitions) = (input.schema(), input.output_partitioning().partition_count());
        Arc::new(Self::new(Source::Own(input), schema, partitions))
    }

    fn new(rows: Source, schema: SchemaRef, partitions: usize) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { rows, properties: Arc::new(properties) }
    }
}

/// What columns read of the rows of one block: they are computed of it stretch after stretch.
pub(crate) async fn loaded(scan: &Scan, columns: &[Typed], selected: &Selected) -> Result<Stretches> {
    weighed(scan, columns, columns.len(), selected).await
}

async fn weighed(scan: &Scan, columns: &[Typed], weight: usize, selected: &Selected) -> Result<Stretches> {
    let places = Typed::inputs_of(columns);
    let inputs = scan.load(selected.place, &places, &selected.picked).await?;
    Ok(Stretches::of_columns(inputs, selected.picked.count(), weight))
}

/// Columns for some rows.
pub(crate) fn evaluated(columns: &[Typed], rows: &Rows<'_>) -> Result<Vec<ArrayRef>> {
    columns.iter().map(|column| Ok(column.evaluate(rows)?.into_array(rows.count)?)).collect()
}

/// Columns for some rows, as a batch.
fn batch_of(columns: &[Typed], schema: &SchemaRef, rows: &Rows<'_>) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows.count));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), evaluated(columns, rows)?, &options)?)
}

/// Where one thread of a scan is.
#[derive(Default)]
struct Reading {
    weight: usize,
    /// Rows whose columns are being computed, and rows that come after them.
    current: Option<Stretches>,
    waiting: VecDeque<Selected>,
}

/// The next batch of the scan; none when there are no blocks left.
async fn next_batch(
    scan: &Scan,
    columns: &[Typed],
    schema: &SchemaRef,
    reading: &mut Reading,
) -> Result<Option<RecordBatch>> {
    loop {
        if let Some(stretches) = &mut reading.current {
            let batch = stretches.next(&scan.pace, |rows, _| batch_of(columns, schema, rows))?;
            if batch.is_some() {
                return Ok(batch);
            }
            reading.current = None;
        }
        if let Some(selected) = reading.waiting.pop_front() {
            reading.current = Some(weighed(scan, columns, reading.weight, &selected).await?);
            continue;
        }
        let Some(claim) = scan.claim() else { return Ok(None) };
        match scan.select(claim).await? {
            Some(Selected { place, picked }) => {
                let portions = scan.portions(place, &Typed::inputs_of(columns), &picked).into_iter();
                reading.waiting.extend(portions.map(|picked| Selected { place, picked }));
            }
            // Others go on between blocks.
            None => turns::pause().await,
        }
    }
}

/// What is computed of the rows of another plan.
struct Computing {
    conditions: Arc<Vec<Typed>>,
    columns: Arc<Vec<Typed>>,
    schema: SchemaRef,
    pace: Pace,
    current: Option<Stretches>,
}

impl Computing {
    /// The next batch of columns for rows that pass; none when the rows at hand are done.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some(stretches) = &mut self.current else { return Ok(None) };
        let batch = stretches.next(&self.pace, |rows, _| batch_of(&self.columns, &self.schema, rows))?;
        if batch.is_none() {
            self.current = None;
        }
        Ok(batch)
    }

    /// Begins with the rows of a batch that pass.
    async fn begin(&mut self, mut batch: RecordBatch) -> Result<()> {
        for condition in self.conditions.iter() {
            let mut stretches = Stretches::new(inputs_of(&batch), batch.num_rows());
            let mut passes = BooleanBufferBuilder::new(batch.num_rows());
            while let Some(some) = stretches.next(&self.pace, |rows, _| Ok(condition.is_true(rows)?))? {
                passes.append_buffer(&some);
                turns::pause().await;
            }
            let passes = BooleanArray::new(passes.finish(), None);
            if passes.true_count() < passes.len() {
                batch = arrow_select::filter::filter_record_batch(&batch, &passes)?;
            }
        }
        self.current = Some(Stretches::of_columns(inputs_of(&batch), batch.num_rows(), self.columns.len()));
        Ok(())
    }
}

fn inputs_of(batch: &RecordBatch) -> Vec<Input> {
    batch.columns().iter().map(|column| Input::Plain(Arc::clone(column))).collect()
}

/// Columns that are computed of the rows of another plan that pass.
fn computed(input: SendableRecordBatchStream, computing: Computing) -> Batches {
    let batches = stream::try_unfold((input, computing), |(mut input, mut computing)| async move {
        loop {
            if let Some(batch) = computing.next().await.map_err(external)? {
                return Ok(Some((batch, (input, computing))));
            }
            let Some(batch) = input.try_next().await? else { return Ok(None) };
            computing.begin(batch).await.map_err(external)?;
        }
    });
    batches.boxed()
}

fn slices(batch: &RecordBatch) -> impl Iterator<Item = DataFusionResult<RecordBatch>> + use<> {
    let batch = batch.clone();
    let starts = (0..batch.num_rows()).step_by(BATCH_ROWS);
    starts.map(move |start| Ok(batch.slice(start, BATCH_ROWS.min(batch.num_rows() - start))))
}

impl ExecutionPlan for Leaf {
    fn name(&self) -> &'static str {
        "Leaf"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let schema = self.schema();
        let of = Arc::clone(&schema);
        let rows: Batches = match &self.rows {
            Source::Scan { scan, columns, weight } => {
                scanned(Arc::clone(scan), Arc::clone(columns), *weight, of)
            }
            Source::Batches(batches) => {
                let slices: Vec<DataFusionResult<RecordBatch>> = batches.iter().flat_map(slices).collect();
                stream::iter(slices).boxed()
            }
            Source::Partitions(input) => {
                let partitions = 0..input.output_partitioning().partition_count();
                let streams = partitions.map(|partition| input.execute(partition, Arc::clone(&context)));
                stream::iter(streams.collect::<DataFusionResult<Vec<_>>>()?).flatten().boxed()
            }
            Source::Own(input) => {
                let batches = input.execute(partition, context)?;
                batches.map(|batch| own_rows::of(batch?)).boxed()
            }
            Source::Unfolded { input, unfolding } => {
                let (unfolding, pool) = (Arc::clone(unfolding), Arc::clone(context.memory_pool()));
                let batches = input.execute(partition, context)?;
                let rows = batches
                    .map_ok(move |batch| stream::iter(unfold::Rows::new(batch, &unfolding, &of, &pool)));
                rows.try_flatten().boxed()
            }
            Source::Paired { input, partners } => {
                paired(input.execute(partition, context)?, Arc::clone(partners), of)
            }
            Source::Computed { input, conditions, columns } => {
                let (conditions, columns) = (Arc::clone(conditions), Arc::clone(columns));
                let pace = Pace::new(context.memory_pool());
                let computing = Computing { conditions, columns, schema: of, pace, current: None };
                computed(input.execute(partition, context)?, computing)
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, interruptible(rows))))
    }
}

type Batches = BoxStream<'static, DataFusionResult<RecordBatch>>;

fn external(error: crate::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Columns for the rows of a scan.
fn scanned(scan: Arc<Scan>, columns: Arc<Vec<Typed>>, weight: usize, schema: SchemaRef) -> Batches {
    let state = (scan, columns, schema, Reading { weight, ..Reading::default() });
    let batches = stream::try_unfold(state, |(scan, columns, schema, mut reading)| async move {
        let next = next_batch(&scan, &columns, &schema, &mut reading).await.map_err(external)?;
        Ok::<_, DataFusionError>(next.map(|batch| (batch, (scan, columns, schema, reading))))
    });
    batches.map_ok(|batch| stream::iter(slices(&batch))).try_flatten().boxed()
}

/// Rows beside their partners, and at the end what is left of the table.
fn paired(input: SendableRecordBatchStream, partners: Arc<Partners>, schema: SchemaRef) -> Batches {
    let alone = Alone::new(&partners, &schema);
    let pairs =
        input.map(move |batch| Paired::new(&partners, batch?, &schema).map(stream::iter).map_err(external));
    pairs.try_flatten().chain(stream::iter(alone)).boxed()
}

/// Rows in memory never wait for anything: without a pause between batches no deadline would be seen and nobody else
/// could go on.
fn interruptible(batches: Batches) -> Batches {
    let paused = batches.then(|batch| async move {
        turns::pause().await;
        batch
    });
    paused.boxed()
}

impl DisplayAs for Leaf {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rows {
            Source::Scan { scan, .. } => write!(f, "Leaf: blocks={}", scan.blocks.len()),
            Source::Batches(batches) => write!(f, "Leaf: batches={}", batches.len()),
            Source::Partitions(_) => write!(f, "Leaf: partitions"),
            Source::Unfolded { unfolding, .. } => write!(f, "Leaf: elements, limit={}", unfolding.limit),
            Source::Paired { partners, .. } => write!(f, "Leaf: {partners:?}"),
            Source::Computed { columns, .. } => write!(f, "Leaf: columns={}", columns.len()),
            Source::Own(_) => write!(f, "Leaf: own rows"),
        }
    }
}
