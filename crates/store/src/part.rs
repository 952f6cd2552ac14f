//! A part: a stretch of rows that are read together, either the events of one request in the buffer or one segment.
//! Both give their columns by field and kind, so that flush and compaction are one piece of work.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegauge_model::{Column, FieldKind};

use crate::Result;
use crate::arrays;
use crate::frame::Frame;
use crate::segment::SegmentPart;

/// One typed column of a dataset.
pub(crate) type ColumnKey = (Arc<str>, FieldKind);

/// The events of one request with their sequence.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) sequence: u64,
    pub(crate) frame: Frame,
}

/// Rows that are read together.
#[derive(Debug)]
pub(crate) enum Part {
    Logged(Arc<Logged>),
    Segment(Box<SegmentPart>),
}

/// The identity of each row of a part, and when it arrived.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    pub(crate) times: Vec<i64>,
    pub(crate) arrivals: Vec<i64>,
    pub(crate) sequences: Vec<u64>,
    pub(crate) indexes: Vec<u32>,
}

impl Part {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Logged(logged) => logged.frame.rows(),
            Self::Segment(segment) => segment.rows(),
        }
    }

    pub(crate) fn raw_bytes(&self) -> u64 {
        match self {
            Self::Logged(logged) => logged.frame.receipt().raw_bytes,
            Self::Segment(segment) => segment.raw_bytes(),
        }
    }

    /// The time of its first row.
    pub(crate) fn first_time(&self) -> i64 {
        match self {
            Self::Logged(logged) => logged.frame.times().first().copied().unwrap_or(i64::MIN),
            Self::Segment(segment) => segment.first_time(),
        }
    }

    /// Adds the identities of this part's rows to those of others.
    pub(crate) fn identify(&self, identities: &mut Identities) {
        match self {
            Self::Logged(logged) => {
                let rows = logged.frame.rows();
                identities.times.extend_from_slice(&logged.frame.times());
                identities.arrivals.extend(std::iter::repeat_n(logged.frame.receipt().arrival, rows));
                identities.sequences.extend(std::iter::repeat_n(logged.sequence, rows));
                identities.indexes.extend((0_u32..).take(rows));
            }
            Self::Segment(segment) => segment.identify(identities),
        }
    }

    /// Which columns there are, and how many rows have them.
    pub(crate) fn columns(&self, visit: &mut dyn FnMut(&str, FieldKind, u64)) {
        match self {
            Self::Logged(logged) => {
                for column in logged.frame.columns() {
                    visit(logged.frame.name(column), column.kind(), column.count() as u64);
                }
            }
            Self::Segment(segment) => segment.columns(visit),
        }
    }

    /// A column for all rows of the part, or `None` if no row has it.
    pub(crate) fn array(&self, key: &ColumnKey) -> Result<Option<ArrayRef>> {
        match self {
            Self::Logged(logged) => {
                let frame = &logged.frame;
                let is_wanted = |column: &&crate::frame::FrameColumn| {
                    column.kind() == key.1 && frame.name(column) == &*key.0
                };
                frame
                    .columns()
                    .iter()
                    .find(is_wanted)
                    .map(|column| arrays::of_frame(frame, column))
                    .transpose()
            }
            Self::Segment(segment) => segment.array(key),
        }
    }

    /// The values of a column that are there, for columns that few rows have.
    pub(crate) fn sparse(&self, key: &ColumnKey) -> Result<Option<Column>> {
        let Some(array) = self.array(key)? else { return Ok(None) };
        Ok(Some(arrays::to_column(&key.0, key.1, &array)?))
    }
}
