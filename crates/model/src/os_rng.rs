//! Randomness from the operating system.

use crate::Rng;

/// The operating system's source of randomness.
#[derive(Debug, Default)]
pub struct OsRng;

impl Rng for OsRng {
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            // Going on would hand out guessable secrets.
            panic!("the operating system gives no randomness: {error}");
        }
    }
}
