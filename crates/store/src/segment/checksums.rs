//! The checksums of the parts of a segment file that a query reads by themselves: each column of each row group, each
//! page of the large ones, and each filter. They are part of the file's description, for which the footer's own checksum
//! vouches.

use std::ops::Range;

use parquet::arrow::arrow_writer::ArrowColumnChunk;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::page_index::offset_index::PageLocation;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Error, Result};

/// Of a column with fewer bytes all are read, also where few rows are wanted: that takes no longer than a call.
const PAGED_BYTES_MIN: u64 = 64 << 10;

/// The checksums of one row group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GroupChecksums {
    /// By the column's place.
    pub(crate) columns: Vec<u64>,
    /// Places of columns that have a filter, with its checksum.
    #[serde(default)]
    pub(crate) filters: Vec<(usize, u64)>,
    /// Places of large columns, with their pages one after the other. Files from before that have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) pages: Vec<(usize, Vec<Page>)>,
}

/// A page of a column; one without rows is the dictionary of those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u64)", into = "(u32, u32, u64)")]
pub(crate) struct Page {
    pub(crate) rows: u32,
    pub(crate) bytes: u32,
    pub(crate) checksum: u64,
}

impl From<(u32, u32, u64)> for Page {
    fn from((rows, bytes, checksum): (u32, u32, u64)) -> Self {
        Self { rows, bytes, checksum }
    }
}

impl From<Page> for (u32, u32, u64) {
    fn from(page: Page) -> Self {
        (page.rows, page.bytes, page.checksum)
    }
}

/// How many rows and bytes the pages of a column have, before it is written into a file.
pub(super) fn page_sizes(chunk: &ArrowColumnChunk) -> Option<Vec<(u32, u32)>> {
    let closed = chunk.close();
    let pages = closed.offset_index.as_ref()?.page_locations();
    let ends = pages.iter().skip(1).map(|page| page.first_row_index);
    let ends = ends.chain([i64::try_from(closed.rows_written).ok()?]);
    let size = |(page, end): (&PageLocation, i64)| {
        Some((
            u32::try_from(end - page.first_row_index).ok()?,
            u32::try_from(page.compressed_page_size).ok()?,
        ))
    };
    let sizes: Vec<(u32, u32)> = pages.iter().zip(ends).map(size).collect::<Option<_>>()?;
    let own = sizes.iter().map(|(_, bytes)| u64::from(*bytes)).sum::<u64>();
    let before = u32::try_from(closed.bytes_written.checked_sub(own)?).ok()?;
    Some(std::iter::once((0, before)).filter(|(_, bytes)| *bytes > 0).chain(sizes).collect())
}

impl GroupChecksums {
    /// Of a row group that has been written into a file whose bytes so far are these, with the sizes of the pages of its
    /// columns.
    pub(super) fn of(
        bytes: &[u8],
        group: &RowGroupMetaData,
        sizes: &[Option<Vec<(u32, u32)>>],
    ) -> Result<Self> {
        let part = |range: Option<Range<u64>>| {
            let range =
                range.and_then(|range| Some(range.start.try_into().ok()?..range.end.try_into().ok()?));
            let part = range.and_then(|range: Range<usize>| bytes.get(range));
            part.ok_or_else(|| Error::corrupt("a column lies outside of its file"))
        };
        let mut checksums = Self::default();
        for (place, column) in group.columns().iter().enumerate() {
            let chunk = part(chunk_range(column))?;
            checksums.columns.push(xxh3_64(chunk));
            if column.bloom_filter_offset().is_some() {
                checksums.filters.push((place, xxh3_64(part(filter_range(column))?)));
            }
            if let Some(sizes) = sizes.get(place).and_then(Option::as_ref)
                && chunk.len() as u64 >= PAGED_BYTES_MIN
                && let Some(pages) = pages_of(chunk, sizes)
            {
                checksums.pages.push((place, pages));
            }
        }
        Ok(checksums)
    }

    /// The pages of a column, if it is large.
    pub(crate) fn pages(&self, place: usize) -> Option<&[Page]> {
        self.pages.iter().find(|(own, _)| *own == place).map(|(_, pages)| pages.as_slice())
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let pages: usize = self.pages.iter().map(|(_, pages)| pages.len()).sum();
        self.columns.len() * size_of::<u64>() + pages * size_of::<Page>()
    }

    pub(crate) fn filter(&self, place: usize) -> Option<u64> {
        self.filters.iter().find(|(own, _)| *own == place).map(|(_, checksum)| *checksum)
    }
}

/// The pages of a column, if they are all of it.
fn pages_of(chunk: &[u8], sizes: &[(u32, u32)]) -> Option<Vec<Page>> {
    let mut left = chunk;
    let mut pages = Vec::with_capacity(sizes.len());
    for &(rows, bytes) in sizes {
        let (page, after) = left.split_at_checked(bytes as usize)?;
        pages.push(Page { rows, bytes, checksum: xxh3_64(page) });
        left = after;
    }
    left.is_empty().then_some(pages)
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
