//! The rows of a plan, put together and counted as the query's memory.

use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion_common::utils::memory::RecordBatchMemoryCounter;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::ExecutionPlan;
use futures_util::TryStreamExt;

use crate::Result;

/// All rows of a plan of one partition, as one batch.
pub(super) async fn collected(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
) -> Result<RecordBatch> {
    let mut stream = plan.execute(0, Arc::clone(context))?;
    let pool = context.memory_pool();
    let reservation = MemoryConsumer::new("groups").register(pool);
    let (mut batches, mut counter) = (Vec::new(), RecordBatchMemoryCounter::new());
    let mut owed = 0;
    while let Some(batch) = stream.try_next().await? {
        // Batches that are stretches of one, or refer to the same texts, hold that once.
        let bytes = counter.count_batch(&batch);
        if let Err(refused) = reservation.try_grow(bytes) {
            // An operator that gives all its groups at once has them in its own account until it has given the last.
            let is_of_operator = owed == 0 && bytes <= pool.reserved().saturating_sub(reservation.size());
            if !is_of_operator {
                return Err(refused.into());
            }
            owed = bytes;
        }
        batches.push(batch);
    }
    drop(stream);
    reservation.try_grow(owed)?;
    Ok(arrow_select::concat::concat_batches(&plan.schema(), &batches)?)
}
