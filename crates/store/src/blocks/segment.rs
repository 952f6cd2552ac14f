//! A row group of a segment as a block. Every read fetches the bytes of one column alone, proves that they are what
//! was written, and decodes them in the thread that asks.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, TimeUnit};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use tidegauge_model::{Column, ErrorKind, FieldKind};

use super::column::{self, BlockColumn};
use super::column_location::ColumnLocation;
use super::decode::{self, Chunk};
use super::footer::{Footer, null_count, of_segment};
use super::id::{BlockId, TypeSet};
use super::overflow_columns::OverflowColumns;
use super::prune::Predicate;
use crate::arrays;
use crate::segment::{
    ARRIVAL, INDEX, OVERFLOW, SEQUENCE, TIME, bounds, chunk_range, decode_overflow, decode_overflow_field,
};
use crate::templates::Templates;
use crate::{Error, Result};

/// When more than one row in so many is wanted, all are decoded: skipping has its own cost.
const FEW: usize = 16;

/// Columns with more bytes are never decoded whole for the sake of some rows: they may not fit into memory.
const WHOLE_BYTES_MAX: u64 = 64 << 20;

/// About how much more the fields of `_rest` take in memory than their strings do.
const OVERFLOW_GROWTH: usize = 4;

/// One row group.
#[derive(Clone, Debug)]
pub(super) struct SegmentBlock {
    footer: Arc<Footer>,
    group: usize,
    min_time: i64,
    max_time: i64,
}

impl SegmentBlock {
    pub(super) fn new(footer: &Arc<Footer>, group: usize) -> Self {
        let segment = footer.segment();
        let (min_time, max_time) =
            time_range(footer.group(group).column(TIME)).unwrap_or((segment.min_time, segment.max_time));
        Self { footer: Arc::clone(footer), group, min_time, max_time }
    }

    pub(super) fn id(&self) -> BlockId {
        BlockId::of_group(self.footer.segment_id(), self.group)
    }

    pub(super) fn rows(&self) -> usize {
        usize::try_from(self.footer.group(self.group).num_rows()).unwrap_or_default()
    }

    pub(super) fn min_time(&self) -> i64 {
        self.min_time
    }

    pub(super) fn max_time(&self) -> i64 {
        self.max_time
    }

    pub(super) fn stored_bytes(&self) -> u64 {
        u64::try_from(self.footer.group(self.group).compressed_size()).unwrap_or_default()
    }

    pub(super) fn column_bytes(&self, field: &str, kind: FieldKind) -> u64 {
        let column = self.location(field, kind).map(|location| self.chunk(location.column()));
        column.map_or(0, |column| u64::try_from(column.compressed_size()).unwrap_or_default())
    }

    pub(super) fn decoded_bytes(&self, field: &str, kind: FieldKind) -> u64 {
        self.location(field, kind).map_or(0, |location| decoded_bytes(self.chunk(location.column())))
    }

    /// Whether the values of a field are among those that have no column of their own.
    pub(super) fn is_in_overflow(&self, field: &str, kind: FieldKind) -> bool {
        self.location(field, kind) == Some(ColumnLocation::Overflow)
    }

    pub(super) fn kinds(&self, field: &str) -> TypeSet {
        let Some(places) = self.footer.locations(field) else { return TypeSet::NONE };
        let occurs =
            |kind: &FieldKind| places.location(*kind).is_some_and(|location| self.has_values(location));
        FieldKind::ALL.into_iter().filter(occurs).collect()
    }

    pub(super) fn fields(&self, visit: &mut dyn FnMut(&str, TypeSet)) {
        self.footer.fields(visit);
    }

    pub(super) async fn may_pass(&self, field: &str, kind: FieldKind, test: &Predicate<'_>) -> Result<bool> {
        let place = match self.location(field, kind) {
            Some(ColumnLocation::Own(place)) => place,
            Some(ColumnLocation::Overflow) => return Ok(true),
            None => return Ok(false),
        };
        let (min, max) = self.chunk(place).statistics().map_or((None, None), bounds);
        if !test.may_pass(min.as_ref(), max.as_ref()) {
            return Ok(false);
        }
        let Some(text) = test.equal_text().filter(|_| column::is_text(kind)) else { return Ok(true) };
        let filter = self.footer.filter(self.group, place, field).await?;
        Ok(filter.is_none_or(|filter| filter.check(text)))
    }

    pub(super) async fn column(&self, field: &str, kind: FieldKind) -> Result<Option<BlockColumn>> {
        let place = match self.location(field, kind) {
            Some(ColumnLocation::Own(place)) => place,
            Some(ColumnLocation::Overflow) => {
                return self.column_of_overflow(field, kind).await;
            }
            None => return Ok(None),
        };
        if column::is_text(kind) && decode::is_coded(self.chunk(place)) {
            let coded = DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8));
            return BlockColumn::coded(&self.read(place, field, Some(coded), None).await?);
        }
        let array = self.read(place, field, Some(column::data_type(kind)), None).await?;
        Ok(BlockColumn::plain(array))
    }

    pub(super) async fn column_at(
        &self,
        field: &str,
        kind: FieldKind,
        rows: &[u32],
    ) -> Result<Option<ArrayRef>> {
        let place = match self.location(field, kind) {
            Some(ColumnLocation::Own(place)) => place,
            Some(ColumnLocation::Overflow) => {
                return self.column_of_overflow_at(field, kind, rows).await.map(Some);
            }
            None => return Ok(None),
        };
        let picked = self.read(place, field, Some(column::data_type(kind)), Some(rows)).await?;
        // Views of few strings would keep whole pages in memory.
        Ok(Some(match picked.as_string_view_opt() {
            Some(strings) => Arc::new(strings.gc()),
            None => picked,
        }))
    }

    pub(super) async fn templates(&self, field: &str) -> Result<Option<Templates>> {
        match self.location(field, FieldKind::String) {
            Some(ColumnLocation::Own(place)) => self.footer.templates(self.group, place, field).await,
            Some(ColumnLocation::Overflow) | None => Ok(None),
        }
    }

    /// Whether the strings of a field are stored text by text and not as places in a dictionary.
    pub(super) fn has_single_strings(&self, field: &str) -> bool {
        match self.location(field, FieldKind::String) {
            Some(ColumnLocation::Own(place)) => !decode::is_coded(self.chunk(place)),
            Some(ColumnLocation::Overflow) | None => false,
        }
    }

    pub(super) async fn times(&self, rows: Option<&[u32]>) -> Result<ScalarBuffer<i64>> {
        self.nanoseconds(TIME, "_time", rows).await
    }

    pub(super) async fn arrivals(&self, rows: Option<&[u32]>) -> Result<ScalarBuffer<i64>> {
        self.nanoseconds(ARRIVAL, "_sysTime", rows).await
    }

    pub(super) async fn sequences(&self, rows: Option<&[u32]>) -> Result<ScalarBuffer<u64>> {
        let array = self.read(SEQUENCE, "_sequence", None, rows).await?;
        Ok(ScalarBuffer::from(self.numbers::<Int64Type>(&array)?.into_inner()))
    }

    pub(super) async fn indexes(&self, rows: Option<&[u32]>) -> Result<ScalarBuffer<u32>> {
        let array = self.read(INDEX, "_index", None, rows).await?;
        Ok(ScalarBuffer::from(self.numbers::<Int32Type>(&array)?.into_inner()))
    }

    async fn nanoseconds(&self, place: usize, name: &str, rows: Option<&[u32]>) -> Result<ScalarBuffer<i64>> {
        let array = self.read(place, name, None, rows).await?;
        match array.data_type() {
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                let micros = self.numbers::<TimestampMicrosecondType>(&array)?;
                Ok(micros.iter().map(|time| time.saturating_mul(1000)).collect())
            }
            _ => self.numbers::<TimestampNanosecondType>(&array),
        }
    }

    fn numbers<T: ArrowPrimitiveType>(&self, array: &ArrayRef) -> Result<ScalarBuffer<T::Native>> {
        let numbers = array.as_primitive_opt::<T>().filter(|numbers| numbers.null_count() == 0);
        let numbers = numbers.ok_or_else(|| {
            let message = format!("{} has a column of another type than it should", self.footer.segment_id());
            Error::corrupt(message)
        })?;
        Ok(numbers.values().clone())
    }

    /// Where the values of a field of one kind are, if a row of this group can have any.
    fn location(&self, field: &str, kind: FieldKind) -> Option<ColumnLocation> {
        self.footer.locations(field)?.location(kind).filter(|location| self.has_values(*location))
    }

    /// Whether a row may have a value there.
    fn has_values(&self, location: ColumnLocation) -> bool {
        null_count(self.chunk(location.column())).is_none_or(|nulls| nulls < self.rows() as u64)
    }

    fn chunk(&self, place: usize) -> &ColumnChunkMetaData {
        self.footer.group(self.group).column(place)
    }

    /// A field that has no column of its own. Where all of them fit into memory they are all read, because whoever asks
    /// for one mostly asks for others as well.
    async fn column_of_overflow(&self, field: &str, kind: FieldKind) -> Result<Option<BlockColumn>> {
        let strings = usize::try_from(self.chunk(OVERFLOW).uncompressed_size()).unwrap_or(usize::MAX);
        let is_known = self.footer.cached_overflow(self.group, None).is_some();
        if is_known || self.footer.has_room_for(strings.saturating_mul(OVERFLOW_GROWTH)) {
            let rest = self.rest(None).await?;
            return rest.get(field, kind).map(|column| self.spread(column)).transpose();
        }
        let strings = self.read(OVERFLOW, "_rest", Some(DataType::LargeUtf8), None).await?;
        let column = decode_overflow_field(&strings, field, kind);
        let column = column.map_err(|error| of_segment(self.footer.segment(), error))?;
        if column.rows.is_empty() { Ok(None) } else { self.spread(&column).map(Some) }
    }

    async fn column_of_overflow_at(&self, field: &str, kind: FieldKind, rows: &[u32]) -> Result<ArrayRef> {
        column::check_rows(rows, self.rows())?;
        let whole = self.footer.cached_overflow(self.group, None);
        let array = match &whole {
            Some(whole) => whole.get(field, kind).map(|column| arrays::of_column_at(column, rows)),
            None => {
                let some = self.rest(Some(rows)).await?;
                some.get(field, kind).map(|column| arrays::of_column(column, rows.len()))
            }
        };
        array.unwrap_or_else(|| Ok(arrays::nulls(kind, rows.len()))).map(column::viewed)
    }

    /// All fields of `_rest`, which are found at once for as long as the caller holds them.
    pub(super) async fn hold_overflow(&self) -> Result<Arc<OverflowColumns>> {
        let rest = self.rest(None).await?;
        self.footer.hold_overflow(self.group, &rest);
        Ok(rest)
    }

    /// All fields of `_rest`, of some rows or of all. They are kept with the footer while there is room.
    async fn rest(&self, rows: Option<&[u32]>) -> Result<Arc<OverflowColumns>> {
        if let Some(rest) = self.footer.cached_overflow(self.group, rows) {
            return Ok(rest);
        }
        let strings = self.read(OVERFLOW, "_rest", Some(DataType::LargeUtf8), rows).await?;
        let columns = decode_overflow(&strings).map_err(|error| of_segment(self.footer.segment(), error))?;
        Ok(self.footer.cache_overflow(self.group, rows, columns))
    }

    fn spread(&self, sparse: &Column) -> Result<BlockColumn> {
        match BlockColumn::of_few(sparse, self.rows()) {
            Some(coded) => Ok(coded),
            None => Ok(BlockColumn::Plain(column::viewed(arrays::of_column(sparse, self.rows())?))),
        }
    }

    /// Reads a column, or some rows of it.
    async fn read(
        &self,
        place: usize,
        name: &str,
        data_type: Option<DataType>,
        rows: Option<&[u32]>,
    ) -> Result<ArrayRef> {
        if let Some(rows) = rows {
            column::check_rows(rows, self.rows())?;
        }
        let is_heavy = decoded_bytes(self.chunk(place)) > WHOLE_BYTES_MAX;
        let few = rows.filter(|rows| !rows.is_empty() && (rows.len() * FEW <= self.rows() || is_heavy));
        let few = few.filter(|rows| rows.is_sorted_by(|a, b| a < b));
        let chunk = match few {
            Some(rows) => self.some_pages(place, name, rows).await?,
            None => None,
        };
        let chunk = match chunk {
            Some(chunk) => chunk,
            None => self.all_pages(place, name).await?,
        };
        let array = chunk.decode(data_type, few).map_err(|error| self.unreadable(name, error))?;
        match rows.filter(|_| few.is_none()) {
            Some(rows) => column::take(&array, rows),
            None => Ok(array),
        }
    }

    async fn all_pages(&self, place: usize, name: &str) -> Result<Chunk<'_>> {
        let bytes = self.footer.chunk(self.group, place, name).await?;
        let start = chunk_range(self.chunk(place)).map_or(0, |range| range.start);
        Ok(Chunk { column: self.chunk(place), rows: self.rows(), parts: vec![(start, bytes)], pages: None })
    }

    /// The pages of a column that have these rows, where that is much less than all.
    async fn some_pages(&self, place: usize, name: &str, rows: &[u32]) -> Result<Option<Chunk<'_>>> {
        let Some(pages) = self.footer.pages(self.group, place) else { return Ok(None) };
        let Some(runs) = pages.with(rows) else { return Ok(None) };
        let parts = self.footer.page_bytes(&runs, name).await?;
        let pages = Some(pages.locations());
        Ok(Some(Chunk { column: self.chunk(place), rows: self.rows(), parts, pages }))
    }

    fn unreadable(&self, name: &str, error: parquet::errors::ParquetError) -> Error {
        self.footer.distrust();
        let segment = self.footer.segment();
        let (id, dataset) = (&segment.id, &segment.dataset);
        let message =
            format!("the column {name} of {id} of {dataset} cannot be read: restore it from a backup");
        Error::caused(ErrorKind::Corrupt, message, error)
    }
}

/// What the values of a column take. Strings that are stored once for many rows count for each of them.
fn decoded_bytes(column: &ColumnChunkMetaData) -> u64 {
    let stored = u64::try_from(column.uncompressed_size()).unwrap_or_default();
    let strings = column.unencoded_byte_array_data_bytes().and_then(|bytes| u64::try_from(bytes).ok());
    strings.unwrap_or_default().max(stored)
}

/// The times of the first and the last row of a group, in nanoseconds.
fn time_range(column: &ColumnChunkMetaData) -> Option<(i64, i64)> {
    use parquet::basic::{LogicalType, TimeUnit};
    let Statistics::Int64(times) = column.statistics()? else { return None };
    let scale = match column.column_descr().logical_type_ref()? {
        LogicalType::Timestamp(timestamp) => match timestamp.unit {
            TimeUnit::MICROS => 1000,
            TimeUnit::NANOS => 1,
            TimeUnit::MILLIS => return None,
        },
        _ => return None,
    };
    let (min, max) = (times.min_opt()?, times.max_opt()?);
    Some((min.saturating_mul(scale), max.saturating_mul(scale)))
}
