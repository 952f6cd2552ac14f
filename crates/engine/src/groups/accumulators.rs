//! What aggregates need where rows of many groups are taken over at once: which columns they read, and new states.

use std::sync::Arc;

use datafusion_expr::GroupsAccumulator;
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use datafusion_physical_expr::expressions::Column;

use crate::Result;

/// The columns that an aggregate reads; none counts rows.
pub(super) fn places(aggregate: &AggregateFunctionExpr) -> Vec<usize> {
    let columns = aggregate.expressions();
    columns.iter().filter_map(|expr| expr.downcast_ref::<Column>().map(Column::index)).collect()
}

/// New states of aggregates, for rows of many groups.
pub(super) fn accumulators(
    aggregates: &[Arc<AggregateFunctionExpr>],
) -> Result<Vec<Box<dyn GroupsAccumulator>>> {
    let made = aggregates.iter().map(|aggregate| aggregate.create_groups_accumulator());
    Ok(made.collect::<std::result::Result<_, _>>()?)
}
