//! Where randomness comes from. The service reads the operating system's; tests hand in a reproducible one.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A source of unpredictable bytes.
pub trait Rng: Send + Sync + fmt::Debug {
    fn fill(&self, bytes: &mut [u8]);
}

/// Takes `N` bytes from a source.
pub fn bytes<const N: usize>(rng: &dyn Rng) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill(&mut bytes);
    bytes
}

/// A reproducible source for tests: SplitMix64 from a seed. Never use it for secrets.
#[derive(Debug)]
pub struct SeededRng(AtomicU64);

impl SeededRng {
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.0.fetch_add(STEP, Ordering::SeqCst).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl Rng for SeededRng {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
    }
}
