//! The rows that one thread has read, parted by a hash of their key: in memory while they fit, then on the disk.

use std::sync::Arc;

use arrow_array::ArrayRef;
use datafusion_execution::TaskContext;
use datafusion_execution::disk_manager::DiskManager;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};

use super::keys::{Bytes, Hashes};
use super::part::{PartedBlock, Parts};
use super::spilled::Spilled;
use crate::Result;

/// A smaller share of the memory of a query is not worth a piece for each part on the disk.
const SPILLED_SHARE: usize = 16;

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
