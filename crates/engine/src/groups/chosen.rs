//! Of all groups by bucket, those that are among the totals, in the order of buckets and then of the totals.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_row::{RowConverter, SortField};
use hashbrown::HashMap;

use crate::Result;

/// The places of these rows. Of all groups the columns are the bucket and the keys, of the chosen ones the keys.
pub(crate) fn in_order(all: &[ArrayRef], chosen: &[ArrayRef]) -> Result<UInt32Array> {
    let Some((buckets, keys)) = all.split_first() else { return Ok(UInt32Array::from(Vec::<u32>::new())) };
    let buckets = buckets.as_primitive::<Int64Type>();
    let mut rows: Vec<(Option<i64>, usize, u32)> = if keys.is_empty() {
        (0_u32..).zip(buckets.iter()).map(|(row, bucket)| (bucket, 0, row)).collect()
    } else {
        let fields = chosen.iter().map(|key| SortField::new(key.data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        let chosen = converter.convert_columns(chosen)?;
        let places: HashMap<_, usize> = chosen.iter().enumerate().map(|(place, row)| (row, place)).collect();
        let of_all = converter.convert_columns(keys)?;
        let row = |(row, (bucket, key))| Some((bucket, *places.get(&key)?, row));
        (0_u32..).zip(buckets.iter().zip(of_all.iter())).filter_map(row).collect()
    };
    rows.sort_unstable();
    Ok(rows.into_iter().map(|(_, _, row)| Some(row)).collect())
}
