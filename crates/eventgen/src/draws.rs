//! Chance for made-up events: quick, and the same everywhere. Only whole numbers are used, because logarithms and
//! powers of floating-point numbers differ in their last digit between machines.

/// Spreads a number over all 64 bits (the last step of SplitMix64).
pub fn mix(number: u64) -> u64 {
    let mut z = number;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Spreads two numbers; the same two give the same result.
pub fn mix_two(first: u64, second: u64) -> u64 {
    mix(mix(first.wrapping_add(STEP)).wrapping_add(second.wrapping_mul(STEP)))
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The draws of one event. Each event has its own, so that it does not depend on those before it.
#[derive(Debug)]
pub struct Draws(u64);

impl Draws {
    pub fn of(seed: u64, event: u64) -> Self {
        Self(mix_two(seed, event))
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number from 0 to below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// True in this many of a thousand cases.
    pub fn in_thousand(&mut self, cases: u64) -> bool {
        self.below(1_000) < cases
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// About normal: the sum of four even draws of 16 bits, centred, with a standard deviation of about 37,800.
    pub fn bell(&mut self) -> i64 {
        let bits = self.bits();
        let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xFFFF).sum();
        sum as i64 - 2 * 0xFFFF
    }

    /// About log-normal: `middle` in half of the cases, and twice or half of it one `octave` of the bell away.
    pub fn around(&mut self, middle: u64, octave: i64) -> u64 {
        let power = self.bell() * 1024 / octave;
        let (whole, part) = (power.div_euclid(1024), power.rem_euclid(1024) as u64);
        // Between two powers of two the straight line is near enough.
        let scaled = middle * (1024 + part);
        if whole >= 0 { (scaled << whole.min(16)) / 1024 } else { (scaled >> (-whole).min(16)) / 1024 }
    }
}

/// Picks positions of a list unevenly, with one look into a table.
#[derive(Debug)]
pub struct Skew(Vec<u16>);

const SKEW_SLOTS: u64 = 8_192;

impl Skew {
    /// Each position as often as its weight says.
    pub fn by_weights(weights: &[u64]) -> Self {
        let total: u64 = weights.iter().sum();
        let mut slots = Vec::with_capacity(SKEW_SLOTS as usize);
        let mut reached = 0;
        for (position, weight) in weights.iter().enumerate() {
            reached += weight;
            slots.resize((SKEW_SLOTS * reached / total) as usize, position as u16);
        }
        Self(slots)
    }

    /// The first position most often, the one after it half as often, then a third, and so on.
    pub fn falling(count: usize) -> Self {
        let weights: Vec<u64> = (1..=count as u64).map(|place| 1_000_000 / place).collect();
        Self::by_weights(&weights)
    }

    pub fn draw(&self, draws: &mut Draws) -> usize {
        usize::from(*draws.pick(&self.0))
    }
}

/// One of 2^20 numbers: small ones often, the large half in about a tenth of the cases.
pub fn person(draws: &mut Draws) -> u64 {
    const OCTAVES: u64 = 20;
    let octave = draws.below(OCTAVES).max(draws.below(OCTAVES));
    (1 << octave) + draws.below(1 << octave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skew_gives_every_position_its_share() {
        let skew = Skew::by_weights(&[3, 1, 4]);
        let mut draws = Draws::of(1, 1);
        let mut counts = [0_u32; 3];
        for _ in 0..80_000 {
            counts[skew.draw(&mut draws)] += 1;
        }
        for (count, expected) in counts.iter().zip([30_000_u32, 10_000, 40_000]) {
            assert!(count.abs_diff(expected) < 1_000, "{counts:?}");
        }
    }

    #[test]
    fn values_around_a_middle_have_it_as_their_median_and_a_long_tail() {
        let mut draws = Draws::of(7, 0);
        let mut values: Vec<u64> = (0..50_001).map(|_| draws.around(1_000, 30_000)).collect();
        values.sort_unstable();
        assert!((950..1_050).contains(&values[25_000]), "{}", values[25_000]);
        assert!(values[49_900] > 5_000, "{}", values[49_900]);
        assert!(values[100] < 200, "{}", values[100]);
    }

    #[test]
    fn few_people_are_frequent_and_many_are_rare() {
        let mut draws = Draws::of(3, 0);
        let people: Vec<u64> = (0..100_000).map(|_| person(&mut draws)).collect();
        assert!(people.iter().all(|person| (1..1 << 20).contains(person)));
        let frequent = people.iter().filter(|person| **person < 16).count();
        assert!((3_000..5_000).contains(&frequent), "{frequent}");
    }
}
