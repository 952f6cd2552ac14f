//! `take`, `limit` and `sample`: some of the rows. And the place that a cursor names.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::operators::compare;
use tidegauge_exec::{Value, functions};
use tidegauge_lang::tree::{BinaryOperator, Cursor, Expr, Literal};

use super::relation::{Origin, Relation};
use super::rows::limited;
use crate::Result;
use crate::context::QueryContext;
use crate::error::{invalid_with, misplaced};

impl QueryContext {
    pub(super) async fn take(&self, mut relation: Relation, count: u64) -> Result<Relation> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        relation.touch();
        relation.about.has_limit = true;
        if matches!(relation.origin, Origin::Dataset(_)) {
            relation.pending.limit = Some(relation.pending.limit.unwrap_or(usize::MAX).min(count));
            return Ok(relation);
        }
        let totals = relation.totals.take();
        let mut taken = limited(self.settled(relation).await?, count);
        taken.totals = totals;
        Ok(taken)
    }

    /// About this share of the rows, each row by chance.
    pub(super) async fn sample(&self, relation: Relation, share: &Expr) -> Result<Relation> {
        let mut relation = self.unlimited(relation).await?;
        let value = relation.scope.bind(share)?.float()?;
        let literal = value.as_ref().and_then(Typed::as_literal).filter(|literal| literal.is_valid(0));
        let number = literal.map(|literal| literal.as_primitive::<Float64Type>().value(0));
        let Some(number) = number.filter(|number| *number > 0.0 && *number < 1.0) else {
            let hint = "write `sample 0.1` for a tenth of them, or `take 10` for ten";
            return Err(invalid_with(share.span, "the share of rows is a number between 0 and 1", hint));
        };
        let chance = functions::call("rand", &[], share.span, relation.scope.surroundings().around())?
            .unwrap_or_default();
        let share = Value::literal(&Literal::Float(number));
        let condition = compare::ordered(&chance, &share, BinaryOperator::Less)?;
        relation.keep(condition);
        Ok(relation)
    }
}

/// The rows after one row of a dataset.
pub(super) fn after(mut relation: Relation, cursor: Cursor) -> Result<Relation> {
    if !matches!(relation.origin, Origin::Dataset(_)) {
        return Err(misplaced(
            "a cursor goes with single events of one dataset: leave it out, or what groups and joins rows",
        ));
    }
    relation.touch();
    relation.pending.after = Some(cursor);
    Ok(relation)
}
