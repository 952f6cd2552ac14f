//! `take`, `limit` and `sample`: some of the rows. And the place that a cursor names.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use tidegauge_lang::tree::{BinaryOperator, Cursor, Expr, Literal};

use super::rows::limited;
use super::segment::{Origin, Segment};
use crate::Result;
use crate::bind::invalid_with;
use crate::expr::Typed;
use crate::functions::{compare, library};
use crate::run::Run;
use crate::value::Value;

impl Run {
    pub(super) async fn take(&self, mut segment: Segment, count: u64) -> Result<Segment> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        segment.touch();
        segment.about.has_limit = true;
        if matches!(segment.origin, Origin::Dataset(_)) {
            segment.pending.limit = Some(segment.pending.limit.unwrap_or(usize::MAX).min(count));
            return Ok(segment);
        }
        let totals = segment.totals.take();
        let mut taken = limited(self.settled(segment).await?, count);
        taken.totals = totals;
        Ok(taken)
    }

    /// About this share of the rows, each row by chance.
    pub(super) async fn sample(&self, segment: Segment, share: &Expr) -> Result<Segment> {
        let mut segment = self.unlimited(segment).await?;
        let value = segment.scope.bind(share)?.float()?;
        let literal = value.as_ref().and_then(Typed::as_literal).filter(|literal| literal.is_valid(0));
        let number = literal.map(|literal| literal.as_primitive::<Float64Type>().value(0));
        let Some(number) = number.filter(|number| *number > 0.0 && *number < 1.0) else {
            let hint = "write `sample 0.1` for a tenth of them, or `take 10` for ten";
            return Err(invalid_with(share.span, "the share of rows is a number between 0 and 1", hint));
        };
        let chance =
            library::call("rand", &[], share.span, segment.scope.surroundings())?.unwrap_or_default();
        let share = Value::literal(&Literal::Float(number));
        let condition = compare::ordered(&chance, &share, BinaryOperator::Less)?;
        segment.keep(condition);
        Ok(segment)
    }
}

/// The rows after one row of a dataset.
pub(super) fn after(mut segment: Segment, cursor: Cursor) -> Result<Segment> {
    if !matches!(segment.origin, Origin::Dataset(_)) {
        return Err(super::misplaced(
            "a cursor goes with single events of one dataset: leave it out, or what groups and joins rows",
        ));
    }
    segment.touch();
    segment.pending.after = Some(cursor);
    Ok(segment)
}
