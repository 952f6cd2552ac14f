//! Groups in their order. The first of many are sorted out by DataFusion as they come, by each thread of its own. Where
//! all are wanted, all are in memory in the end: they are put together and then sorted, because a sort that could spill
//! would hold them beside what it gives, several times, and run out of memory that the answer does not need.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ord::sort::lexsort_to_indices;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::{collected, stopped};
use crate::Result;
use crate::leaf::Leaf;
use crate::own_rows;
use crate::turns;

/// The rows of a plan, all or the first; in no order where none is given.
pub(super) async fn ordered(
    plan: Arc<dyn ExecutionPlan>,
    order: Vec<PhysicalSortExpr>,
    fetch: Option<usize>,
    context: &Arc<TaskContext>,
) -> Result<RecordBatch> {
    let Some(order) = LexOrdering::new(order) else { return collected(&together(plan), context).await };
    if fetch.is_some() {
        return collected(&first(plan, order, fetch), context).await;
    }
    let all = collected(&together(plan), context).await?;
    let memory = MemoryConsumer::new("sorted groups").register(context.memory_pool());
    // A sort does not pause: beside the query's own threads it takes no other query's time, and the deadline is seen.
    let sorting = tokio::task::spawn_blocking(turns::beside(move || sorted(&all, &order, &memory)));
    sorting.await.map_err(stopped)?
}

/// The first rows: of each partition, and then of what those give.
fn first(plan: Arc<dyn ExecutionPlan>, order: LexOrdering, fetch: Option<usize>) -> Arc<dyn ExecutionPlan> {
    let mut rows = Leaf::of_own_rows(plan);
    if rows.output_partitioning().partition_count() > 1 {
        let parts = SortExec::new(order.clone(), rows).with_preserve_partitioning(true).with_fetch(fetch);
        rows = Leaf::of_own_rows(together(Arc::new(parts)));
    }
    Arc::new(SortExec::new(order, rows).with_fetch(fetch))
}

fn together(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    match plan.output_partitioning().partition_count() {
        1 => plan,
        _ => Arc::new(CoalescePartitionsExec::new(plan)),
    }
}

fn sorted(all: &RecordBatch, order: &LexOrdering, memory: &MemoryReservation) -> Result<RecordBatch> {
    memory.try_grow(all.num_rows() * size_of::<u32>())?;
    let mut columns = Vec::with_capacity(order.len());
    for by in order {
        let column = by.evaluate_to_sort_column(all)?;
        if !by.expr.is::<Column>() {
            memory.try_grow(own_rows::bytes(&column.values))?;
        }
        columns.push(column);
    }
    let rows = lexsort_to_indices(&columns, None)?;
    drop(columns);
    memory.try_resize(all.columns().iter().map(own_rows::bytes_beside).sum())?;
    Ok(arrow_select::take::take_record_batch(all, &rows)?)
}
