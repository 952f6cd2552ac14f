//! Groups in their order. The first of many are sorted out by DataFusion as they come. Where all are wanted, all are in
//! memory in the end: they are put together and then sorted, because a sort that could spill would hold them beside what
//! it gives, several times, and run out of memory that the answer does not need.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ord::sort::lexsort_to_indices;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_expr::LexOrdering;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::sorts::sort::SortExec;

use super::collected;
use crate::Result;
use crate::leaf::Leaf;
use crate::own_rows;

/// The rows of a plan of one partition in an order, all or the first.
pub(super) async fn ordered(
    plan: Arc<dyn ExecutionPlan>,
    order: LexOrdering,
    fetch: Option<usize>,
    context: &Arc<TaskContext>,
) -> Result<RecordBatch> {
    if fetch.is_some() {
        let rows = Leaf::of_own_rows(plan);
        let first: Arc<dyn ExecutionPlan> = Arc::new(SortExec::new(order, rows).with_fetch(fetch));
        return collected(&first, context).await;
    }
    let all = collected(&plan, context).await?;
    let memory = MemoryConsumer::new("sorted groups").register(context.memory_pool());
    memory.try_grow(all.num_rows() * size_of::<u32>())?;
    let mut columns = Vec::with_capacity(order.len());
    for by in &order {
        let column = by.evaluate_to_sort_column(&all)?;
        if !by.expr.is::<Column>() {
            memory.try_grow(own_rows::bytes(&column.values))?;
        }
        columns.push(column);
    }
    let rows = lexsort_to_indices(&columns, None)?;
    drop(columns);
    memory.try_resize(all.columns().iter().map(own_rows::bytes_beside).sum())?;
    Ok(arrow_select::take::take_record_batch(&all, &rows)?)
}
