//! What a query would read and cost, told before it runs: it is understood, planned and matched against what is known of
//! blocks, and no column is read. What is told is what reading takes at most; a query that needs only the newest events
//! ends earlier.

use tidegauge_engine::Figures;

use super::compile::{self, Understood};
use super::{AplInput, Run, sources};
use crate::app::App;
use crate::service::query::meter;
use crate::service::{Caller, Result};

/// How many bytes of columns in memory a query gets through in a millisecond: more where all of it is in memory already
/// and little is computed, less where it comes from the disk and is grouped.
const BYTES_PER_MS_FAST: u64 = 4_000_000;
const BYTES_PER_MS_SLOW: u64 = 500_000;

/// How much of that is held at once: the columns of some blocks.
const HELD_MIN: u64 = 1_000_000;
const HELD_MAX: u64 = 256_000_000;

/// What a query would read and cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub blocks: u64,
    pub blocks_total: u64,
    pub bytes: u64,
    pub bytes_total: u64,
    pub rows: u64,
    /// In gigabytes times milliseconds: if all is in memory already, and if nothing is.
    pub cost: (u64, u64),
}

/// Looks at what a query would read. It counts as no query.
pub async fn estimate(app: &App, caller: &Caller, mut input: AplInput) -> Result<Estimate> {
    caller.org_context()?;
    input.is_dry = true;
    let Understood { resolved, direct, by_views, .. } = compile::understood(app, caller, &input).await?;
    let datasets = sources::of(app, caller, &direct, &by_views).await?;
    sources::check_may_compute(caller, &datasets)?;
    let run = Run { app, caller, input, resolved, datasets };
    let found = run.once(caller.now).await?;
    Ok(of(&found.answer.figures))
}

fn of(figures: &Figures) -> Estimate {
    let held = figures.bytes_decoded.clamp(HELD_MIN, HELD_MAX);
    let taking = |speed: u64, read: u64| {
        let micros = (figures.bytes_decoded.saturating_mul(1_000) / speed).max(1_000);
        meter::cost_of(held.saturating_add(read), micros)
    };
    Estimate {
        blocks: figures.blocks_examined,
        blocks_total: figures.blocks_examined + figures.blocks_skipped,
        bytes: figures.bytes_read,
        bytes_total: figures.bytes_total,
        rows: figures.rows_examined,
        cost: (taking(BYTES_PER_MS_FAST, 0), taking(BYTES_PER_MS_SLOW, figures.bytes_read)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_to_read_costs_more_and_nothing_costs_the_least() {
        let of =
            |bytes_decoded, bytes_read| of(&Figures { bytes_decoded, bytes_read, ..Figures::default() }).cost;
        assert_eq!(of(0, 0), (1, 1));
        let (low, high) = of(1_000_000_000, 200_000_000);
        assert_eq!((low, high), (64, 912));
        assert!(of(2_000_000_000, 400_000_000) > (low, high));
        assert!(of(u64::MAX, u64::MAX).1 > 0);
    }
}
