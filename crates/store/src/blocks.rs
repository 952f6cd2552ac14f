//! Blocks: what a query reads or skips at once, one row group of a segment or a chunk of the memtable. A block gives
//! typed columns for its rows, in the order of their identities, and says beforehand whether it can hold what is
//! asked for. What the values mean, and which decoded columns are worth keeping, is left to the query engine.

mod column;
mod column_location;
mod decode;
mod footer;
mod footer_cache;
mod gather;
mod id;
mod memtable;
mod overflow_columns;
mod pages;
mod prune;
mod segment;
#[cfg(feature = "testing")]
pub(crate) mod testing;

use std::cmp::Reverse;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::ScalarBuffer;
use futures_util::{StreamExt, TryStreamExt};
use tidegauge_catalog::segments::Segment;
use tidegauge_model::FieldKind;

pub use column::{BlockColumn, Codes};
use footer::Footer;
pub(crate) use footer_cache::FooterCache;
pub(crate) use id::segment_number;
pub use id::{BlockId, TypeSet};
pub(crate) use memtable::{MemtableChunk, MemtableChunks};
use overflow_columns::OverflowColumns;
pub use prune::{Predicate, Scalar};
use segment::SegmentBlock;

use crate::segment::ROW_GROUP_ROWS;
use crate::{Result, Snapshot, Store, Templates};

/// How many footers are fetched at once from a store that is not on this machine.
const FOOTERS_AT_ONCE: usize = 16;

/// The blocks of a snapshot that may have events in a range of time, the newest first.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// By the time of their latest event, descending.
    pub blocks: Vec<Block>,
    /// The size of all segments that have events in the range.
    pub segment_bytes: u64,
    /// How many row groups were left out because of their time.
    pub skipped: u64,
}

/// Rows that are read or skipped together. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Block(Place);

#[derive(Clone, Debug)]
enum Place {
    Segment(SegmentBlock),
    Buffer(Arc<MemtableChunk>),
}

/// A range of event times; the end is not part of it unless it is the last time there is.
#[derive(Clone, Copy)]
struct Range {
    start: i64,
    end: i64,
}

impl Range {
    fn overlaps(self, min_time: i64, max_time: i64) -> bool {
        let is_open = self.end == i64::MAX;
        let is_empty = self.start >= self.end && !is_open;
        !is_empty && max_time >= self.start && (is_open || min_time < self.end)
    }
}

impl Store {
    /// The blocks of a snapshot that may have events from `start` on and before `end_exclusive`; `i64::MAX` stands
    /// for no end. Footers that are not in memory yet are read and verified.
    pub async fn blocks(&self, snapshot: &Snapshot, start: i64, end_exclusive: i64) -> Result<Blocks> {
        let range = Range { start, end: end_exclusive };
        let mut found = Blocks::default();
        let mut wanted = Vec::new();
        for segment in snapshot.segments.iter() {
            if range.overlaps(segment.min_time, segment.max_time) {
                found.segment_bytes += segment.bytes;
                wanted.push(segment);
            } else {
                found.skipped += segment.rows.div_ceil(ROW_GROUP_ROWS as u64);
            }
        }
        for footer in self.footers_of(&wanted).await? {
            for group in 0..footer.group_count() {
                let block = SegmentBlock::new(&footer, group);
                if range.overlaps(block.min_time(), block.max_time()) {
                    found.blocks.push(Block(Place::Segment(block)));
                } else {
                    found.skipped += 1;
                }
            }
        }
        for chunk in snapshot.chunks.of(&snapshot.batches)? {
            if range.overlaps(chunk.min_time(), chunk.max_time()) {
                found.blocks.push(Block(Place::Buffer(chunk)));
            }
        }
        found.blocks.sort_by_key(|block| Reverse((block.max_time(), block.min_time(), block.id())));
        Ok(found)
    }

    async fn footers_of(&self, segments: &[&Arc<Segment>]) -> Result<Vec<Arc<Footer>>> {
        if self.objects.is_local() {
            let mut footers = Vec::with_capacity(segments.len());
            for segment in segments {
                footers.push(self.footer_of(segment).await?);
            }
            return Ok(footers);
        }
        let opening: Vec<_> = segments.iter().map(|segment| self.footer_of(segment)).collect();
        futures_util::stream::iter(opening).buffered(FOOTERS_AT_ONCE).try_collect().await
    }

    async fn footer_of(&self, segment: &Arc<Segment>) -> Result<Arc<Footer>> {
        if let Some(footer) = self.footer_cache.get(&segment.id) {
            return Ok(footer);
        }
        let footer = Footer::open(&self.objects, segment, Arc::downgrade(&self.footer_cache)).await?;
        Ok(self.footer_cache.keep(Arc::new(footer)))
    }
}

/// Fields that have no column of their own, held in memory.
#[derive(Debug)]
pub struct HeldOverflow(#[expect(dead_code, reason = "it is only held")] Option<Arc<OverflowColumns>>);

impl Block {
    pub fn id(&self) -> BlockId {
        match &self.0 {
            Place::Segment(block) => block.id(),
            Place::Buffer(chunk) => chunk.id(),
        }
    }

    pub fn rows(&self) -> usize {
        match &self.0 {
            Place::Segment(block) => block.rows(),
            Place::Buffer(chunk) => chunk.rows(),
        }
    }

    /// The time of the earliest event, in nanoseconds since 1970.
    pub fn min_time(&self) -> i64 {
        match &self.0 {
            Place::Segment(block) => block.min_time(),
            Place::Buffer(chunk) => chunk.min_time(),
        }
    }

    /// The time of the latest event, in nanoseconds since 1970.
    pub fn max_time(&self) -> i64 {
        match &self.0 {
            Place::Segment(block) => block.max_time(),
            Place::Buffer(chunk) => chunk.max_time(),
        }
    }

    /// Whether its events are not in a segment yet.
    pub fn is_buffered(&self) -> bool {
        matches!(self.0, Place::Buffer(_))
    }

    /// Bytes on the disk; none for the buffer.
    pub fn stored_bytes(&self) -> u64 {
        match &self.0 {
            Place::Segment(block) => block.stored_bytes(),
            Place::Buffer(_) => 0,
        }
    }

    /// The bytes on the disk that one column is read from; none for the buffer.
    pub fn column_bytes(&self, field: &str, kind: FieldKind) -> u64 {
        match &self.0 {
            Place::Segment(block) => block.column_bytes(field, kind),
            Place::Buffer(_) => 0,
        }
    }

    /// About the bytes that one column takes in memory when it is decoded whole; none for the buffer, which has it there.
    pub fn decoded_bytes(&self, field: &str, kind: FieldKind) -> u64 {
        match &self.0 {
            Place::Segment(block) => block.decoded_bytes(field, kind),
            Place::Buffer(_) => 0,
        }
    }

    /// Whether a field has no column of its own here: reading it for a few rows costs as much as for all.
    pub fn is_in_overflow(&self, field: &str, kind: FieldKind) -> bool {
        match &self.0 {
            Place::Segment(block) => block.is_in_overflow(field, kind),
            Place::Buffer(_) => false,
        }
    }

    /// Reads all fields that have no column of their own, for who reads many of them: as long as the answer is held they
    /// are found at once.
    pub async fn hold_overflow(&self) -> Result<HeldOverflow> {
        Ok(HeldOverflow(match &self.0 {
            Place::Segment(block) => Some(block.hold_overflow().await?),
            Place::Buffer(_) => None,
        }))
    }

    /// Which kinds of value a field may have here. A kind that is not among them has no value in any row.
    pub fn kinds(&self, field: &str) -> TypeSet {
        match &self.0 {
            Place::Segment(block) => block.kinds(field),
            Place::Buffer(chunk) => chunk.kinds(field),
        }
    }

    /// Every field that may occur here, in no order; for a segment, every field of the segment.
    pub fn fields(&self, visit: &mut dyn FnMut(&str, TypeSet)) {
        match &self.0 {
            Place::Segment(block) => block.fields(visit),
            Place::Buffer(chunk) => chunk.fields(visit),
        }
    }

    /// Whether a row can pass the test on a field's values of one kind; false only when it is certain that none does.
    pub async fn may_pass(&self, field: &str, kind: FieldKind, test: &Predicate<'_>) -> Result<bool> {
        match &self.0 {
            Place::Segment(block) => block.may_pass(field, kind, test).await,
            Place::Buffer(chunk) => Ok(chunk.kinds(field).contains(kind)),
        }
    }

    /// One typed column for all rows; `None` when no row has a value.
    pub async fn column(&self, field: &str, kind: FieldKind) -> Result<Option<BlockColumn>> {
        match &self.0 {
            Place::Segment(block) => block.column(field, kind).await,
            Place::Buffer(chunk) => Ok(chunk.column(field, kind)?.map(BlockColumn::Plain)),
        }
    }

    /// Some rows of one typed column, given by ascending numbers; `None` when no row of the block has a value. Pages
    /// without any of them are not decoded, so this is for few rows.
    pub async fn column_at(&self, field: &str, kind: FieldKind, rows: &[u32]) -> Result<Option<ArrayRef>> {
        match &self.0 {
            Place::Segment(block) => block.column_at(field, kind, rows).await,
            Place::Buffer(chunk) => chunk.column_at(field, kind, rows),
        }
    }

    /// The templates of a field's strings, where they were stored with them.
    pub async fn templates(&self, field: &str) -> Result<Option<Templates>> {
        match &self.0 {
            Place::Segment(block) => block.templates(field).await,
            Place::Buffer(_) => Ok(None),
        }
    }

    /// Whether the strings of a field are read text by text from the disk, so that it pays to know their templates.
    pub fn has_single_strings(&self, field: &str) -> bool {
        match &self.0 {
            Place::Segment(block) => block.has_single_strings(field),
            Place::Buffer(_) => false,
        }
    }

    /// The time of each row in nanoseconds since 1970, ascending.
    pub async fn times(&self) -> Result<ScalarBuffer<i64>> {
        match &self.0 {
            Place::Segment(block) => block.times(None).await,
            Place::Buffer(chunk) => Ok(chunk.times().clone()),
        }
    }

    pub async fn times_at(&self, rows: &[u32]) -> Result<ScalarBuffer<i64>> {
        match &self.0 {
            Place::Segment(block) => block.times(Some(rows)).await,
            Place::Buffer(chunk) => column::pick(chunk.times(), rows),
        }
    }

    /// When each row came in, in nanoseconds since 1970.
    pub async fn arrivals(&self) -> Result<ScalarBuffer<i64>> {
        match &self.0 {
            Place::Segment(block) => block.arrivals(None).await,
            Place::Buffer(chunk) => Ok(chunk.arrivals().clone()),
        }
    }

    pub async fn arrivals_at(&self, rows: &[u32]) -> Result<ScalarBuffer<i64>> {
        match &self.0 {
            Place::Segment(block) => block.arrivals(Some(rows)).await,
            Place::Buffer(chunk) => column::pick(chunk.arrivals(), rows),
        }
    }

    /// The sequence of the request that each row came with.
    pub async fn sequences(&self) -> Result<ScalarBuffer<u64>> {
        match &self.0 {
            Place::Segment(block) => block.sequences(None).await,
            Place::Buffer(chunk) => Ok(chunk.sequences().clone()),
        }
    }

    pub async fn sequences_at(&self, rows: &[u32]) -> Result<ScalarBuffer<u64>> {
        match &self.0 {
            Place::Segment(block) => block.sequences(Some(rows)).await,
            Place::Buffer(chunk) => column::pick(chunk.sequences(), rows),
        }
    }

    /// The place of each row in its request.
    pub async fn indexes(&self) -> Result<ScalarBuffer<u32>> {
        match &self.0 {
            Place::Segment(block) => block.indexes(None).await,
            Place::Buffer(chunk) => Ok(chunk.indexes().clone()),
        }
    }

    pub async fn indexes_at(&self, rows: &[u32]) -> Result<ScalarBuffer<u32>> {
        match &self.0 {
            Place::Segment(block) => block.indexes(Some(rows)).await,
            Place::Buffer(chunk) => column::pick(chunk.indexes(), rows),
        }
    }
}
