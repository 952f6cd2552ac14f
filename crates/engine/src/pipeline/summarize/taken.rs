//! The order and the number of groups, taken from the stages behind a `summarize`. Where the order is that of keys and
//! aggregates as they are, the groups are chosen while they are computed; where it is that of something computed of
//! aggregates, all groups are computed and then chosen.

use tidegauge_bind::Surroundings;
use tidegauge_lang::tree::{
    AggregateFunction, ExprKind, NamedAggregate, Nulls, OrderKey, SortKey, Stage, Top,
};

use super::choice::Choice;
use super::columns::Column;
use super::planned::Planned;
use crate::pipeline::sort::count;
use crate::plan::{Computed, Outcome, result_name};

impl Planned {
    /// Takes the order and the number of groups from the stages behind.
    pub(super) fn take_with(
        &mut self,
        after: &[Stage],
        is_always_of_groups: bool,
        around: &Surroundings,
    ) -> usize {
        if let Some(Stage::Top(top)) = after.first() {
            return usize::from(self.take_top(top, around));
        }
        self.plan.is_in_any_order = after.first().is_some_and(takes_any_order);
        let order = after.first().and_then(order_of);
        let limit = after.get(usize::from(order.is_some())).and_then(|stage| limit_of(stage, around));
        let order = order.as_deref();
        let used = usize::from(order.is_some()) + usize::from(limit.is_some());
        if used == 0 {
            return 0;
        }
        let is_bucketed = self.plan.bucket.is_some();
        if is_bucketed && !is_always_of_groups {
            return if self.take_series(order, limit) { used } else { 0 };
        }
        if !is_always_of_groups && !order.unwrap_or_default().iter().all(|key| self.is_of_group(key)) {
            return 0;
        }
        if let Some(keys) = order {
            self.sort(keys);
        }
        if let Some(limit) = limit {
            self.plan.limit = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        used
    }

    /// Takes what `top` says of groups. Of groups by bucket it says which rows are wanted, not which groups.
    fn take_top(&mut self, top: &Top, around: &Surroundings) -> bool {
        let (Some(keys), Ok(limit)) = (plain(&top.keys), count(&top.count, around)) else { return false };
        let is_taken = self.plan.bucket.is_none() && keys.iter().all(|key| self.is_of_group(key));
        if is_taken {
            self.sort(&keys);
            self.plan.limit = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        is_taken
    }

    /// Takes which groups are shown in every bucket: the first in the order, or else those with the greatest first
    /// aggregate. Tells whether it is that which is asked for: rows of buckets are in an order of their own, and only a
    /// number of groups makes it that of the groups.
    fn take_series(&mut self, order: Option<&[SortKey]>, limit: Option<u64>) -> bool {
        let Some(limit) = limit.filter(|_| !self.plan.keys.is_empty()) else { return false };
        let rows = limit;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let by: Vec<SortKey> = match (order, self.first_outcome()) {
            (Some(keys), _) => keys.to_vec(),
            (None, Some(field)) => vec![SortKey { field, is_descending: true, ..SortKey::default() }],
            (None, None) => Vec::new(),
        };
        if by.iter().all(|key| self.is_of_group(key)) {
            self.sort(&by);
            self.plan.limit = limit;
        } else if by.iter().all(|key| self.is_of_totals(key)) {
            self.choice = Some(Choice { by: by.clone(), limit });
        } else {
            return false;
        }
        self.plan.sorted_by = order.unwrap_or_default().to_vec();
        self.series_limit = Some(rows);
        true
    }

    /// Sorts groups by keys and aggregates as they are.
    fn sort(&mut self, keys: &[SortKey]) {
        let of_groups: Vec<SortKey> = keys.iter().map(|key| self.of_group(key)).collect();
        self.plan.sort(&of_groups);
        self.plan.sorted_by = keys.to_vec();
    }

    fn first_outcome(&self) -> Option<String> {
        let columns = self.columns.iter().flatten();
        columns.into_iter().find_map(|column| match column {
            Column::Outcome(outcome) => Some(outcome.name.clone()),
            Column::Key { .. } => None,
        })
    }

    fn is_of_group(&self, key: &SortKey) -> bool {
        self.plan.keys.iter().any(|(name, _)| *name == key.field) || self.call_of(&key.field).is_some()
    }

    /// Whether a key of an order is a column of the groups over all time.
    fn is_of_totals(&self, key: &SortKey) -> bool {
        let is_shown = |column: &Column| match column {
            Column::Outcome(outcome) => outcome.name == key.field,
            Column::Key { name, .. } => *name == key.field && self.bucket.as_ref() != Some(name),
        };
        self.columns.iter().flatten().any(is_shown)
    }

    /// The call that a column is, as it is.
    fn call_of(&self, name: &str) -> Option<usize> {
        let Some(columns) = &self.columns else {
            return self.plan.aggregates.iter().position(|aggregate| aggregate.name == name);
        };
        columns.iter().find_map(|column| match column {
            Column::Outcome(Outcome { name: known, of: Computed::Call(call), .. }) if known == name => {
                Some(*call)
            }
            _ => None,
        })
    }

    /// A key of an order under the name that the groups have for it.
    fn of_group(&self, key: &SortKey) -> SortKey {
        match (&self.columns, self.call_of(&key.field)) {
            (Some(_), Some(call)) => SortKey { field: result_name(call), ..key.clone() },
            _ => key.clone(),
        }
    }
}

/// Aggregates that come to the same whatever the order of the rows is.
const OF_ANY_ORDER: [&str; 11] =
    ["avg", "avgif", "count", "countif", "dcount", "dcountif", "max", "maxif", "min", "sum", "sumif"];

/// Whether a stage comes to the same whatever the order of its rows is. To put very many groups in order takes as long as
/// to find them.
fn takes_any_order(stage: &Stage) -> bool {
    let is_of_any_order = |aggregate: &NamedAggregate| match &aggregate.call.function {
        AggregateFunction::Computed(expr) => match &expr.kind {
            ExprKind::Call { function, .. } => OF_ANY_ORDER.contains(&function.as_str()),
            _ => false,
        },
        _ => false,
    };
    match stage {
        Stage::Count => true,
        Stage::Summarize(summarize) => summarize.aggregates.iter().all(is_of_any_order),
        _ => false,
    }
}

/// The order that a stage gives, by fields as they are and with nulls where they usually are.
fn order_of(stage: &Stage) -> Option<Vec<SortKey>> {
    match stage {
        Stage::Sort(keys) => Some(keys.clone()),
        Stage::Order(keys) => plain(keys),
        _ => None,
    }
}

/// Keys that are fields as they are, with nulls where they usually are.
fn plain(keys: &[OrderKey]) -> Option<Vec<SortKey>> {
    let plain = |key: &OrderKey| {
        let ExprKind::Field(field) = &key.expr.kind else { return None };
        let usual = if key.is_descending { Nulls::Last } else { Nulls::First };
        let is_usual = key.nulls.is_none_or(|nulls| nulls == usual);
        is_usual.then(|| SortKey {
            field: field.clone(),
            is_descending: key.is_descending,
            span: key.expr.span,
        })
    };
    keys.iter().map(plain).collect()
}

/// The number of rows that a stage leaves. What is no number stays for the stage itself to tell.
fn limit_of(stage: &Stage, around: &Surroundings) -> Option<u64> {
    match stage {
        Stage::Limit(limit) => Some(*limit),
        Stage::Take(expr) => count(expr, around).ok(),
        _ => None,
    }
}
