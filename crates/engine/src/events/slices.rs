//! How many of the found rows are read at once. All of them as long as they are small; of long ones so many that what
//! is read stays within the memory of the query, and no more once the answer is full.

use arrow_array::{Array, ArrayRef};
use hashbrown::HashMap;

use super::memory::{alone, text_bytes};
use super::search::{Budget, Found};
use crate::Result;
use crate::own_rows;
use crate::scan::Scan;

/// What is read at once is this part of the query's memory, within these bounds.
const MEMORY_SHARE: usize = 8;
const BYTES_MIN: usize = 1 << 20;
const BYTES_MAX: usize = 64 << 20;

/// Where a block has more than this part of the query's memory, the wanted rows may be its longest by far: a few are
/// looked at first, and then more by and by.
const HEAVY_SHARE: usize = 2;
const FIRST_ROWS: usize = 16;
const GROWTH: usize = 4;

/// Found rows that are read slice by slice.
pub(super) struct Slices<'a> {
    found: &'a [Found],
    budget: &'a Budget,
    /// About what a row of each block takes.
    row_bytes: HashMap<u32, f64>,
    /// By how much rows turned out to be longer than that.
    factor: f64,
    next: usize,
    rows_max: usize,
    /// What was taken for the slice that is being read.
    expected: usize,
    text_bytes: usize,
    is_over: bool,
}

impl<'a> Slices<'a> {
    /// `places` are the inputs of the scan that are read.
    pub(super) fn new(scan: &Scan, places: &[usize], found: &'a [Found], budget: &'a Budget) -> Self {
        let mut row_bytes = HashMap::new();
        let mut heaviest = 0;
        for found in found {
            row_bytes.entry(found.block).or_insert_with(|| {
                let bytes = scan.decoded_bytes(found.block as usize, places);
                heaviest = heaviest.max(bytes);
                bytes as f64 / scan.blocks[found.block as usize].rows().max(1) as f64
            });
        }
        let is_heavy = heaviest > (budget.memory.max() / HEAVY_SHARE) as u64;
        Self {
            found,
            budget,
            row_bytes,
            factor: 1.0,
            next: 0,
            rows_max: if is_heavy { FIRST_ROWS } else { usize::MAX },
            expected: 0,
            text_bytes: 0,
            is_over: false,
        }
    }

    /// The rows to read next, for which memory is taken; none when all are read or the answer is full.
    pub(super) fn next(&mut self) -> Result<Option<&'a [Found]>> {
        let rest = &self.found[self.next..];
        if rest.is_empty() || self.is_over {
            return Ok(None);
        }
        let bytes_max = (self.budget.memory.max() / MEMORY_SHARE).clamp(BYTES_MIN, BYTES_MAX) as f64;
        let (mut rows, mut bytes) = (0, 0.0);
        for found in rest.iter().take(self.rows_max) {
            let row = self.row_bytes.get(&found.block).copied().unwrap_or_default() * self.factor;
            if rows > 0 && bytes + row > bytes_max {
                break;
            }
            rows += 1;
            bytes += row;
        }
        self.expected = bytes as usize;
        match self.budget.memory.take(self.expected) {
            Ok(()) => Ok(Some(&rest[..rows])),
            Err(_) if self.may_cut() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads fewer rows at once than those that were given last.
    pub(super) fn take_fewer(&mut self, rows: usize) {
        self.budget.memory.give_back(self.expected);
        self.rows_max = (rows / GROWTH).max(1);
    }

    /// Takes over what was read, with the memory that it turned out to need; none of it, or a part, where there is no more.
    pub(super) fn keep(&mut self, columns: Vec<ArrayRef>, rows: usize) -> Result<(Vec<ArrayRef>, usize)> {
        let bytes = bytes_of(&columns);
        let more = bytes.saturating_sub(self.expected);
        let (columns, kept) = match self.budget.memory.take(more) {
            Ok(()) => {
                self.budget.memory.give_back(self.expected.saturating_sub(bytes));
                (columns, rows)
            }
            Err(error) if self.budget.answer_bytes_max.is_none() => return Err(error),
            Err(error) => {
                self.is_over = true;
                let room = self.expected.saturating_add(self.budget.memory.left());
                let (columns, kept) = first_within(&columns, rows, room);
                if self.next + kept == 0 {
                    return Err(error);
                }
                self.budget.memory.take(bytes_of(&columns).saturating_sub(self.expected))?;
                (columns, kept)
            }
        };
        self.next += kept;
        self.factor = factor_after(self.factor, self.expected, bytes);
        self.rows_max = self.rows_max.min(rows).saturating_mul(GROWTH).max(self.rows_max);
        // Of very many fields those without a value are not shown.
        let shown = columns.iter().filter(|column| column.null_count() < column.len());
        self.text_bytes += shown.map(|column| text_bytes(column, kept)).sum::<usize>();
        self.is_over |= self.budget.answer_bytes_max.is_some_and(|max| self.text_bytes > max);
        Ok((columns, kept))
    }

    /// Whether what was read so far can be the answer.
    fn may_cut(&self) -> bool {
        self.next > 0 && self.budget.answer_bytes_max.is_some()
    }
}

/// By how much rows are taken to be longer than on average, when those that were read took so much. It grows at once, and
/// comes down by and by: after one long row the others are not read one by one, and after short ones not too many at once.
pub(crate) fn factor_after(factor: f64, expected: usize, bytes: usize) -> f64 {
    const DESCENT: f64 = 0.5;
    (factor * (bytes as f64 / expected.max(1) as f64).max(DESCENT)).max(1.0)
}

fn bytes_of(columns: &[ArrayRef]) -> usize {
    columns.iter().map(own_rows::bytes).sum()
}

/// The first rows that fit into so many bytes, about as many as do.
fn first_within(columns: &[ArrayRef], mut rows: usize, bytes_max: usize) -> (Vec<ArrayRef>, usize) {
    loop {
        let first: Vec<ArrayRef> = columns.iter().map(|column| alone(column.slice(0, rows))).collect();
        if rows == 0 || bytes_of(&first) <= bytes_max {
            return (first, rows);
        }
        rows /= 2;
    }
}
