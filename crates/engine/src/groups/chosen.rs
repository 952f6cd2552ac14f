//! Of all groups by bucket, those that are among the totals, in the order of buckets and then of the totals.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{RecordBatch, UInt32Array};
use arrow_row::{RowConverter, SortField};
use hashbrown::HashMap;

use crate::Result;

/// Picks and orders rows of `all`, whose first column is the bucket, by the groups of `totals`.
pub(super) fn in_order(all: &RecordBatch, totals: &RecordBatch, keys: usize) -> Result<RecordBatch> {
    let buckets = all.column(0).as_primitive::<Int64Type>();
    let mut rows: Vec<(i64, usize, u32)> = if keys == 0 {
        (0_u32..).zip(buckets.values()).map(|(row, bucket)| (*bucket, 0, row)).collect()
    } else {
        let fields = totals.schema_ref().fields()[..keys].iter();
        let converter =
            RowConverter::new(fields.map(|field| SortField::new(field.data_type().clone())).collect())?;
        let chosen = converter.convert_columns(&totals.columns()[..keys])?;
        let places: HashMap<_, usize> = chosen.iter().enumerate().map(|(place, row)| (row, place)).collect();
        let of_all = converter.convert_columns(&all.columns()[1..=keys])?;
        let row = |(row, key)| Some((buckets.value(row as usize), *places.get(&key)?, row));
        (0_u32..).zip(of_all.iter()).filter_map(row).collect()
    };
    rows.sort_unstable();
    let rows: UInt32Array = rows.into_iter().map(|(_, _, row)| Some(row)).collect();
    Ok(arrow_select::take::take_record_batch(all, &rows)?)
}
