//! The arrays of series: groups by key and stretch, put in order, with defaults where there are none.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_row::{RowConverter, SortField};
use datafusion_execution::memory_pool::MemoryReservation;
use hashbrown::HashMap;
use tidegauge_lang::{Diagnostic, Span};

use super::axis::Axis;
use crate::{Error, Result};

/// How many points all series together have at most.
const POINTS_MAX: usize = 1_000_000;

/// How long the texts of all series together are at most.
const BYTES_MIB_MAX: usize = 256;

/// Room is taken in pieces, because asking the pool for every point takes longer than writing it.
const PIECE_BYTES: usize = 64 << 10;

/// How groups become arrays.
pub(super) struct Stretches<'a> {
    pub(super) axis: &'a Axis,
    /// What stands where a series has no rows.
    pub(super) defaults: Vec<String>,
    pub(super) span: Span,
    pub(super) room: Room,
}

/// The room that the texts of all arrays may take: a share of the query's memory, and never more than a bound.
pub(super) struct Room {
    reservation: MemoryReservation,
}

impl Room {
    pub(super) fn new(reservation: MemoryReservation) -> Self {
        Self { reservation }
    }

    /// Takes room for what is about to be written.
    fn take(&self, bytes: usize, span: Span) -> Result<()> {
        if self.reservation.size().saturating_add(bytes) > BYTES_MIB_MAX << 20 {
            let message = format!("the series have more than {BYTES_MIB_MAX} MiB");
            let hint = "write a longer step, fewer keys after `by`, or a shorter default";
            return Err(Error::Invalid(vec![Diagnostic::new(message, span).with_hint(hint)]));
        }
        Ok(self.reservation.try_grow(bytes)?)
    }
}

/// The stretches of one series that have rows, and where these are.
#[derive(Default)]
struct Series {
    rows: Vec<(i64, usize)>,
}

impl Stretches<'_> {
    /// The columns of all series: the keys, the arrays, and the axis. The batch has the keys, the number of the
    /// stretch, and a JSON text for each aggregate.
    pub(super) fn arrays(
        &self,
        batch: &RecordBatch,
        keys: usize,
        is_nonempty: bool,
    ) -> Result<Vec<ArrayRef>> {
        let mut all = series_of(batch, keys)?;
        if all.is_empty() && is_nonempty {
            all.push(Series::default());
        }
        let mut ranges = Vec::with_capacity(all.len());
        let mut points = 0_usize;
        for series in &mut all {
            series.rows.sort_unstable();
            let (first, end) = self.range(series);
            let stretches = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
            points = points.saturating_add(stretches.saturating_mul(self.defaults.len().max(1)));
            if points > POINTS_MAX {
                let message = format!("the series have more than {POINTS_MAX} points");
                let hint = "write a longer step, or fewer keys after `by`";
                return Err(Error::Invalid(vec![Diagnostic::new(message, self.span).with_hint(hint)]));
            }
            ranges.push((first, end));
        }
        let firsts = all.iter().filter_map(|series| series.rows.first());
        let firsts: UInt32Array = firsts.map(|(_, row)| *row as u32).collect();
        let taken = batch.columns()[..keys].iter().map(|key| arrow_select::take::take(key, &firsts, None));
        let mut arrays = taken.collect::<Result<Vec<ArrayRef>, _>>()?;
        for (number, default) in self.defaults.iter().enumerate() {
            let texts = batch.column(keys + 1 + number).as_string_view();
            arrays.push(self.written(&all, &ranges, |series, place, text| {
                let found = series.rows.binary_search_by_key(&place, |(place, _)| *place);
                match found.map(|at| series.rows[at].1) {
                    Ok(row) if texts.is_valid(row) => text.push_str(texts.value(row)),
                    Ok(_) => text.push_str("null"),
                    Err(_) => text.push_str(default),
                }
            })?);
        }
        arrays.push(self.written(&all, &ranges, |_, place, text| self.axis.write_start(place, text))?);
        Ok(arrays)
    }

    /// One array for each series, of what is written for each of its stretches.
    fn written(
        &self,
        all: &[Series],
        ranges: &[(i64, i64)],
        write: impl Fn(&Series, i64, &mut String),
    ) -> Result<ArrayRef> {
        let mut builder = StringViewBuilder::with_capacity(all.len());
        let mut text = String::new();
        let mut unpaid = 0;
        for (series, (first, end)) in all.iter().zip(ranges) {
            text.clear();
            text.push('[');
            for place in *first..*end {
                if place > *first {
                    text.push(',');
                }
                let before = text.len();
                write(series, place, &mut text);
                unpaid += text.len() - before;
                if unpaid >= PIECE_BYTES {
                    self.room.take(std::mem::take(&mut unpaid), self.span)?;
                }
            }
            text.push(']');
            builder.append_value(&text);
        }
        self.room.take(unpaid, self.span)?;
        Ok(Arc::new(builder.finish()))
    }

    /// The first stretch of a series, and the one behind its last.
    fn range(&self, series: &Series) -> (i64, i64) {
        let least = series.rows.first().map_or(0, |(place, _)| *place);
        let greatest = series.rows.last().map(|(place, _)| place.saturating_add(1));
        let first = self.axis.first.unwrap_or(least);
        (first, self.axis.end.or(greatest).unwrap_or(first))
    }
}

/// The groups of each series, in the order in which they come.
fn series_of(batch: &RecordBatch, keys: usize) -> Result<Vec<Series>> {
    let places = batch.column(keys).as_primitive::<Int64Type>();
    let mut all: Vec<Series> = Vec::new();
    if keys == 0 {
        let rows: Vec<(i64, usize)> = places.values().iter().copied().zip(0..).collect();
        all.extend((!rows.is_empty()).then_some(Series { rows }));
        return Ok(all);
    }
    let columns = &batch.columns()[..keys];
    let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
    let rows = RowConverter::new(fields)?.convert_columns(columns)?;
    let mut known: HashMap<Box<[u8]>, usize> = HashMap::new();
    for (row, key) in rows.iter().enumerate() {
        let number = *known.entry(key.as_ref().into()).or_insert(all.len());
        if number == all.len() {
            all.push(Series::default());
        }
        all[number].rows.push((places.value(row), row));
    }
    Ok(all)
}
