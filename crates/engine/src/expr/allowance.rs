//! What expressions may take for the rows at hand. A function can make texts that are far longer than what they are made
//! of; so each is counted before it is kept, against the query's memory, and where the rows at hand take too much or too
//! long, whoever asked comes again with fewer of them. How it does so is left to `stretches`.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use datafusion_execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use tokio::time::Instant;

use crate::memory::EXPRESSIONS;
use crate::{Error, Result};

/// The rows at hand may have so many bytes of new texts, with those between.
const BYTES_MAX: usize = 8 << 20;

/// And take about so long.
const TIME_MAX: Duration = Duration::from_millis(5);

/// A text that is longer may take so many times its length while a function works on it.
const LONG_BYTES: usize = 64 << 10;
const WORKING_FACTOR: usize = 8;

/// The clock is looked at after so many rows, and after so many bytes that were read or made.
const ROWS_BETWEEN: usize = 32;
const BYTES_BETWEEN: usize = 64 << 10;

/// Memory is taken in pieces of this, so that short texts cost nothing.
const PIECE_BYTES: usize = 1 << 20;

/// What the rows at hand have taken, and may take.
#[derive(Debug)]
pub(crate) struct Allowance {
    memory: MemoryReservation,
    rows: usize,
    began: Instant,
    bytes: Cell<usize>,
    /// At how many bytes the clock is looked at next.
    next_look: Cell<usize>,
    /// What was read since it was looked at.
    read: Cell<usize>,
}

impl Allowance {
    /// For so many rows at once.
    pub(crate) fn new(pool: &Arc<dyn MemoryPool>, rows: usize) -> Self {
        Self {
            memory: MemoryConsumer::new(EXPRESSIONS).register(pool),
            rows,
            began: Instant::now(),
            bytes: Cell::new(0),
            next_look: Cell::new(BYTES_BETWEEN),
            read: Cell::new(0),
        }
    }

    /// Takes so many bytes for the text of a row, before it is kept. `row` is how many rows of this call are done.
    pub(crate) fn take(&self, bytes: usize, row: usize) -> Result<()> {
        let taken = self.bytes.get().saturating_add(bytes);
        self.bytes.set(taken);
        if taken > self.memory.size() {
            let wanted = taken.next_multiple_of(PIECE_BYTES) - self.memory.size();
            if let Err(refused) = self.memory.try_grow(wanted) {
                self.come_again(row)?;
                return Err(refused.into());
            }
        }
        if taken > BYTES_MAX {
            self.come_again(row)?;
        }
        if taken > self.next_look.get() {
            self.next_look.set(taken.saturating_add(BYTES_BETWEEN));
            self.look_at_clock(row)?;
        }
        Ok(())
    }

    /// Looks at the clock from time to time, by how much was read for a row.
    pub(crate) fn look(&self, read: usize, row: usize) -> Result<()> {
        let since = self.read.get() + read + BYTES_BETWEEN / ROWS_BETWEEN;
        self.read.set(if since < BYTES_BETWEEN { since } else { 0 });
        match since < BYTES_BETWEEN {
            true => Ok(()),
            false => self.look_at_clock(row),
        }
    }

    /// Memory for working on a text while a row is computed: a long one may be taken apart.
    pub(crate) fn borrow(&self, read: usize, row: usize) -> Result<Option<MemoryReservation>> {
        if read < LONG_BYTES {
            return Ok(None);
        }
        let borrowed = self.memory.new_empty();
        match borrowed.try_grow(read.saturating_mul(WORKING_FACTOR)) {
            Ok(()) => Ok(Some(borrowed)),
            Err(refused) => {
                self.come_again(row)?;
                Err(refused.into())
            }
        }
    }

    /// Looks at the clock now, whatever was read.
    fn look_at_clock(&self, row: usize) -> Result<()> {
        match self.began.elapsed() > TIME_MAX {
            true => self.come_again(row),
            false => Ok(()),
        }
    }

    /// Whether so many rows more would do as well.
    pub(crate) fn has_much_left(&self) -> bool {
        self.bytes.get() < BYTES_MAX / 8 && self.began.elapsed() < TIME_MAX / 8
    }

    /// One row is computed whatever it takes, as long as there is memory.
    fn come_again(&self, row: usize) -> Result<()> {
        match self.rows {
            0 | 1 => Ok(()),
            rows => Err(Error::TooMuchAtOnce { rows: row.clamp(1, rows / 2) }),
        }
    }
}

/// For how many rows a function computes, and what it may take for them: nothing bounds it where the rows are few.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) rows: usize,
    pub(crate) allowance: Option<&'a Allowance>,
}

impl At<'_> {
    /// One value, computed while a query is bound.
    pub(crate) const ONE: At<'static> = At { rows: 1, allowance: None };

    /// Looks at the clock from time to time, by how much was read for a row.
    pub(crate) fn look(self, read: usize, row: usize) -> Result<()> {
        self.allowance.map_or(Ok(()), |allowance| allowance.look(read, row))
    }

    /// Looks at the clock at once: before or after work that may take long, whatever was read for it.
    pub(crate) fn look_now(self, row: usize) -> Result<()> {
        self.allowance.map_or(Ok(()), |allowance| allowance.look_at_clock(row))
    }
}
