//! Groups in their order. The first of many are sorted out by DataFusion as they come, by each thread of its own. Where
//! all are wanted, all are in memory in the end: they are put together and then sorted, because a sort that could spill
//! would hold them beside what it gives, several times, and run out of memory that the answer does not need. Few of them
//! are sorted in the query's own turn, many beside the threads of queries.

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

use super::collected::collected;
use super::error::stopped;
use crate::Result;
use crate::leaf::Leaf;
use crate::own_rows;
use crate::turns;

/// So many groups, of so many bytes, are sorted in a part of a turn. Handed to another thread, which gives way to those of
/// queries, they would wait for a processor before and for a turn after, for longer than most queries take.
const AT_ONCE_ROWS: usize = 1024;
const AT_ONCE_BYTES: usize = 256 << 10;

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
    if is_little(&all) {
        return sorted(&all, &order, &memory);
    }
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

fn is_little(all: &RecordBatch) -> bool {
    all.num_rows() <= AT_ONCE_ROWS
        && all.columns().iter().map(own_rows::bytes).sum::<usize>() <= AT_ONCE_BYTES
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, Int64Array, StringViewArray};
    use arrow_ord::sort::SortOptions;

    use super::*;

    /// Groups with these numbers, and a text of so many bytes each.
    fn groups(numbers: impl Iterator<Item = i64>, text_bytes: usize) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers));
        let text = "x".repeat(text_bytes);
        let texts = StringViewArray::from_iter_values(std::iter::repeat_n(text.as_str(), numbers.len()));
        RecordBatch::try_from_iter([("number", numbers), ("text", Arc::new(texts) as ArrayRef)]).unwrap()
    }

    #[test]
    fn little_is_few_rows_of_few_bytes() {
        let rows = |count: usize, text_bytes: usize| is_little(&groups(0..count as i64, text_bytes));
        assert!(rows(AT_ONCE_ROWS, 12));
        assert!(!rows(AT_ONCE_ROWS + 1, 12));
        assert!(rows(8, AT_ONCE_BYTES / 16));
        assert!(!rows(8, AT_ONCE_BYTES / 8));
        // What a few rows are a part of does not count.
        let many = groups(0..1 << 16, 100);
        assert!(!is_little(&many));
        assert!(is_little(&many.slice(40_000, 10)));
    }

    #[test]
    fn few_groups_wait_for_no_other_thread() {
        let threads = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(1)
            .enable_time()
            .build()
            .unwrap();
        let (tell, told) = std::sync::mpsc::channel::<()>();
        let context = Arc::new(TaskContext::default());
        let sorted_numbers = |count: i64| {
            let all = groups((0..count).rev(), 3);
            let schema = all.schema();
            let plan: Arc<dyn ExecutionPlan> = Arc::new(Leaf::of_batches(vec![all], schema));
            let expr = Arc::new(Column::new("number", 0));
            let order = vec![PhysicalSortExpr { expr, options: SortOptions::default() }];
            let context = Arc::clone(&context);
            async move {
                let sorted = ordered(plan, order, None, &context);
                let sorted = tokio::time::timeout(Duration::from_secs(1_200), sorted).await.unwrap().unwrap();
                sorted.column(0).as_primitive::<Int64Type>().values().to_vec()
            }
        };
        threads.block_on(async {
            // The only other thread there is.
            let taken = tokio::task::spawn_blocking(move || told.recv());
            assert_eq!(sorted_numbers(5).await, [0, 1, 2, 3, 4]);
            tell.send(()).unwrap();
            taken.await.unwrap().unwrap();
            // Many are handed over, and come to the same.
            let many = AT_ONCE_ROWS as i64 + 7;
            assert_eq!(sorted_numbers(many).await, (0..many).collect::<Vec<i64>>());
        });
    }
}
