//! Batches that hold their own rows and nothing else. Operators hand a large batch on in stretches, and every stretch
//! holds all of it: an operator that keeps the stretches and counts what each holds, as a sort does, would count the
//! large batch once for each of them, and run out of memory that nobody uses.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion_common::Result;
use datafusion_common::utils::memory::get_record_batch_memory_size;

/// A batch may hold so many times the bytes of its rows before these are copied out of it.
const HELD_SHARE: usize = 2;

/// The rows of a batch, copied where it holds much else.
pub(crate) fn of(batch: RecordBatch) -> Result<RecordBatch> {
    let own: usize = batch.columns().iter().map(bytes).sum();
    if get_record_batch_memory_size(&batch) <= own.saturating_mul(HELD_SHARE) {
        return Ok(batch);
    }
    let Ok(rows) = u32::try_from(batch.num_rows()) else { return Ok(batch) };
    let rows = UInt32Array::from_iter_values(0..rows);
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(batch.num_columns());
    for column in batch.columns() {
        columns.push(match column.as_string_view_opt() {
            Some(texts) => Arc::new(texts.gc()),
            None => arrow_select::take::take(column, &rows, None)?,
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

/// The bytes of an array's own rows, also where it is a stretch of a longer one.
pub(crate) fn bytes(array: &ArrayRef) -> usize {
    let of_texts = array.as_string_view_opt().map_or(0, |texts| texts.total_buffer_bytes_used());
    bytes_beside(array) + of_texts
}

/// The bytes of the texts in one row of these columns.
pub(crate) fn text_bytes<'a>(columns: impl IntoIterator<Item = &'a ArrayRef>, row: usize) -> usize {
    let texts = columns.into_iter().filter_map(|column| column.as_string_view_opt());
    texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row).len()).sum()
}

/// The bytes of the same rows in another order, beside the array: texts are not copied.
pub(crate) fn bytes_beside(array: &ArrayRef) -> usize {
    match array.as_string_view_opt() {
        Some(texts) => texts.len() * (size_of::<u128>() + 1),
        // Of arrays in other arrays too only the stretch counts.
        None => array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size()),
    }
}
