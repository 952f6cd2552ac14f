//! Whole events, read back row by row with their identity. For checks and for moving data, where all of an event is
//! wanted; queries read columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{ErrorKind, FieldKind};

use crate::dataset::{DatasetState, Snapshot};
use crate::merge::Merge;
use crate::merge_input::MergeInput;
use crate::{Error, Result, Store};

/// One stored event.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRow {
    /// In nanoseconds since 1970.
    pub time: i64,
    pub arrival: i64,
    pub sequence: u64,
    pub index: u32,
    /// By field, in the order of names; a field of several kinds has the value it came with.
    pub fields: Vec<(Arc<str>, StoredValue)>,
}

/// A value of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredValue {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(String),
    /// JSON text.
    Array(String),
    /// JSON text.
    Map(String),
    /// The digits of an integer beyond 64 bits.
    LongInteger(String),
}

impl Store {
    /// Every event of a dataset, in the order of time.
    pub async fn rows(&self, state: &Arc<DatasetState>) -> Result<Vec<StoredRow>> {
        let (rows, damaged) = self.readable_rows(state).await?;
        damaged.into_iter().next().map_or(Ok(rows), Err)
    }

    /// Every event of a dataset that can be read, and why the others cannot.
    pub async fn readable_rows(&self, state: &Arc<DatasetState>) -> Result<(Vec<StoredRow>, Vec<Error>)> {
        let Snapshot { batches, segments, .. } = state.snapshot();
        let mut inputs: Vec<MergeInput> = batches.into_iter().map(MergeInput::Buffered).collect();
        let mut damaged = Vec::new();
        for segment in segments.iter() {
            match self.open_segment(segment).await {
                Ok(input) => inputs.push(MergeInput::Segment(Box::new(input))),
                Err(error) if error.kind() == ErrorKind::Corrupt => damaged.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok((rows_of(inputs)?, damaged))
    }

    /// The events of one segment, in the order of time.
    pub async fn rows_of(&self, segment: &Segment) -> Result<Vec<StoredRow>> {
        rows_of(vec![MergeInput::Segment(Box::new(self.open_segment(segment).await?))])
    }
}

pub(crate) fn rows_of(inputs: Vec<MergeInput>) -> Result<Vec<StoredRow>> {
    let merge = Merge::new(inputs)?;
    let mut rows: Vec<StoredRow> = (0..merge.rows())
        .map(|row| StoredRow {
            time: merge.identities.times[row],
            arrival: merge.identities.arrivals[row],
            sequence: merge.identities.sequences[row],
            index: merge.identities.indexes[row],
            fields: Vec::new(),
        })
        .collect();
    let mut columns = merge.columns();
    columns.sort();
    for (key, _) in columns {
        let array = merge.array(&key)?;
        for (at, row) in rows.iter_mut().enumerate().filter(|(at, _)| array.is_valid(*at)) {
            row.fields.push((Arc::clone(&key.0), value(&array, key.1, at)));
        }
    }
    rows.sort_by_key(|row| (row.time, row.sequence, row.index));
    Ok(rows)
}

fn value(array: &ArrayRef, kind: FieldKind, at: usize) -> StoredValue {
    let text = || array.as_string::<i64>().value(at).to_owned();
    match kind {
        FieldKind::Boolean => StoredValue::Boolean(array.as_boolean().value(at)),
        FieldKind::Integer => StoredValue::Integer(array.as_primitive::<Int64Type>().value(at)),
        FieldKind::Float => StoredValue::Float(array.as_primitive::<Float64Type>().value(at)),
        FieldKind::String => StoredValue::String(text()),
        FieldKind::Array => StoredValue::Array(text()),
        FieldKind::Map => StoredValue::Map(text()),
        FieldKind::LongInteger => StoredValue::LongInteger(text()),
    }
}
