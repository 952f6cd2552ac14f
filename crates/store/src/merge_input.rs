//! A merge input: rows that are read together, either the events of one request in the buffer or one segment.
//! Both give their columns by field and kind, so that flush and compaction are one piece of work.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegauge_model::{Column, FieldKind};

use crate::Result;
use crate::arrays;
use crate::buffered_batch::BufferedBatch;
use crate::column_key::ColumnKey;
use crate::identities::Identities;
use crate::segment::SegmentInput;

/// Rows that are read together.
#[derive(Debug)]
pub(crate) enum MergeInput {
    Buffered(Arc<BufferedBatch>),
    Segment(Box<SegmentInput>),
}

impl MergeInput {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Buffered(batch) => batch.payload.rows(),
            Self::Segment(segment) => segment.rows(),
        }
    }

    pub(crate) fn raw_bytes(&self) -> u64 {
        match self {
            Self::Buffered(batch) => batch.payload.receipt().raw_bytes,
            Self::Segment(segment) => segment.raw_bytes(),
        }
    }

    /// The time of its first row.
    pub(crate) fn first_time(&self) -> i64 {
        match self {
            Self::Buffered(batch) => batch.payload.times().first().copied().unwrap_or(i64::MIN),
            Self::Segment(segment) => segment.first_time(),
        }
    }

    /// Adds the identities of this input's rows to those of others.
    pub(crate) fn identify(&self, identities: &mut Identities) {
        match self {
            Self::Buffered(batch) => {
                let rows = batch.payload.rows();
                identities.times.extend_from_slice(&batch.payload.times());
                identities.arrivals.extend(std::iter::repeat_n(batch.payload.receipt().arrival, rows));
                identities.sequences.extend(std::iter::repeat_n(batch.sequence, rows));
                identities.indexes.extend((0_u32..).take(rows));
            }
            Self::Segment(segment) => segment.identify(identities),
        }
    }

    /// Which columns there are, each with its index in the input and with how many rows have it.
    pub(crate) fn columns(&self, visit: &mut dyn FnMut(usize, &str, FieldKind, u64)) {
        match self {
            Self::Buffered(batch) => {
                for (place, column) in batch.payload.columns().iter().enumerate() {
                    visit(place, batch.payload.name(column), column.kind(), column.count() as u64);
                }
            }
            Self::Segment(segment) => segment.columns(visit),
        }
    }

    /// The column at a place, for all rows of the input.
    pub(crate) fn array(&self, place: usize) -> Result<ArrayRef> {
        match self {
            Self::Buffered(batch) => arrays::of_batch(&batch.payload, &batch.payload.columns()[place]),
            Self::Segment(segment) => segment.array(place),
        }
    }

    /// The values of a column that are there, for columns that few rows have.
    pub(crate) fn sparse(&self, place: usize, key: &ColumnKey) -> Result<Column> {
        if let Self::Segment(segment) = self
            && let Some(column) = segment.sparse(place)
        {
            return Ok(column.clone());
        }
        arrays::to_column(&key.0, key.1, &self.array(place)?)
    }
}
