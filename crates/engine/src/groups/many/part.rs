//! Rows of a block, parted by a hash of their key, those of one part side by side.

use std::borrow::Cow;

use arrow_array::{Array, ArrayRef, UInt32Array};

use super::keys::{Hashes, Key};
use crate::Result;

/// For each part there are so many rows, as long as there are neither very few parts nor very many.
const PART_ROWS: usize = 1 << 16;

/// Into how many parts rows go, as a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    bits: u32,
}

/// The rows of one block, those of one part side by side: their keys, and what aggregates read.
pub(super) struct PartedBlock {
    keys: Vec<Key>,
    /// Where each part begins, and the last one ends.
    starts: Vec<u32>,
    arguments: Vec<ArrayRef>,
}

/// Rows of one part.
pub(super) struct Rows<'a> {
    pub(super) keys: Cow<'a, [Key]>,
    pub(super) arguments: Vec<ArrayRef>,
}

impl Parts {
    /// As many as keep the groups of one near the processor, and not so many that the rows of a block lie too far apart.
    pub(super) fn of(rows: usize) -> Self {
        Self { bits: (rows / PART_ROWS).next_power_of_two().ilog2().clamp(6, 10) }
    }

    pub(super) fn count(self) -> usize {
        1 << self.bits
    }

    fn of_hash(self, hash: u64) -> u16 {
        (hash >> (u64::BITS - self.bits)) as u16
    }
}

impl PartedBlock {
    pub(super) fn new(keys: &[Key], arguments: &[ArrayRef], hashes: &Hashes, parts: Parts) -> Result<Self> {
        let of_rows: Vec<u16> = keys.iter().map(|key| parts.of_hash(hashes.of(*key))).collect();
        let mut starts = vec![0; parts.count() + 1];
        of_rows.iter().for_each(|part| starts[usize::from(*part) + 1] += 1);
        for part in 0..parts.count() {
            starts[part + 1] += starts[part];
        }
        let mut next = starts.clone();
        let places: Vec<u32> = of_rows
            .iter()
            .map(|part| {
                let place = &mut next[usize::from(*part)];
                *place += 1;
                *place - 1
            })
            .collect();
        let mut parted = vec![0; keys.len()];
        places.iter().zip(keys).for_each(|(place, key)| parted[*place as usize] = *key);
        let mut taken = Vec::with_capacity(arguments.len());
        if !arguments.is_empty() {
            let mut rows = vec![0; keys.len()];
            places.iter().enumerate().for_each(|(row, place)| rows[*place as usize] = row as u32);
            let rows = UInt32Array::from(rows);
            for column in arguments {
                taken.push(arrow_select::take::take(column, &rows, None)?);
            }
        }
        Ok(Self { keys: parted, starts, arguments: taken })
    }

    pub(super) fn bytes(&self) -> usize {
        let arguments: usize = self.arguments.iter().map(|column| column.get_array_memory_size()).sum();
        size_of_val(&self.keys[..]) + size_of_val(&self.starts[..]) + arguments
    }

    pub(super) fn part(&self, part: usize) -> Rows<'_> {
        let rows = self.starts[part] as usize..self.starts[part + 1] as usize;
        let slice = |column: &ArrayRef| column.slice(rows.start, rows.len());
        Rows {
            arguments: self.arguments.iter().map(slice).collect(),
            keys: Cow::Borrowed(&self.keys[rows.clone()]),
        }
    }
}

#[cfg(test)]
mod tests;
