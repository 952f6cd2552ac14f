//! The pages of a large column, of which those are read that hold the wanted rows: of an event that is shown, a page of
//! each column instead of all of them. Fetching and proving their bytes is left to the footer.

use std::ops::Range;

use parquet::file::page_index::offset_index::PageLocation;

use crate::segment::Page;

/// Where more than one part in so many of a column would be read, all of it is, in one go.
const PART: u64 = 2;

/// The pages of a column of a row group.
pub(super) struct Pages<'a> {
    pages: &'a [Page],
    start: u64,
    bytes: u64,
}

impl<'a> Pages<'a> {
    /// None where they are not all that lies there, or not of all rows.
    pub(super) fn new(pages: &'a [Page], range: Range<u64>, rows: i64) -> Option<Self> {
        let bytes: u64 = pages.iter().map(|page| u64::from(page.bytes)).sum();
        let of_pages: i64 = pages.iter().map(|page| i64::from(page.rows)).sum();
        let is_whole = bytes == range.end.checked_sub(range.start)? && of_pages == rows;
        is_whole.then_some(Self { pages, start: range.start, bytes })
    }

    /// The pages that hold these rows, which ascend, and the dictionary that they need: runs of neighbours, with where
    /// they lie. None where reading them by themselves does not pay.
    pub(super) fn with(&self, rows: &[u32]) -> Option<Vec<(Range<u64>, &'a [Page])>> {
        let mut runs: Vec<(Range<u64>, Range<usize>)> = Vec::new();
        let (mut offset, mut first_row, mut left, mut read) = (self.start, 0, rows, 0);
        for (place, page) in self.pages.iter().enumerate() {
            let end_row = first_row + page.rows;
            let inside = left.partition_point(|row| *row < end_row);
            let end = offset + u64::from(page.bytes);
            if inside > 0 || page.rows == 0 {
                read += u64::from(page.bytes);
                match runs.last_mut().filter(|(bytes, _)| bytes.end == offset) {
                    Some((bytes, places)) => (bytes.end, places.end) = (end, place + 1),
                    None => runs.push((offset..end, place..place + 1)),
                }
            }
            (offset, first_row, left) = (end, end_row, &left[inside..]);
        }
        let pays = read * PART <= self.bytes;
        pays.then(|| runs.into_iter().map(|(bytes, places)| (bytes, &self.pages[places])).collect())
    }

    /// Where each page with rows lies, for the reader to find them.
    pub(super) fn locations(&self) -> Vec<PageLocation> {
        let mut locations = Vec::with_capacity(self.pages.len());
        let (mut offset, mut first_row) = (self.start, 0);
        for page in self.pages {
            if page.rows > 0 {
                locations.push(PageLocation {
                    offset: offset.cast_signed(),
                    compressed_page_size: page.bytes.cast_signed(),
                    first_row_index: i64::from(first_row),
                });
            }
            (offset, first_row) = (offset + u64::from(page.bytes), first_row + page.rows);
        }
        locations
    }
}
