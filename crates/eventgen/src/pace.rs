//! When made-up events happen: from a first moment on, at a mean distance.

use std::time::Duration;

use tidegauge_model::Timestamp;

use super::draws::Draws;

/// When the first event happened, and the mean time to the next one.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub from: Timestamp,
    pub step: Duration,
}

impl Pace {
    /// Each event falls somewhere into its own step, so times only go forward.
    pub fn time(self, number: u64, draws: &mut Draws) -> Timestamp {
        let step = self.step.as_nanos();
        let nanos = u128::from(number) * step + ((u128::from(draws.bits()) * step) >> 64);
        let micros = i64::try_from(nanos / 1_000).unwrap_or(i64::MAX);
        Timestamp::from_micros(self.from.as_micros().saturating_add(micros))
    }
}
