//! The first rows in the order of fields: all that match are looked at, and of those seen so far only the first are
//! kept.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::Int64Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, UInt32Array, UInt64Array};
use arrow_ord::sort::{SortColumn as ArrowSortColumn, SortOptions, lexsort_to_indices};
use tidegauge_model::RowId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::memory::alone;
use super::{Budget, Finds, Found, Memory};
use crate::expr::{Rows, Stretches, Typed};
use crate::own_rows;
use crate::plan::SortColumn;
use crate::scan::{Scan, Selected};
use crate::turns::{self, in_turns};
use crate::{Error, Result};

/// Columns of the kept rows: those to sort by, then the parts of the id, the block and the row.
type Columns = Vec<ArrayRef>;

struct Sorting {
    scan: Arc<Scan>,
    columns: Vec<SortColumn>,
    limit: usize,
    deadline: Instant,
    seconds: u64,
    kept: Mutex<Option<Columns>>,
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
    let kept = sorting.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(kept) = kept else { return Ok(Finds::default()) };
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
            let of = |column: &SortColumn| column.expr.evaluate(rows)?.into_array(rows.count);
            let values = self.columns.iter().map(of).collect::<Result<Columns>>()?;
            Ok((values, start..start + rows.count))
        };
        while let Some((mut columns, range)) = stretches.next(&self.scan.pace, values)? {
            self.identify(selected, range, &mut columns).await?;
            self.merge(self.first(columns)?)?;
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

    /// The first rows of these, in order.
    fn first(&self, columns: Columns) -> Result<Columns> {
        let by_field = self.columns.iter().map(|column| (column.is_descending, column.has_nulls_first));
        // Rows that are equal are newest first, and those of the same time as they were sent.
        let directions = by_field.chain([(true, false), (false, false), (false, false)]);
        let sort_columns: Vec<ArrowSortColumn> = columns
            .iter()
            .zip(directions)
            .map(|(values, (descending, nulls_first))| ArrowSortColumn {
                values: Arc::clone(values),
                options: Some(SortOptions { descending, nulls_first }),
            })
            .collect();
        let places = lexsort_to_indices(&sort_columns, Some(self.limit))?;
        let taken = |column: &ArrayRef| -> Result<ArrayRef> {
            Ok(alone(arrow_select::take::take(column, &places, None)?))
        };
        columns.iter().map(taken).collect()
    }

    fn merge(&self, columns: Columns) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.take();
        // What is kept and what is new are there at the same time.
        let taken = before.as_ref().map_or(0, bytes_of);
        let more = bytes_of(&columns);
        self.memory.take(more)?;
        let all = match before {
            None => columns,
            Some(before) => {
                let joined = before
                    .iter()
                    .zip(&columns)
                    .map(|(a, b)| arrow_select::concat::concat(&[a as &dyn Array, b as &dyn Array]));
                self.first(joined.collect::<std::result::Result<Columns, _>>()?)?
            }
        };
        // Rows of two blocks may take more together: those without nulls say so where others have some.
        let bytes = bytes_of(&all);
        self.memory.take(bytes.saturating_sub(taken + more))?;
        self.memory.give_back((taken + more).saturating_sub(bytes));
        *kept = Some(all);
        Ok(())
    }
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
