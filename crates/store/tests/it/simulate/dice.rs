//! What is left to chance in a history, all of it from one seed.

use tidegauge_model::Rng;
use tidegauge_model::rng::SeededRng;

#[derive(Debug)]
pub(super) struct Dice(SeededRng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(SeededRng::new(seed))
    }

    /// For what makes ids.
    pub(super) fn rng(&self) -> &dyn Rng {
        &self.0
    }

    pub(super) fn below(&self, end: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes) % end.max(1)
    }

    /// True once in so many times.
    pub(super) fn one_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Small numbers often, and numbers up to an end now and then.
    pub(super) fn skewed(&self, bits: u64) -> u64 {
        self.below(1 << (self.below(bits) + 1))
    }

    pub(super) fn pick<'a, T>(&self, among: &'a [T]) -> Option<&'a T> {
        among.get(self.below(among.len() as u64) as usize)
    }
}
