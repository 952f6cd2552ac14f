//! `take`, `limit` and `sample`: some of the rows. And the place that a cursor names.

use tidegauge_lang::Span;
use tidegauge_lang::tree::{BinaryOperator, Cursor, Expr, ExprKind};

use super::rows::limited;
use super::segment::{Origin, Segment};
use crate::Result;
use crate::run::Run;

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
        let call = |function: &str| ExprKind::Call { function: function.to_owned(), arguments: Vec::new() };
        let chance = Expr::new(call("rand"), Span::default());
        let operator = BinaryOperator::Less;
        let kind = ExprKind::Binary { operator, left: Box::new(chance), right: Box::new(share.clone()) };
        self.filter(segment, &Expr::new(kind, share.span)).await
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
