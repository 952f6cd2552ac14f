//! The rows that one thread has read, parted by a hash of their key: in memory while they fit, then on the disk.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array};
use datafusion_execution::TaskContext;
use datafusion_execution::disk_manager::DiskManager;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};

use super::keys::{Bytes, Hashes, Key};
use super::spilled::Spilled;
use crate::Result;

/// A smaller share of the memory of a query is not worth a piece for each part on the disk.
const SPILLED_SHARE: usize = 16;

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

/// What one thread has parted.
pub(super) struct Parted {
    pub(super) thread: u32,
    parts: Parts,
    pub(super) blocks: Vec<PartedBlock>,
    /// The bytes of the blocks.
    held: usize,
    pub(super) spilled: Option<Spilled>,
    pub(super) bytes: Bytes,
    pub(super) memory: MemoryReservation,
    disk: Arc<DiskManager>,
    /// From how many bytes on rows are put on the disk.
    spilled_min: usize,
}

impl Parts {
    /// As many as keep the groups of one near the processor, and not so many that the rows of a block lie too far apart.
    pub(super) fn of(rows: usize) -> Self {
        const PART_ROWS: usize = 1 << 16;
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
    fn new(keys: &[Key], arguments: &[ArrayRef], hashes: &Hashes, parts: Parts) -> Result<Self> {
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

    fn bytes(&self) -> usize {
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

impl Parted {
    pub(super) fn new(thread: u32, parts: Parts, context: &TaskContext) -> Self {
        Self {
            thread,
            parts,
            blocks: Vec::new(),
            held: 0,
            spilled: None,
            bytes: Bytes::default(),
            memory: MemoryConsumer::new("parted rows").register(context.memory_pool()),
            disk: Arc::clone(&context.runtime_env().disk_manager),
            spilled_min: match context.memory_pool().memory_limit() {
                MemoryLimit::Finite(bytes) => bytes / SPILLED_SHARE,
                MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
            },
        }
    }

    pub(super) fn has_spilled(&self) -> bool {
        self.spilled.is_some()
    }

    /// Takes over the rows of a block. False where memory is not enough, also with the disk.
    pub(super) fn add(&mut self, columns: &[ArrayRef], hashes: &Hashes) -> Result<bool> {
        let Some(keys) = self.bytes.keys(self.thread, &columns[0], hashes) else { return Ok(false) };
        let block = PartedBlock::new(&keys, &columns[1..], hashes, self.parts)?;
        self.held += block.bytes();
        self.blocks.push(block);
        if self.memory.try_resize(self.held + self.bytes.len()).is_ok() {
            return Ok(true);
        }
        // Longer texts stay in memory, because keys of all parts tell where they lie.
        if self.held < self.spilled_min {
            return Ok(false);
        }
        self.spill()?;
        Ok(self.memory.try_resize(self.bytes.len()).is_ok())
    }

    /// Puts all rows on the disk.
    pub(super) fn spill(&mut self) -> Result<()> {
        if !self.blocks.is_empty() {
            let spilled = match &mut self.spilled {
                Some(spilled) => spilled,
                none => none.insert(Spilled::new(&self.disk, self.parts)?),
            };
            spilled.write(&std::mem::take(&mut self.blocks))?;
        }
        self.held = 0;
        // Only given back: where the texts have outgrown what was counted, the query goes another way and does not fail.
        self.memory.shrink(self.memory.size().saturating_sub(self.bytes.len()));
        Ok(())
    }
}
