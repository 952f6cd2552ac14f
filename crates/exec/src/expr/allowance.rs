//! What expressions may take for the rows at hand. A function can make texts that are far longer than what they are made
//! of; so each is counted before it is kept, against the query's memory, and where the rows at hand take too much or too
//! long, whoever asked comes again with fewer of them. Memory and clock are the caller's.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use crate::error::{Error, Result};

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

/// Where the memory and the time of the rows at hand come from.
pub trait Room: fmt::Debug + Send {
    /// Takes so many bytes more, for as long as this is there.
    fn grow(&self, bytes: usize) -> Result<()>;

    /// Takes so many bytes beside those.
    fn lend(&self, bytes: usize) -> Result<Loan>;

    /// How long the rows at hand have been computed.
    fn elapsed(&self) -> Duration;
}

/// Memory that is given back when this is dropped.
pub type Loan = Box<dyn fmt::Debug>;

/// What the rows at hand have taken, and may take.
#[derive(Debug)]
pub struct Allowance {
    room: Box<dyn Room>,
    rows: usize,
    /// How many bytes of the room are taken.
    held: Cell<usize>,
    bytes: Cell<usize>,
    /// At how many bytes the clock is looked at next.
    next_look: Cell<usize>,
    /// What was read since it was looked at.
    read: Cell<usize>,
}

impl Allowance {
    /// For so many rows at once.
    pub fn new(room: Box<dyn Room>, rows: usize) -> Self {
        Self {
            room,
            rows,
            held: Cell::new(0),
            bytes: Cell::new(0),
            next_look: Cell::new(BYTES_BETWEEN),
            read: Cell::new(0),
        }
    }

    /// Takes so many bytes for the text of a row, before it is kept. `row` is how many rows of this call are done.
    pub fn take(&self, bytes: usize, row: usize) -> Result<()> {
        let taken = self.bytes.get().saturating_add(bytes);
        self.bytes.set(taken);
        if taken > self.held.get() {
            let wanted = taken.checked_next_multiple_of(PIECE_BYTES).unwrap_or(usize::MAX);
            if let Err(refused) = self.room.grow(wanted - self.held.get()) {
                self.come_again(row)?;
                return Err(refused);
            }
            self.held.set(wanted);
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
    pub fn look(&self, read: usize, row: usize) -> Result<()> {
        let since = self.read.get().saturating_add(read).saturating_add(BYTES_BETWEEN / ROWS_BETWEEN);
        self.read.set(if since < BYTES_BETWEEN { since } else { 0 });
        match since < BYTES_BETWEEN {
            true => Ok(()),
            false => self.look_at_clock(row),
        }
    }

    /// Memory for working on a text while a row is computed: a long one may be taken apart.
    pub fn borrow(&self, read: usize, row: usize) -> Result<Option<Loan>> {
        if read < LONG_BYTES {
            return Ok(None);
        }
        match self.room.lend(read.saturating_mul(WORKING_FACTOR)) {
            Ok(lent) => Ok(Some(lent)),
            Err(refused) => {
                self.come_again(row)?;
                Err(refused)
            }
        }
    }

    /// Looks at the clock now, whatever was read.
    fn look_at_clock(&self, row: usize) -> Result<()> {
        match self.room.elapsed() > TIME_MAX {
            true => self.come_again(row),
            false => Ok(()),
        }
    }

    /// Whether so many rows more would do as well.
    pub fn has_much_left(&self) -> bool {
        self.bytes.get() < BYTES_MAX / 8 && self.room.elapsed() < TIME_MAX / 8
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
pub struct At<'a> {
    pub rows: usize,
    pub allowance: Option<&'a Allowance>,
}

impl At<'_> {
    /// One value, computed while a query is bound.
    pub const ONE: At<'static> = At { rows: 1, allowance: None };

    /// Looks at the clock from time to time, by how much was read for a row.
    pub fn look(self, read: usize, row: usize) -> Result<()> {
        self.allowance.map_or(Ok(()), |allowance| allowance.look(read, row))
    }

    /// Looks at the clock at once: before or after work that may take long, whatever was read for it.
    pub fn look_now(self, row: usize) -> Result<()> {
        self.allowance.map_or(Ok(()), |allowance| allowance.look_at_clock(row))
    }
}
