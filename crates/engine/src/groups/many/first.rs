//! The first groups in an order, out of many: those that cannot be among them are left out by one comparison each, the
//! rest is sorted.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{DataType, SchemaRef};
use datafusion_execution::TaskContext;
use datafusion_physical_expr::PhysicalSortExpr;
use datafusion_physical_plan::ExecutionPlan;

use crate::Result;
use crate::groups::ordered::ordered;
use crate::leaf::Leaf;

/// How groups are ordered, and how many are wanted.
pub(super) struct First {
    pub(super) order: Vec<PhysicalSortExpr>,
    /// How many columns the keys have, which are the first.
    pub(super) keys: usize,
    /// The column that is ordered by first, and whether from the greatest on, where its values are compared as they are.
    pub(super) plain: Option<(usize, bool)>,
    /// Whether groups that are equal in it are in the order of their keys, from the least on.
    pub(super) has_keys_next: bool,
    pub(super) fetch: Option<usize>,
    pub(super) context: Arc<TaskContext>,
}

impl First {
    /// The groups that can be among the first, by the values of their aggregates and then by their keys; none where that
    /// may be all.
    pub(super) fn candidates(
        &self,
        aggregates: &[ArrayRef],
        compare: impl Fn(u32, u32) -> Ordering,
    ) -> Option<UInt32Array> {
        let (fetch, (place, is_descending)) = (self.fetch?, self.plain?);
        let column = aggregates.get(place.checked_sub(self.keys)?)?;
        if column.data_type() != &DataType::Int64 || column.null_count() > 0 || column.len() <= fetch {
            return None;
        }
        let values = column.as_primitive::<Int64Type>().values();
        // From here on the greatest are the first.
        let turned: Vec<i64> =
            values.iter().map(|value| if is_descending { *value } else { !*value }).collect();
        let mut sorted = turned.clone();
        let (_, last, _) = sorted.select_nth_unstable_by(fetch - 1, |left, right| right.cmp(left));
        let last = *last;
        let rows = (0..).zip(&turned).filter(|(_, value)| **value > last).map(|(row, _)| row);
        let mut rows: Vec<u32> = rows.collect();
        let mut ties: Vec<u32> =
            (0..).zip(&turned).filter(|(_, value)| **value == last).map(|(row, _)| row).collect();
        let wanted = fetch - rows.len();
        if self.has_keys_next && wanted < ties.len() {
            ties.select_nth_unstable_by(wanted, |left, right| compare(*left, *right));
            ties.truncate(wanted);
        }
        rows.append(&mut ties);
        Some(rows.into())
    }

    /// The first groups of these, in order.
    pub(super) async fn of(&self, batches: Vec<RecordBatch>, schema: &SchemaRef) -> Result<RecordBatch> {
        let all: Arc<dyn ExecutionPlan> = Arc::new(Leaf::of_batches(batches, Arc::clone(schema)));
        ordered(all, self.order.clone(), self.fetch, &self.context).await
    }
}
