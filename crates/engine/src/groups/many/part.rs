//! Rows of a block, parted by a hash of their key, those of one part side by side, and so the bytes of their longer texts.

use std::borrow::Cow;

use arrow_array::{Array, ArrayRef, UInt32Array};

use super::keys::{Form, Key, RowKeys, Texts, placed};
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
    /// The longer texts of the keys, and where those of each part begin.
    bytes: Vec<u8>,
    byte_starts: Vec<usize>,
    arguments: Vec<ArrayRef>,
}

/// Rows of one part.
pub(super) struct Rows<'a> {
    pub(super) keys: Cow<'a, [Key]>,
    /// The longer texts of the keys, of which the first has this place.
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) first: usize,
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
    pub(super) fn new(rows: &RowKeys, arguments: &[ArrayRef], form: &Form, parts: Parts) -> Result<Self> {
        let of_rows: Vec<u16> = rows.keys.iter().map(|key| parts.of_hash(form.hash(*key))).collect();
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
        let mut keys = vec![0; rows.keys.len()];
        places.iter().zip(&rows.keys).for_each(|(place, key)| keys[*place as usize] = *key);
        let mut taken = Vec::with_capacity(arguments.len());
        if !arguments.is_empty() {
            let mut of_places = vec![0; keys.len()];
            places.iter().enumerate().for_each(|(row, place)| of_places[*place as usize] = row as u32);
            let of_places = UInt32Array::from(of_places);
            for column in arguments {
                taken.push(arrow_select::take::take(column, &of_places, None)?);
            }
        }
        let (bytes, byte_starts) = texts_of(&mut keys, &starts, rows, form);
        Ok(Self { keys, starts, bytes, byte_starts, arguments: taken })
    }

    pub(super) fn bytes(&self) -> usize {
        let arguments: usize = self.arguments.iter().map(|column| column.get_array_memory_size()).sum();
        let starts = size_of_val(&self.starts[..]) + size_of_val(&self.byte_starts[..]);
        size_of_val(&self.keys[..]) + starts + self.bytes.capacity() + arguments
    }

    pub(super) fn part(&self, part: usize) -> Rows<'_> {
        let rows = self.starts[part] as usize..self.starts[part + 1] as usize;
        let texts = match self.byte_starts.get(part..=part + 1) {
            Some([start, end]) => *start..*end,
            _ => 0..0,
        };
        let slice = |column: &ArrayRef| column.slice(rows.start, rows.len());
        Rows {
            arguments: self.arguments.iter().map(slice).collect(),
            first: texts.start,
            bytes: Cow::Borrowed(&self.bytes[texts]),
            keys: Cow::Borrowed(&self.keys[rows.clone()]),
        }
    }
}

/// Puts the longer texts of keys that are parted side by side, and tells where those of each part begin.
fn texts_of(keys: &mut [Key], starts: &[u32], rows: &RowKeys, form: &Form) -> (Vec<u8>, Vec<usize>) {
    let length: usize = keys.iter().filter(|key| form.is_long(**key)).map(|key| rows.text(*key).len()).sum();
    if length == 0 {
        return Default::default();
    }
    let (mut bytes, mut byte_starts) = (Vec::with_capacity(length), Vec::with_capacity(starts.len()));
    for part in starts.windows(2) {
        byte_starts.push(bytes.len());
        for key in &mut keys[part[0] as usize..part[1] as usize] {
            if form.is_long(*key) {
                let start = bytes.len();
                bytes.extend_from_slice(rows.text(*key));
                *key = placed(*key, start);
            }
        }
    }
    byte_starts.push(bytes.len());
    (bytes, byte_starts)
}

impl Rows<'_> {
    pub(super) fn texts(&self) -> Texts<'_> {
        Texts { bytes: &self.bytes, first: self.first }
    }
}

#[cfg(test)]
mod tests;
