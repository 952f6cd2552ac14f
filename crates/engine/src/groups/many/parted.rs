//! The rows that one thread has read, parted by a hash of their key: in memory while they fit, then on the disk.

use std::sync::Arc;

use arrow_array::ArrayRef;
use datafusion_execution::TaskContext;
use datafusion_execution::disk_manager::DiskManager;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};

use super::keys::Form;
use super::part::{PartedBlock, Parts};
use super::spilled::Spilled;
use crate::Result;

/// A smaller share of the memory of a query is not worth a piece for each part on the disk.
const SPILLED_SHARE: usize = 16;

/// Rows in memory leave this part of what a query may have: the last thread too is to find room, and what computes rows.
const FREE_PART: usize = 4;

/// What one thread has parted.
pub(super) struct Parted {
    pub(super) thread: u32,
    form: Arc<Form>,
    parts: Parts,
    pub(super) blocks: Vec<PartedBlock>,
    /// The bytes of the blocks.
    held: usize,
    pub(super) spilled: Option<Spilled>,
    pub(super) memory: MemoryReservation,
    disk: Arc<DiskManager>,
    /// From how many bytes on rows can be put on the disk, and from how many on they are.
    spilled_min: usize,
    held_max: usize,
}

impl Parted {
    pub(super) fn new(
        thread: u32,
        threads: u32,
        form: &Arc<Form>,
        parts: Parts,
        context: &TaskContext,
    ) -> Self {
        let bytes_max = match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => bytes,
            MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
        };
        let held_max = (bytes_max - bytes_max / FREE_PART) / threads.max(1) as usize;
        Self {
            thread,
            form: Arc::clone(form),
            parts,
            blocks: Vec::new(),
            held: 0,
            spilled: None,
            memory: MemoryConsumer::new("parted rows").register(context.memory_pool()),
            disk: Arc::clone(&context.runtime_env().disk_manager),
            spilled_min: (bytes_max / SPILLED_SHARE).min(held_max),
            held_max,
        }
    }

    /// How many bytes are in memory.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    pub(super) fn has_spilled(&self) -> bool {
        self.spilled.is_some()
    }

    /// Takes over the rows of a block. False where memory is not enough, also with the disk, or a key is too long.
    pub(super) fn add(&mut self, columns: &[ArrayRef]) -> Result<bool> {
        let (keys, arguments) = columns.split_at(self.form.columns());
        let Some(keys) = self.form.keys(keys) else { return Ok(false) };
        let block = PartedBlock::new(&keys, arguments, &self.form, self.parts)?;
        self.held += block.bytes();
        self.blocks.push(block);
        if self.held <= self.held_max && self.memory.try_resize(self.held).is_ok() {
            return Ok(true);
        }
        if self.held < self.spilled_min {
            return Ok(false);
        }
        self.spill()?;
        Ok(true)
    }

    /// Puts all rows on the disk.
    pub(super) fn spill(&mut self) -> Result<()> {
        if !self.blocks.is_empty() {
            let spilled = match &mut self.spilled {
                Some(spilled) => spilled,
                none => none.insert(Spilled::new(&self.disk, self.parts)?),
            };
            spilled.write(&std::mem::take(&mut self.blocks), &self.form)?;
        }
        self.held = 0;
        self.memory.free();
        Ok(())
    }
}
