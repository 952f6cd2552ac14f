//! Compares kept groups with what is computed of the same blocks, after a question was answered from them.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_ord::sort::{SortColumn, lexsort_to_indices};
use arrow_select::take::take;
use tidegauge_cache::partials::{MergedRun, Partials};

use super::Grouping;
use super::merger::{Keys, values};
use super::states::{Check, Kept, Unmerged, merged};
use crate::Result;
use crate::scan::Scan;
use crate::turns::in_turns;

/// By how much sums may differ that were added up in another order.
const SHARE_MAX: f64 = 1e-9;

impl Grouping<'_> {
    /// Compares on the threads of queries; nobody waits for it.
    pub(super) fn check_later(&self, check: Check, scan: &Scan, partials: &Partials) {
        let (plan, context, has_bucket) = (self.plan.clone(), Arc::clone(&self.context), self.has_bucket);
        // What this reads is not part of the answer.
        let scan = Arc::new(scan.again(None).of_blocks(check.blocks));
        let (partials, kept) = (partials.clone(), check.kept);
        tokio::runtime::Handle::current().spawn(in_turns(async move {
            let compared = async {
                let grouping = Grouping::new(&plan, context, 0.0, has_bucket)?;
                grouping.is_right(kept, &scan).await
            };
            // Where it cannot be computed, as for want of memory, nothing is known.
            if let Ok(is_right) = compared.await {
                partials.note_check(is_right);
            }
        }));
    }

    async fn is_right(&self, kept: Kept, scan: &Arc<Scan>) -> Result<bool> {
        let keys = self.keys()?;
        let computed = self.dense_states(scan, 1, None).await?.loose;
        let kept = match kept {
            Kept::Run(run) => run,
            Kept::Blocks(blocks) if blocks.states.is_empty() => return Ok(computed.is_empty()),
            Kept::Blocks(blocks) => Arc::new(merged(&keys, &blocks)?),
        };
        let computed = merged(&keys, &Unmerged { blocks: Vec::new(), states: computed, matched: 0 })?;
        let (kept, computed) = (groups(&keys, &kept)?, groups(&keys, &computed)?);
        Ok(kept.iter().zip(&computed).all(|(kept, computed)| is_same(kept, computed)))
    }
}

/// The keys and the values of all groups, in the order of the keys.
fn groups(keys: &Keys, run: &MergedRun) -> Result<Vec<ArrayRef>> {
    let (own, states) = run.states.columns().split_at(keys.kinds.len());
    let values =
        if keys.has_bucket { run.values.clone() } else { values(keys, states, run.states.num_rows())? };
    let sorted: Vec<SortColumn> =
        own.iter().map(|key| SortColumn { values: Arc::clone(key), options: None }).collect();
    let order = lexsort_to_indices(&sorted, None)?;
    let columns = own.iter().chain(&values).map(|column| take(column, &order, None));
    Ok(columns.collect::<std::result::Result<_, _>>()?)
}

fn is_same(kept: &ArrayRef, computed: &ArrayRef) -> bool {
    if kept == computed {
        return true;
    }
    let (Some(kept), Some(computed)) =
        (kept.as_primitive_opt::<Float64Type>(), computed.as_primitive_opt::<Float64Type>())
    else {
        return false;
    };
    let is_near = |(kept, computed): (Option<f64>, Option<f64>)| match (kept, computed) {
        (Some(kept), Some(computed)) => {
            let apart = (kept - computed).abs();
            kept.to_bits() == computed.to_bits() || apart <= SHARE_MAX * kept.abs().max(computed.abs())
        }
        (None, None) => true,
        _ => false,
    };
    kept.len() == computed.len() && kept.iter().zip(computed.iter()).all(is_near)
}
