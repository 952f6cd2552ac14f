//! The first rows in the order of fields: all that match are looked at, and of those seen so far only the first are
//! kept. Others wait until there are many of them, and what comes behind the last of the first is passed over.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::Int64Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, UInt32Array, UInt64Array};
use arrow_ord::ord::make_comparator;
use arrow_ord::sort::{SortColumn as ArrowSortColumn, SortOptions, lexsort_to_indices};
use arrow_schema::ArrowError;
use tidegauge_exec::expr::{Rows, Typed};
use tidegauge_model::RowId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::memory::{Memory, alone};
use super::search::{Budget, Finds, Found};
use crate::own_rows;
use crate::plan::SortColumn;
use crate::scan::{Scan, Selected};
use crate::stretches::Stretches;
use crate::turns::{self, in_turns};
use crate::{Error, Result};

/// Columns of the kept rows: those to sort by, then the parts of the id, the block and the row.
type Columns = Vec<ArrayRef>;

/// Rows wait to be put in order with those that are kept until they are as many as are wanted, or take so many bytes.
const WAITING_BYTES_MAX: usize = 4 << 20;

/// What is kept of the rows seen so far.
#[derive(Default)]
struct Kept {
    /// In order, no more than are wanted.
    first: Option<Columns>,
    /// The last of those, once they are as many as are wanted: what comes behind it is not among the first.
    last: Option<Columns>,
    /// Each of these in an order of its own.
    waiting: Vec<Columns>,
    waiting_rows: usize,
    waiting_bytes: usize,
}

struct Sorting {
    scan: Arc<Scan>,
    columns: Vec<SortColumn>,
    limit: usize,
    deadline: Instant,
    seconds: u64,
    kept: Mutex<Kept>,
    memory: Arc<Memory>,
}

/// Finds the first rows in the order of the columns.
pub(super) async fn run(
    scan: &Arc<Scan>,
    columns: &[SortColumn],
    limit: usize,
    budget: &Budget,
) -> Result<Finds> {
    let sorting = Arc::new(Sorting {
        scan: Arc::clone(scan),
        columns: columns.to_vec(),
        limit,
        deadline: budget.deadline,
        seconds: budget.seconds,
        kept: Mutex::default(),
        memory: Arc::clone(&budget.memory),
    });
    let mut threads = JoinSet::new();
    for _ in 0..budget.threads.min(scan.blocks.len()) {
        let sorting = Arc::clone(&sorting);
        threads.spawn(in_turns(async move { sorting.work().await }));
    }
    while let Some(done) = threads.join_next().await {
        done.map_err(|source| Error::Internal { message: format!("a sort stopped: {source}") })??;
    }
    let mut kept = std::mem::take(&mut *sorting.kept.lock().unwrap_or_else(PoisonError::into_inner));
    sorting.put_in_order(&mut kept)?;
    let Some(kept) = kept.first else { return Ok(Finds::default()) };
    let rows = found(&kept, sorting.columns.len());
    budget.memory.give_back(bytes_of(&kept));
    drop(kept);
    budget.memory.take(rows.len() * size_of::<Found>())?;
    Ok(Finds { rows, cut_at: None })
}

impl Sorting {
    async fn work(&self) -> Result<()> {
        while let Some(claim) = self.scan.claim() {
            if Instant::now() >= self.deadline {
                return Err(Error::Time { seconds: self.seconds });
            }
            if let Some(selected) = self.scan.select(claim).await? {
                for selected in self.portions(selected) {
                    self.add(&selected).await?;
                }
            }
            turns::pause().await;
        }
        Ok(())
    }

    /// Selected rows in portions that can be read at once.
    fn portions(&self, selected: Selected) -> Vec<Selected> {
        let places = Typed::inputs_of(self.columns.iter().map(|column| &column.expr));
        let portions = self.scan.portions(selected.place, &places, &selected.picked).into_iter();
        portions.map(|picked| Selected { place: selected.place, picked }).collect()
    }

    /// Takes over those of the selected rows that are among the first.
    async fn add(&self, selected: &Selected) -> Result<()> {
        let places = Typed::inputs_of(self.columns.iter().map(|column| &column.expr));
        let inputs = self.scan.load(selected.place, &places, &selected.picked).await?;
        let mut stretches = Stretches::new(inputs, selected.picked.count());
        let values = |rows: &Rows<'_>, start: usize| {
            let of = |column: &SortColumn| Ok(column.expr.evaluate(rows)?.into_array(rows.count)?);
            let values = self.columns.iter().map(of).collect::<Result<Columns>>()?;
            Ok((values, start..start + rows.count))
        };
        while let Some((mut columns, range)) = stretches.next(&self.scan.pace, values)? {
            self.identify(selected, range, &mut columns).await?;
            let columns = self.promising(columns)?;
            if rows_of(&columns) > 0 {
                self.merge(self.first(columns)?)?;
            }
            turns::pause().await;
        }
        Ok(())
    }

    /// Adds what tells rows apart to their columns.
    async fn identify(&self, selected: &Selected, range: Range<usize>, columns: &mut Columns) -> Result<()> {
        let block = &self.scan.blocks[selected.place];
        let numbers: Vec<u32> = range.map(|at| selected.picked.row(at)).collect();
        let times = self.scan.times(block).await?;
        let found = super::fetch::identified(block, selected.place, &times, &numbers).await?;
        columns.push(Arc::new(found.iter().map(|found| found.id.time).collect::<Int64Array>()));
        columns.push(Arc::new(found.iter().map(|found| found.id.sequence).collect::<UInt64Array>()));
        columns.push(Arc::new(found.iter().map(|found| found.id.index).collect::<UInt32Array>()));
        columns.push(Arc::new(found.iter().map(|found| found.block).collect::<UInt32Array>()));
        columns.push(Arc::new(found.iter().map(|found| found.row).collect::<UInt32Array>()));
        Ok(())
    }

    /// Those of some rows that may be among the first.
    fn promising(&self, columns: Columns) -> Result<Columns> {
        let last = self.kept.lock().unwrap_or_else(PoisonError::into_inner).last.clone();
        let Some(last) = last else { return Ok(columns) };
        let by = self.by(&columns).into_iter().zip(&last);
        let comparators = by
            .map(|(by, last)| make_comparator(&by.values, last, by.options.unwrap_or_default()))
            .collect::<std::result::Result<Vec<_>, ArrowError>>()?;
        let count = rows_of(&columns);
        let is_before = |row: &usize| {
            let mut orders = comparators.iter().map(|compare| compare(*row, 0));
            orders.find(|order| order.is_ne()).is_some_and(Ordering::is_lt)
        };
        let places: Vec<u32> = (0..count).filter(is_before).map(|row| row as u32).collect();
        if places.len() == count {
            return Ok(columns);
        }
        taken(&columns, &UInt32Array::from(places))
    }

    /// The first rows of these, in order.
    fn first(&self, columns: Columns) -> Result<Columns> {
        let places = lexsort_to_indices(&self.by(&columns), Some(self.limit))?;
        taken(&columns, &places)
    }

    /// What rows are in order by.
    fn by(&self, columns: &Columns) -> Vec<ArrowSortColumn> {
        let by_field = self.columns.iter().map(|column| (column.is_descending, column.has_nulls_first));
        // Rows that are equal are newest first, and those of the same time as they were sent.
        let directions = by_field.chain([(true, false), (false, false), (false, false)]);
        columns
            .iter()
            .zip(directions)
            .map(|(values, (descending, nulls_first))| ArrowSortColumn {
                values: Arc::clone(values),
                options: Some(SortOptions { descending, nulls_first }),
            })
            .collect()
    }

    fn merge(&self, columns: Columns) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = bytes_of(&columns);
        if let Err(error) = self.memory.take(bytes) {
            if kept.waiting.is_empty() {
                return Err(error);
            }
            // Of those that wait most may not be needed.
            self.put_in_order(&mut kept)?;
            self.memory.take(bytes)?;
        }
        kept.waiting_rows += rows_of(&columns);
        kept.waiting_bytes += bytes;
        kept.waiting.push(columns);
        if kept.waiting_rows >= self.limit || kept.waiting_bytes >= WAITING_BYTES_MAX {
            self.put_in_order(&mut kept)?;
        }
        Ok(())
    }

    /// Puts the rows that wait among those that are kept, of which the first stay.
    fn put_in_order(&self, kept: &mut Kept) -> Result<()> {
        if kept.waiting.is_empty() {
            return Ok(());
        }
        let parts: Vec<Columns> = kept.first.take().into_iter().chain(kept.waiting.drain(..)).collect();
        let held: usize = parts.iter().map(bytes_of).sum();
        let all = match parts.as_slice() {
            [only] => only.clone(),
            parts => self.first(concatenated(parts)?)?,
        };
        drop(parts);
        // Rows of two blocks may take more together: those without nulls say so where others have some.
        let bytes = bytes_of(&all);
        self.memory.take(bytes.saturating_sub(held))?;
        self.memory.give_back(held.saturating_sub(bytes));
        let rows = rows_of(&all);
        let is_full = rows > 0 && rows >= self.limit;
        let last = is_full.then(|| all.iter().map(|column| alone(column.slice(rows - 1, 1))).collect());
        *kept = Kept { first: Some(all), last, ..Kept::default() };
        Ok(())
    }
}

fn rows_of(columns: &Columns) -> usize {
    columns.first().map_or(0, |column| column.len())
}

fn taken(columns: &Columns, places: &UInt32Array) -> Result<Columns> {
    let of = |column: &ArrayRef| -> Result<ArrayRef> {
        Ok(alone(arrow_select::take::take(column, places, None)?))
    };
    columns.iter().map(of).collect()
}

/// The same columns of several stretches, one after the other.
fn concatenated(stretches: &[Columns]) -> Result<Columns> {
    let width = stretches.first().map_or(0, Vec::len);
    let column = |place: usize| {
        let parts: Vec<&dyn Array> = stretches.iter().map(|columns| columns[place].as_ref()).collect();
        arrow_select::concat::concat(&parts)
    };
    Ok((0..width).map(column).collect::<std::result::Result<Columns, ArrowError>>()?)
}

fn bytes_of(columns: &Columns) -> usize {
    columns.iter().map(own_rows::bytes).sum()
}

fn found(columns: &Columns, keys: usize) -> Vec<Found> {
    let times = columns[keys].as_primitive::<Int64Type>();
    let sequences = columns[keys + 1].as_primitive::<UInt64Type>();
    let number = |column: usize, row: usize| columns[keys + column].as_primitive::<UInt32Type>().value(row);
    (0..times.len())
        .map(|row| Found {
            id: RowId { time: times.value(row), sequence: sequences.value(row), index: number(2, row) },
            block: number(3, row),
            row: number(4, row),
        })
        .collect()
}
