//! The first groups in an order, out of many: those that cannot be among them are left out by one comparison each,
//! the rest is sorted.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, SchemaRef};
use datafusion_execution::TaskContext;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::sorts::sort::SortExec;

use crate::Result;
use crate::groups::collected;
use crate::leaf::Leaf;

/// How groups are ordered, and how many are wanted.
pub(super) struct First {
    pub(super) order: Vec<PhysicalSortExpr>,
    /// The column that is ordered by first, and whether from the greatest on, where its values are compared as they are.
    pub(super) plain: Option<(usize, bool)>,
    pub(super) fetch: Option<usize>,
    pub(super) context: Arc<TaskContext>,
}

impl First {
    /// The groups without those that cannot be among the first.
    pub(super) fn candidates(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let (Some(fetch), Some((place, is_descending))) = (self.fetch, self.plain) else { return Ok(batch) };
        let column = batch.column(place);
        if column.data_type() != &DataType::Int64 || column.null_count() > 0 || column.len() <= fetch {
            return Ok(batch);
        }
        let values = column.as_primitive::<Int64Type>().values();
        let mut sorted = values.to_vec();
        let is_in = if is_descending {
            let (_, last, _) = sorted.select_nth_unstable_by(fetch - 1, |left, right| right.cmp(left));
            let last = *last;
            BooleanBuffer::collect_bool(values.len(), |row| values[row] >= last)
        } else {
            let (_, last, _) = sorted.select_nth_unstable(fetch - 1);
            let last = *last;
            BooleanBuffer::collect_bool(values.len(), |row| values[row] <= last)
        };
        Ok(arrow_select::filter::filter_record_batch(&batch, &BooleanArray::new(is_in, None))?)
    }

    /// The first groups of these, in order.
    pub(super) async fn of(&self, batches: Vec<RecordBatch>, schema: &SchemaRef) -> Result<RecordBatch> {
        let all: Arc<dyn ExecutionPlan> = Arc::new(Leaf::of_batches(batches, Arc::clone(schema)));
        let Some(order) = LexOrdering::new(self.order.clone()) else {
            return collected(&all, &self.context).await;
        };
        let sorted: Arc<dyn ExecutionPlan> = Arc::new(SortExec::new(order, all).with_fetch(self.fetch));
        collected(&sorted, &self.context).await
    }
}
