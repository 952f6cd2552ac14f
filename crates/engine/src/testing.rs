//! What the tests of this crate need beyond its face. Nobody else should use it.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use tidegauge_bind::{SPECIAL, Scope, Surroundings};
use tidegauge_cache::{ColumnCache, Narrow};
use tidegauge_exec::expr::{Input, Picked, Rows, Typed};
use tidegauge_exec::{InputColumn, functions};
use tidegauge_lang::tree::{Expr, Type};
use tidegauge_store::BlockId;

use crate::events::factor_after;
use crate::memory::{EXPRESSIONS, QueryMemory, SharedMemory};
use crate::{Error, Result};

/// The length of the buckets of `bin_auto`, in nanoseconds.
const HOUR: i64 = 3_600_000_000_000;

/// A named column for [`evaluate`].
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub kind: Type,
    pub values: ArrayRef,
}

/// Evaluates an expression over columns of so many rows, without a dataset: an array for each type that the result has.
pub fn evaluate(expr: &Expr, columns: &[Column], rows: usize, now: i64) -> Result<Vec<(Type, ArrayRef)>> {
    let mut scope =
        Scope::without_dataset(Surroundings { now, auto_step: Some(HOUR), ..Surroundings::default() });
    for (place, column) in columns.iter().enumerate() {
        scope.define(&column.name, Typed::input(column.kind, place).into());
    }
    let value = scope.bind(expr)?;
    let inputs: Vec<Input> = columns.iter().map(|column| Input::Plain(Arc::clone(&column.values))).collect();
    let rows = Rows::new(&inputs, rows);
    let evaluated = |variant: &Typed| Ok((variant.kind, variant.evaluate(&rows)?.into_array(rows.count)?));
    value.variants.iter().map(evaluated).collect()
}

/// Rows of numbers that were kept in half of their bytes; none if they cannot be.
pub fn narrowed(numbers: &ArrayRef, rows: Option<Vec<u32>>) -> Option<ArrayRef> {
    let picked = rows.map_or(Picked::Range(0..numbers.len()), Picked::Rows);
    Some(Narrow::of(numbers)?.at(&picked))
}

/// Columns that are kept in so many bytes, for what very many questions would be needed for.
#[derive(Debug)]
pub struct KeptColumns(ColumnCache);

impl KeptColumns {
    pub fn new(bytes_max: usize) -> Self {
        Self(ColumnCache::new(bytes_max))
    }

    /// Asks for a column of a block, which is read and may be kept if it was not. Says whether it was.
    pub fn ask(&self, block: BlockId, values: &ArrayRef) -> bool {
        let was_kept = self.0.get(block, &InputColumn::Arrival).is_some();
        if !was_kept {
            self.0.insert(block, &InputColumn::Arrival, &Input::Plain(Arc::clone(values)));
        }
        was_kept
    }
}

/// Queries that share memory, each with what it holds; none where one has ended.
#[derive(Debug)]
pub struct Memories(Vec<Option<(Arc<QueryMemory>, MemoryReservation)>>);

impl Memories {
    /// So many bytes for all, and a share for each query.
    pub fn new(bytes_max: usize, shares: &[usize]) -> Self {
        let queries: Vec<(&str, usize)> = shares.iter().map(|share| ("", *share)).collect();
        Self::of_orgs(bytes_max, &queries)
    }

    /// The same for queries of organisations.
    pub fn of_orgs(bytes_max: usize, queries: &[(&str, usize)]) -> Self {
        let shared = Arc::new(SharedMemory::new(bytes_max));
        let query = |(org, share): &(&str, usize)| {
            let memory = Arc::new(QueryMemory::new(Arc::clone(&shared), *share, &Arc::from(*org)));
            let pool = Arc::clone(&memory) as Arc<dyn MemoryPool>;
            Some((memory, MemoryConsumer::new(EXPRESSIONS).register(&pool)))
        };
        Self(queries.iter().map(query).collect())
    }

    /// Whether a query gets so many bytes more.
    pub fn take(&self, query: usize, bytes: usize) -> bool {
        self.0[query].as_ref().is_some_and(|(_, held)| held.try_grow(bytes).is_ok())
    }

    /// Whether an operator of a query would get so many bytes more, which leaves some to expressions.
    pub fn has_for_operator(&self, query: usize, bytes: usize) -> bool {
        self.0[query].as_ref().is_some_and(|(memory, _)| {
            let pool = Arc::clone(memory) as Arc<dyn MemoryPool>;
            MemoryConsumer::new("operator").register(&pool).try_grow(bytes).is_ok()
        })
    }

    pub fn give_back(&self, query: usize, bytes: usize) {
        self.0[query].iter().for_each(|(_, held)| held.shrink(bytes));
    }

    /// Ends a query, which gives back all that it holds.
    pub fn end(&mut self, query: usize) {
        self.0[query] = None;
    }

    /// Whether a query that failed now would be told that others hold its memory.
    pub fn is_crowded(&self, query: usize) -> bool {
        self.0[query].as_ref().is_some_and(|(memory, _)| matches!(memory.refusal(), Error::MemoryTaken))
    }
}

/// By how much rows are taken to be longer than on average, when those that were read took so much.
pub fn length_factor(before: f64, expected: usize, bytes: usize) -> f64 {
    factor_after(before, expected, bytes)
}

/// The name of every function that an expression can call.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    functions::names()
}

pub fn is_known_function(name: &str) -> bool {
    functions::is_known(name) || SPECIAL.iter().any(|(known, _)| *known == name)
}

/// Whether a function can be called with so many arguments.
pub fn function_takes(name: &str, count: usize) -> bool {
    let special = SPECIAL.iter().find(|(known, _)| *known == name).map(|(_, takes)| *takes == count);
    special.or_else(|| functions::takes(name, count)).unwrap_or(false)
}
