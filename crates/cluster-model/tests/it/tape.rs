//! What is left to chance in a history: drawn from a seed and written down step by step, so that a history can be lived
//! again without some of its steps, which is how it is made shorter.

use tidegauge_model::Rng;
use tidegauge_model::rng::SeededRng;

/// The draws of each step. The first are those that lay out the history.
pub(super) type Draws = Vec<Vec<u32>>;

#[derive(Debug)]
pub(super) struct Tape {
    /// `None` where draws are given.
    rng: Option<SeededRng>,
    draws: Draws,
    step: usize,
    draw: usize,
}

impl Tape {
    pub(super) fn of_seed(seed: u64) -> Self {
        Self { rng: Some(SeededRng::new(seed)), draws: vec![Vec::new()], step: 0, draw: 0 }
    }

    pub(super) fn of_draws(draws: Draws) -> Self {
        Self { rng: None, draws, step: 0, draw: 0 }
    }

    /// Begins the next step, unless the draws that were given have come to an end.
    pub(super) fn next_step(&mut self) -> bool {
        (self.step, self.draw) = (self.step + 1, 0);
        if self.rng.is_some() {
            self.draws.push(Vec::new());
        }
        self.step < self.draws.len()
    }

    /// A number below an end. Zero is the calm choice, and what is drawn beyond the draws that were given.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        let drawn = match &self.rng {
            Some(rng) => {
                let drawn = u32::from_le_bytes(tidegauge_model::rng::bytes(rng as &dyn Rng)) % end.max(1);
                self.draws[self.step].push(drawn);
                drawn
            }
            None => self.draws.get(self.step).and_then(|step| step.get(self.draw)).copied().unwrap_or(0),
        };
        self.draw += 1;
        drawn % end.max(1)
    }

    /// True once in so many times.
    pub(super) fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == times - 1
    }

    pub(super) fn pick<T: Clone>(&mut self, among: &[T]) -> Option<T> {
        among.get(self.below(among.len() as u32) as usize).cloned()
    }

    pub(super) fn into_draws(self) -> Draws {
        self.draws
    }
}
