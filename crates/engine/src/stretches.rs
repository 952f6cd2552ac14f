//! Rows in stretches that expressions can compute at once: all of them as a rule, and fewer where those take too much.
//! How many is remembered for the rows that follow.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use tidegauge_exec::expr::{Allowance, Input, Loan, Room, Rows};
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::memory::EXPRESSIONS;

/// By how much stretches grow again when they take little.
const GROWTH: usize = 4;

/// Of more columns than these, so many rows are computed at once that they take about so many bytes, and no fewer than
/// these. A value takes so many bytes beside its text.
const COLUMNS_MANY: usize = 64;
const COLUMNS_BYTES: usize = 16 << 20;
const ROWS_MIN: usize = 16;
const VALUE_BYTES: usize = 17;

/// A query's memory and the time that is spent, for expressions over some rows.
#[derive(Debug)]
struct OfQuery {
    memory: MemoryReservation,
    began: Instant,
}

impl Room for OfQuery {
    fn grow(&self, bytes: usize) -> tidegauge_exec::Result<()> {
        self.memory.try_grow(bytes).map_err(|refused| tidegauge_exec::Error::Refused(Box::new(refused)))
    }

    fn lend(&self, bytes: usize) -> tidegauge_exec::Result<Loan> {
        let lent = self.memory.new_empty();
        match lent.try_grow(bytes) {
            Ok(()) => Ok(Box::new(lent)),
            Err(refused) => Err(tidegauge_exec::Error::Refused(Box::new(refused))),
        }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

/// What expressions may take for so many rows at once, of a query's memory.
pub(crate) fn allowance(pool: &Arc<dyn MemoryPool>, rows: usize) -> Allowance {
    let memory = MemoryConsumer::new(EXPRESSIONS).register(pool);
    Allowance::new(Box::new(OfQuery { memory, began: Instant::now() }), rows)
}

/// How many rows a query's expressions are computed for at once, where they are computed for many.
#[derive(Debug)]
pub(crate) struct Pace {
    memory: Arc<dyn MemoryPool>,
    rows: AtomicUsize,
}

impl Pace {
    pub(crate) fn new(memory: &Arc<dyn MemoryPool>) -> Self {
        Self { memory: Arc::clone(memory), rows: AtomicUsize::new(usize::MAX) }
    }

    /// How many bytes the query may have in all.
    pub(crate) fn memory_max(&self) -> usize {
        match self.memory.memory_limit() {
            MemoryLimit::Finite(bytes) => bytes,
            MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
        }
    }

    /// Computes something for the first of so many rows, as many as can be done at once, and tells how many those were.
    /// What is computed must not change anything before it is sure to succeed.
    pub(crate) fn first<T>(
        &self,
        count: usize,
        mut compute: impl FnMut(usize, &Allowance) -> Result<T>,
    ) -> Result<(T, usize)> {
        let mut rows = self.rows.load(Ordering::Relaxed).min(count).max(1);
        loop {
            let allowance = allowance(&self.memory, rows);
            match compute(rows.min(count), &allowance) {
                Err(Error::TooMuchAtOnce { rows: fewer }) if rows > 1 => {
                    rows = fewer.clamp(1, rows / 2);
                    self.rows.store(rows, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
                Ok(computed) => {
                    if allowance.has_much_left() && rows < count {
                        self.rows.store(rows.saturating_mul(GROWTH), Ordering::Relaxed);
                    }
                    return Ok((computed, rows.min(count)));
                }
            }
        }
    }
}

/// Inputs that are at hand, of which stretch after stretch is computed.
#[derive(Debug)]
pub(crate) struct Stretches {
    inputs: Vec<Input>,
    count: usize,
    next: usize,
    /// How many rows are computed at once at most.
    most: usize,
}

impl Stretches {
    pub(crate) fn new(inputs: Vec<Input>, count: usize) -> Self {
        Self { inputs, count, next: 0, most: usize::MAX }
    }

    /// For computing so many columns: of very many, a few rows are as large as many rows of few.
    pub(crate) fn of_columns(inputs: Vec<Input>, count: usize, columns: usize) -> Self {
        let most = match columns > COLUMNS_MANY {
            true => (COLUMNS_BYTES / columns.saturating_mul(VALUE_BYTES)).max(ROWS_MIN),
            false => usize::MAX,
        };
        Self { most, ..Self::new(inputs, count) }
    }

    /// Computes something for the next rows; none when all are done. It is told where they begin.
    pub(crate) fn next<T>(
        &mut self,
        pace: &Pace,
        mut compute: impl FnMut(&Rows<'_>, usize) -> Result<T>,
    ) -> Result<Option<T>> {
        let (start, left) = (self.next, self.count - self.next);
        if left == 0 {
            return Ok(None);
        }
        let (computed, rows) = pace.first(left.min(self.most), |rows, allowance| {
            if start == 0 && rows == self.count {
                return compute(&Rows::allowed(&self.inputs, rows, allowance), start);
            }
            let inputs: Vec<Input> = self.inputs.iter().map(|input| input.slice(start, rows)).collect();
            compute(&Rows::allowed(&inputs, rows, allowance), start)
        })?;
        self.next += rows;
        Ok(Some(computed))
    }
}
