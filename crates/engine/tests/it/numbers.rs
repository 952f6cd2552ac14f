//! Numbers that look like chance and are the same in every run.

/// A source of numbers, by the SplitMix64 step.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.word() % end
    }

    /// From 0 to 1, without 0.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.word() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
