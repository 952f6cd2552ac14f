//! The two kinds of rows, counted.

/// Numbers of the rows that the condition is true for, and of the others.
pub(super) type Sides = [u64; 2];
