//! `take`, `limit` and `sample`: some of the rows. And the place that a cursor names.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use tidegauge_lang::Diagnostic;
use tidegauge_lang::tree::{Cursor, Expr, Type};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::rows::limited;
use super::segment::{Origin, Segment};
use crate::expr::{Kernel, Typed, Values};
use crate::run::Run;
use crate::{Error, Result};

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
            let diagnostic = Diagnostic::new("the share of rows is a number between 0 and 1", share.span);
            let hint = "write `sample 0.1` for a tenth of them, or `take 10` for ten";
            return Err(Error::Invalid(vec![diagnostic.with_hint(hint)]));
        };
        // Any column tells how many rows there are.
        let rows = match &segment.origin {
            Origin::Dataset(_) => vec![segment.scope.time()],
            Origin::Plan(plan) if plan.schema().fields().is_empty() => Vec::new(),
            Origin::Plan(_) => vec![Typed::input(Type::Dynamic, 0)],
        };
        let condition = Typed::call("sample", Type::Boolean, rows, chosen(number, segment.scope.now()))?;
        segment.keep(condition);
        Ok(segment)
    }
}

/// Whether each row is among the share. The moment of the query decides by which chance.
fn chosen(share: f64, now: i64) -> Kernel {
    let numbers = AtomicU64::new(0);
    Arc::new(move |_: &[Values], rows| {
        let first = numbers.fetch_add(rows as u64, Ordering::Relaxed);
        let is_chosen = |row: usize| {
            let number = xxh3_64_with_seed(&(first + row as u64).to_le_bytes(), now.cast_unsigned());
            (number as f64 / u64::MAX as f64) < share
        };
        Ok(Arc::new(BooleanArray::new(BooleanBuffer::collect_bool(rows, is_chosen), None)) as ArrayRef)
    })
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
