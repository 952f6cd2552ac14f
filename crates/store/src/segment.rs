//! A segment: one Parquet file of events in the order of time, never changed after it is written. Which rows go into
//! it is decided by `flush`, `compact` and `delete`; that it exists is told by the catalogue.

mod checksums;
mod encoding;
mod overflow;
mod overflow_field;
mod overflow_write;
mod proof;
mod read;
mod schema;
mod stats;
mod write;

pub(crate) use checksums::{GroupChecksums, Page, chunk_range, filter_range};
pub(crate) use overflow::decode as decode_overflow;
pub(crate) use overflow_field::decode_field as decode_overflow_field;
pub(crate) use proof::{TAIL_BYTES, footer_bytes, is_footer_whole, is_whole};
pub(crate) use read::{SegmentInput, parse_description};
pub(crate) use schema::{ARRIVAL, INDEX, OVERFLOW, Origin, SEQUENCE, TIME};
pub(crate) use stats::bounds;
pub use stats::{Bound, ColumnStats, SegmentStats};
pub(crate) use write::{Encoded, Job, encode, is_nameable, promoted};

use serde::{Deserialize, Serialize};

/// How many rows a row group has: the unit that a query reads or skips.
pub(crate) const ROW_GROUP_ROWS: usize = 128 * 1024;

/// How many fields of a segment are columns of their own; the others share the overflow column `_rest`.
pub(crate) const COLUMNS_MAX: usize = 500;

/// How much work goes into a segment's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompactionTier {
    /// From the buffer: soon merged with others.
    Fresh,
    /// From compaction: may be merged again.
    Merged,
    /// From compaction of a day that is over: written once, kept for long.
    Settled,
}

/// What a segment says of itself, so that the catalogue can be made anew from segments alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Description {
    pub(crate) version: u32,
    pub(crate) segment: String,
    pub(crate) origin: Origin,
    pub(crate) raw_bytes: u64,
    pub(crate) level: u32,
    /// Up to which sequence the dataset's events were in segments with this one, or had been: of those that were
    /// deleted since, the WAL may still have a copy. Files from before that say nothing.
    #[serde(default)]
    pub(crate) flushed: u64,
    /// The segments whose rows this one and its siblings hold. Until those are deleted, both are in the store.
    #[serde(default)]
    pub(crate) replaces: Vec<String>,
    /// All segments that were written together with this one.
    #[serde(default)]
    pub(crate) siblings: Vec<String>,
    pub(crate) columns: Vec<DescribedColumn>,
    /// Fields in `_rest`, with how many rows have them.
    pub(crate) rest: Vec<(String, String, u64)>,
    /// By row group; files from before ranges were read have none and are verified whole.
    #[serde(default)]
    pub(crate) checksums: Vec<GroupChecksums>,
    /// The templates of strings, which lie between the last row group and the footer. Files from before that have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) templates: Vec<DescribedTemplates>,
}

/// Where the templates of one column of one row group are in the file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct DescribedTemplates {
    pub(crate) group: usize,
    /// The column's place.
    pub(crate) place: usize,
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DescribedColumn {
    pub(crate) number: u32,
    pub(crate) field: String,
    pub(crate) kind: String,
    /// How many rows have it.
    pub(crate) count: u64,
}

/// Under which name a file holds its [`Description`].
pub(crate) const DESCRIPTION_KEY: &str = "tidegauge.segment";

pub(crate) const DESCRIPTION_VERSION: u32 = 1;
