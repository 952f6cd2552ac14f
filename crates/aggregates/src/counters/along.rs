//! From one bucket of time to the next: a series rises there too, and what it rises belongs to the bucket of the later
//! point. Each bucket tells where its series began and ended.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array};
use arrow_row::{RowConverter, SortField};
use arrow_schema::DataType;
use hashbrown::HashMap;

use datafusion_common::{DataFusionError, Result};

use super::super::state::StateReader;
use super::histograms::Histograms;
use super::kind::Kind;
use super::numbers::Numbers;

/// Which bucket and which keys each row of a table has.
#[derive(Clone, Copy, Debug)]
pub struct Along<'a> {
    pub buckets: &'a Int64Array,
    pub keys: &'a [ArrayRef],
}

/// What groups rose in the end: where they have buckets, from the last point in a bucket before as well.
pub fn settled(column: &ArrayRef, along: Option<Along<'_>>) -> Result<ArrayRef> {
    let unexpected = || DataFusionError::External("an increase comes with its edges".into());
    let parts = column.as_struct_opt().filter(|parts| parts.num_columns() == 2).ok_or_else(unexpected)?;
    let Some(along) = along else { return Ok(ArrayRef::clone(parts.column(0))) };
    let edges = parts.column(1).as_binary_opt::<i32>().ok_or_else(unexpected)?;
    match parts.column(0).data_type() {
        DataType::Float64 => linked::<Numbers>(edges, along),
        _ => linked::<Histograms>(edges, along),
    }
}

fn linked<K: Kind>(edges: &BinaryArray, along: Along<'_>) -> Result<ArrayRef> {
    let groups = numbered(along.keys, edges.len())?;
    let mut order: Vec<usize> = (0..edges.len()).collect();
    let bucket = |row: usize| along.buckets.is_valid(row).then(|| along.buckets.value(row));
    order.sort_unstable_by_key(|row| (groups[*row], bucket(*row), *row));
    let mut sums: Vec<K::Sum> = Vec::new();
    sums.resize_with(edges.len(), K::Sum::default);
    let mut ends: HashMap<&[u8], K::Value> = HashMap::new();
    let mut group = None;
    for row in order {
        if group != Some(groups[row]) {
            group = Some(groups[row]);
            ends.clear();
        }
        let mut state = StateReader::new(edges.value(row));
        let mut sum = K::read_sum(&mut state)?;
        while !state.is_at_end() {
            let name = state.bytes(size_of::<u128>())?;
            let first = K::read(None, &mut state)?;
            let last = K::read(Some(&first), &mut state)?;
            if let Some(before) = ends.insert(name, last) {
                K::add(&mut sum, &K::since(&first, &before));
            }
        }
        sums[row] = sum;
    }
    Ok(K::finish(sums))
}

/// A number for the keys of each row; equal keys have equal numbers.
fn numbered(keys: &[ArrayRef], rows: usize) -> Result<Vec<usize>> {
    if keys.is_empty() {
        return Ok(vec![0; rows]);
    }
    let fields = keys.iter().map(|key| SortField::new(key.data_type().clone()));
    let converter = RowConverter::new(fields.collect())?;
    let converted = converter.convert_columns(keys)?;
    let mut numbers = HashMap::new();
    Ok(converted
        .iter()
        .map(|row| {
            let next = numbers.len();
            *numbers.entry(row).or_insert(next)
        })
        .collect())
}
