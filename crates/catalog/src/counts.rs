//! Counts, sizes and sequences are unsigned in the program and signed in the databases.

use tidegauge_model::ErrorKind;

use crate::{Error, Result};

/// The stored form of a number that cannot be negative.
pub(crate) fn to_stored(number: u64) -> Result<i64> {
    i64::try_from(number)
        .map_err(|_| Error::new(ErrorKind::Invalid, format!("the number {number} is too large to be stored")))
}

pub(crate) fn from_stored<T: TryFrom<i64>>(what: &str, number: i64) -> Result<T> {
    T::try_from(number).map_err(|_| Error::corrupt(what, &number.to_string()))
}

/// The stored form of how many there are of something in memory.
pub(crate) fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
