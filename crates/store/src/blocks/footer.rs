//! What a segment's footer says, read once and kept: where each column of each row group lies, between which bounds
//! its values are, and which checksum it has. The footer is verified by its own checksum, and each part that is read
//! later by the one that the footer has of it. Segments from before that are verified whole when they are opened.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use hashbrown::HashMap;
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
    RowGroupMetaData,
};
use tidegauge_catalog::segments::Segment;
use tidegauge_heap::Apart;
use tidegauge_model::{Column, ErrorKind, FieldKind, SegmentId};
use xxhash_rust::xxh3::xxh3_64;

use super::FooterCache;
use super::column_location::{self, FieldLocation};
use super::id::TypeSet;
use super::overflow_columns::OverflowColumns;
use super::pages::Pages;
use crate::checksum::checksum;
use crate::objects::Objects;
use crate::segment::{
    DescribedTemplates, Description, GroupChecksums, OVERFLOW, Page, TAIL_BYTES, chunk_range, filter_range,
    footer_bytes, is_footer_whole, parse_description,
};
use crate::templates::Templates;
use crate::{Error, Result};

/// The footer of a segment.
pub(super) struct Footer {
    segment: Arc<Segment>,
    objects: Arc<Objects>,
    groups: Vec<RowGroupMetaData>,
    fields: HashMap<Box<str>, FieldLocation>,
    /// By row group; empty for a segment that was verified whole.
    checksums: Vec<GroupChecksums>,
    templates: Vec<DescribedTemplates>,
    bytes: usize,
    /// Footers have a bound of their own: they do not count as the query's that read them.
    _apart: Apart,
    /// Where it is kept, which bounds what it may hold beside itself.
    keeper: Weak<FooterCache>,
    beside: Mutex<Beside>,
}

/// What was read from the segment beside the footer.
#[derive(Default)]
struct Beside {
    filters: HashMap<(usize, usize), Arc<Sbbf>>,
    /// By row group, the rows that were read last with what they have; all rows where none are named.
    overflows: HashMap<usize, (Option<Vec<u32>>, Arc<OverflowColumns>)>,
    /// By row group, what somebody holds of all rows for as long as its fields are read.
    held: HashMap<usize, Weak<OverflowColumns>>,
}

impl Footer {
    pub(super) async fn open(
        objects: &Arc<Objects>,
        segment: &Arc<Segment>,
        keeper: Weak<FooterCache>,
    ) -> Result<Self> {
        let opened = Self::read(objects, segment).await.and_then(|bytes| Self::parse(&bytes, segment));
        let Parsed { groups, description, bytes } = opened.inspect_err(|error| {
            if error.kind() == ErrorKind::Corrupt {
                objects.distrust(&segment.path);
                let (segment, dataset) = (&segment.id, &segment.dataset);
                tracing::error!(%segment, %dataset, "{error}");
            }
        })?;
        let fields =
            column_location::of_fields(&description).ok_or_else(|| Error::corrupt(unreadable(segment)))?;
        let names: usize =
            fields.keys().map(|name| name.len() + size_of::<(Box<str>, FieldLocation)>() * 2).sum();
        let sums: usize = description.checksums.iter().map(GroupChecksums::memory_bytes).sum();
        let templates = description.templates.len() * size_of::<DescribedTemplates>();
        let bytes = bytes + names + sums + templates;
        Ok(Self {
            segment: Arc::clone(segment),
            objects: Arc::clone(objects),
            groups,
            fields,
            checksums: description.checksums,
            templates: description.templates,
            bytes,
            _apart: Apart::new(bytes),
            keeper,
            beside: Mutex::default(),
        })
    }

    /// The verified bytes of the footer and of what ends the file.
    async fn read(objects: &Objects, segment: &Segment) -> Result<Bytes> {
        let start = segment.bytes.checked_sub(segment.footer_bytes + TAIL_BYTES);
        let start = start.ok_or_else(|| damaged(segment, "its footer is longer than the file"))?;
        let read = objects.get_range(&segment.path, segment.bytes, start..segment.bytes).await;
        let bytes = read.map_err(|error| of_segment(segment, error))?;
        if footer_bytes(&bytes) != segment.footer_bytes {
            return Err(damaged(segment, "its footer does not have the length it had"));
        }
        if is_footer_whole(&bytes) {
            return Ok(bytes);
        }
        let whole = objects.get(&segment.path).await.map_err(|error| of_segment(segment, error))?;
        if checksum(&whole) != segment.checksum {
            return Err(damaged(segment, "the file is not what was written"));
        }
        Ok(bytes)
    }

    fn parse(footer: &Bytes, segment: &Segment) -> Result<Parsed> {
        let options = ParquetMetaDataOptions::new()
            .with_encoding_stats_as_mask(true)
            .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll);
        let thrift = &footer[..footer.len() - TAIL_BYTES as usize];
        let metadata = ParquetMetaDataReader::decode_metadata_with_options(thrift, Some(&options))
            .map_err(|source| Error::caused(ErrorKind::Corrupt, unreadable(segment), source))?;
        let description = parse_description(&metadata).map_err(|error| of_segment(segment, error))?;
        // The description's text is not needed any more, and may be longer than all else.
        let pairs = metadata.file_metadata().key_value_metadata().into_iter().flatten();
        let strings: usize = pairs.map(|pair| pair.value.as_ref().map_or(0, String::len)).sum();
        let memory = metadata.memory_size().saturating_sub(strings);
        let groups = metadata.into_builder().take_row_groups();
        let parsed = Parsed { groups, description, bytes: memory };
        if parsed.description.segment != segment.id.as_str() {
            return Err(damaged(segment, &format!("the file is that of {}", parsed.description.segment)));
        }
        let is_whole = |group: &RowGroupMetaData| {
            group.num_columns() == OVERFLOW + 1 + parsed.description.columns.len() && group.num_rows() > 0
        };
        let rows: i64 = parsed.groups.iter().map(RowGroupMetaData::num_rows).sum();
        let sums = &parsed.description.checksums;
        let is_summed = sums.is_empty()
            || (sums.len() == parsed.groups.len()
                && sums
                    .iter()
                    .zip(&parsed.groups)
                    .all(|(own, group)| own.columns.len() == group.num_columns()));
        if !parsed.groups.iter().all(is_whole) || rows.cast_unsigned() != segment.rows || !is_summed {
            return Err(Error::corrupt(unreadable(segment)));
        }
        Ok(parsed)
    }

    pub(super) fn segment(&self) -> &Segment {
        &self.segment
    }

    pub(super) fn segment_id(&self) -> &SegmentId {
        &self.segment.id
    }

    /// How much memory it takes without what is kept beside it.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn group_count(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn group(&self, group: usize) -> &RowGroupMetaData {
        &self.groups[group]
    }

    /// Where the values of a field are, if there are any in the segment.
    pub(super) fn locations(&self, field: &str) -> Option<FieldLocation> {
        self.fields.get(field).copied()
    }

    /// Every field with its kinds.
    pub(super) fn fields(&self, visit: &mut dyn FnMut(&str, TypeSet)) {
        for (name, locations) in &self.fields {
            visit(
                name,
                FieldKind::ALL.into_iter().filter(|kind| locations.location(*kind).is_some()).collect(),
            );
        }
    }

    /// The bytes of a column of a row group, as they were written.
    pub(super) async fn chunk(&self, group: usize, place: usize, name: &str) -> Result<Bytes> {
        let range = chunk_range(self.groups[group].column(place));
        let expected = self.checksums.get(group).map(|sums| sums.columns[place]);
        self.part(range, expected, || format!("the column {name}")).await
    }

    /// The pages of a column of a row group, if it has some that are worth reading by themselves.
    pub(super) fn pages(&self, group: usize, place: usize) -> Option<Pages<'_>> {
        let range = chunk_range(self.groups[group].column(place))?;
        Pages::new(self.checksums.get(group)?.pages(place)?, range, self.groups[group].num_rows())
    }

    /// The bytes of some pages that lie there, as they were written, run by run.
    pub(super) async fn page_bytes(
        &self,
        runs: &[(Range<u64>, &[Page])],
        name: &str,
    ) -> Result<Vec<(u64, Bytes)>> {
        let segment = &self.segment;
        let ranges: Vec<Range<u64>> = runs.iter().map(|(range, _)| range.clone()).collect();
        if ranges.iter().any(|range| range.end > segment.bytes) {
            return Err(Error::corrupt(unreadable(segment)));
        }
        let read = self.objects.get_ranges(&segment.path, segment.bytes, &ranges).await;
        let read = read.map_err(|error| of_segment(segment, error))?;
        for (bytes, (_, pages)) in read.iter().zip(runs) {
            let mut left = &bytes[..];
            for page in *pages {
                let bytes = left.split_off(..page.bytes as usize).unwrap_or_default();
                if xxh3_64(bytes) != page.checksum {
                    return Err(self.altered(&format!("the column {name}")));
                }
            }
        }
        Ok(ranges.iter().map(|range| range.start).zip(read).collect())
    }

    /// The filter over the values of a column, if it has one.
    pub(super) async fn filter(&self, group: usize, place: usize, name: &str) -> Result<Option<Arc<Sbbf>>> {
        let column = self.groups[group].column(place);
        let Some(range) = filter_range(column) else { return Ok(None) };
        if let Some(filter) = self.beside().filters.get(&(group, place)) {
            return Ok(Some(Arc::clone(filter)));
        }
        let expected = self.checksums.get(group).map(|sums| sums.filter(place).unwrap_or_default());
        let bytes = self.part(Some(range), expected, || format!("the filter of the column {name}")).await?;
        let filter = Sbbf::from_bytes(&bytes)
            .map_err(|source| Error::caused(ErrorKind::Corrupt, unreadable(&self.segment), source))?;
        let filter = Arc::new(filter);
        if self.may_keep(bytes.len()) {
            self.beside().filters.insert((group, place), Arc::clone(&filter));
        }
        Ok(Some(filter))
    }

    /// The templates of the strings of a column, if it has any that can be used. They only say what the column says as
    /// well, so damage to them is told and costs time, not answers.
    pub(super) async fn templates(
        &self,
        group: usize,
        place: usize,
        name: &str,
    ) -> Result<Option<Templates>> {
        let own = |part: &&DescribedTemplates| part.group == group && part.place == place;
        let Some(part) = self.templates.iter().find(own) else { return Ok(None) };
        let range = part.start.checked_add(part.bytes).map(|end| part.start..end);
        let rows = usize::try_from(self.groups[group].num_rows()).unwrap_or_default();
        let read = self.part(range, Some(part.checksum), || format!("what templates {name} has")).await;
        match read.and_then(|bytes| Templates::decode(&bytes, rows)) {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                let (segment, dataset) = (&self.segment.id, &self.segment.dataset);
                tracing::error!(%segment, %dataset, "{error}");
                Ok(None)
            }
            templates => templates,
        }
    }

    pub(super) fn cached_overflow(&self, group: usize, rows: Option<&[u32]>) -> Option<Arc<OverflowColumns>> {
        let beside = self.beside();
        let kept = beside.overflows.get(&group).filter(|(kept, _)| kept.as_deref() == rows);
        let held = || beside.held.get(&group).filter(|_| rows.is_none()).and_then(Weak::upgrade);
        kept.map(|(_, rest)| Arc::clone(rest)).or_else(held)
    }

    /// Notes what is found from now on as long as the caller holds it.
    pub(super) fn hold_overflow(&self, group: usize, rest: &Arc<OverflowColumns>) {
        self.beside().held.insert(group, Arc::downgrade(rest));
    }

    pub(super) fn cache_overflow(
        &self,
        group: usize,
        rows: Option<&[u32]>,
        columns: Vec<Column>,
    ) -> Arc<OverflowColumns> {
        let rest = Arc::new(OverflowColumns::new(columns));
        if self.may_keep(rest.memory_bytes() + rows.map_or(0, size_of_val)) {
            self.beside().overflows.insert(group, (rows.map(<[u32]>::to_vec), Arc::clone(&rest)));
        }
        rest
    }

    /// Drops what is kept beside the footer.
    pub(super) fn shed(&self) {
        *self.beside() = Beside::default();
    }

    /// Whether something of so many bytes can be kept beside a footer at all.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        self.keeper.upgrade().is_some_and(|keeper| bytes <= keeper.largest())
    }

    fn may_keep(&self, bytes: usize) -> bool {
        self.keeper.upgrade().is_some_and(|keeper| keeper.grow(&self.segment.id, bytes))
    }

    fn beside(&self) -> std::sync::MutexGuard<'_, Beside> {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn part(
        &self,
        range: Option<Range<u64>>,
        expected: Option<u64>,
        what: impl Fn() -> String,
    ) -> Result<Bytes> {
        let segment = &self.segment;
        let range = range.filter(|range| range.end <= segment.bytes);
        let range = range.ok_or_else(|| Error::corrupt(unreadable(segment)))?;
        let read = self.objects.get_range(&segment.path, segment.bytes, range).await;
        let bytes = read.map_err(|error| of_segment(segment, error))?;
        if expected.is_some_and(|expected| xxh3_64(&bytes) != expected) {
            return Err(self.altered(&what()));
        }
        Ok(bytes)
    }

    /// What is cached of a segment that cannot be read is not taken again: the object may be restored from a backup.
    pub(super) fn distrust(&self) {
        self.objects.distrust(&self.segment.path);
    }

    fn altered(&self, what: &str) -> Error {
        self.distrust();
        let segment = &self.segment;
        let error = damaged(segment, &format!("{what} is not what was written"));
        tracing::error!(segment = %segment.id, dataset = %segment.dataset, "{error}");
        error
    }
}

impl std::fmt::Debug for Footer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Footer").field("segment", &self.segment.id).finish_non_exhaustive()
    }
}

struct Parsed {
    groups: Vec<RowGroupMetaData>,
    description: Description,
    bytes: usize,
}

/// How many rows of a column have no value, if that is known.
pub(super) fn null_count(column: &ColumnChunkMetaData) -> Option<u64> {
    column.statistics()?.null_count_opt()
}

fn unreadable(segment: &Segment) -> String {
    let (id, dataset, rows) = (&segment.id, &segment.dataset, segment.rows);
    format!("{id} of {dataset} with {rows} events does not hold together: restore it from a backup")
}

fn damaged(segment: &Segment, how: &str) -> Error {
    let (id, dataset, rows) = (&segment.id, &segment.dataset, segment.rows);
    Error::corrupt(format!(
        "{id} of {dataset} with {rows} events is damaged, {how}: restore the object from a backup"
    ))
}

/// An error with the segment that it concerns.
pub(super) fn of_segment(segment: &Segment, error: Error) -> Error {
    Error::caused(error.kind(), format!("{}: {error}", segment.id), error)
}
