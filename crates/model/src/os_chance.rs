//! Randomness from the operating system.

use crate::Chance;

/// The operating system's source of randomness.
#[derive(Debug, Default)]
pub struct OsChance;

impl Chance for OsChance {
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            // Going on would hand out guessable secrets.
            panic!("the operating system gives no randomness: {error}");
        }
    }
}
