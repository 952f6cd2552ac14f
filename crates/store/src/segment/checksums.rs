//! The checksums of the parts of a segment file that a query reads by themselves: each column of each row group, and
//! each filter. They are part of the file's description, for which the footer's own checksum vouches.

use std::ops::Range;

use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Error, Result};

/// The checksums of one row group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GroupChecksums {
    /// By the column's place.
    pub(crate) columns: Vec<u64>,
    /// Places of columns that have a filter, with its checksum.
    #[serde(default)]
    pub(crate) filters: Vec<(usize, u64)>,
}

impl GroupChecksums {
    /// Of a row group that has been written into a file whose bytes so far are these.
    pub(super) fn of(bytes: &[u8], group: &RowGroupMetaData) -> Result<Self> {
        let hash = |range: Option<Range<u64>>| {
            let range =
                range.and_then(|range| Some(range.start.try_into().ok()?..range.end.try_into().ok()?));
            let part = range.and_then(|range: Range<usize>| bytes.get(range));
            part.map(xxh3_64).ok_or_else(|| Error::corrupt("a column lies outside of its file"))
        };
        let mut checksums = Self::default();
        for (place, column) in group.columns().iter().enumerate() {
            checksums.columns.push(hash(chunk_range(column))?);
            if column.bloom_filter_offset().is_some() {
                checksums.filters.push((place, hash(filter_range(column))?));
            }
        }
        Ok(checksums)
    }

    pub(crate) fn filter(&self, place: usize) -> Option<u64> {
        self.filters.iter().find(|(own, _)| *own == place).map(|(_, checksum)| *checksum)
    }
}

/// Where a column of a row group lies in its file.
pub(crate) fn chunk_range(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
    range(start, column.compressed_size())
}

/// Where the filter of a column lies in its file.
pub(crate) fn filter_range(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    range(column.bloom_filter_offset()?, column.bloom_filter_length()?.into())
}

fn range(start: i64, length: i64) -> Option<Range<u64>> {
    let (start, length) = (u64::try_from(start).ok()?, u64::try_from(length).ok()?);
    Some(start..start.checked_add(length)?)
}
