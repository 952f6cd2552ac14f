//! Decodes one column of one row group from its bytes. Parquet's reader is given a file of this one column, so that a
//! segment of many columns costs no more than one of few.

use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
    RowSelectionPolicy,
};
use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, ParquetMetaDataBuilder, RowGroupMetaData};
use parquet::file::page_index::offset_index::{OffsetIndexMetaData, PageLocation};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{SchemaDescriptor, Type};

/// A column of a row group with its bytes.
pub(super) struct Chunk<'a> {
    pub(super) column: &'a ColumnChunkMetaData,
    /// How many rows the row group has.
    pub(super) rows: usize,
    /// What was read of it, with where that begins in the file.
    pub(super) parts: Vec<(u64, Bytes)>,
    /// Where its pages are, if not all of them were read.
    pub(super) pages: Option<Vec<PageLocation>>,
}

/// Parts of a file, in their order.
struct Fetched(Vec<(u64, Bytes)>);

impl Chunk<'_> {
    /// Decodes the rows, or some of them in ascending order, in a type that the file's own can be read as; without
    /// one, in the file's own.
    pub(super) fn decode(mut self, data_type: Option<DataType>, rows: Option<&[u32]>) -> Result<ArrayRef> {
        let expected = rows.map_or(self.rows, <[u32]>::len);
        let metadata = self.metadata(data_type)?;
        let total = self.rows;
        let fetched = Fetched(self.parts);
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(fetched, metadata)
            .with_batch_size(expected.max(1));
        if let Some(rows) = rows {
            // A mask would decode every row between the first and the last.
            builder = builder
                .with_row_selection(RowSelection::from_consecutive_ranges(ranges(rows), total))
                .with_row_selection_policy(RowSelectionPolicy::Selectors);
        }
        let mut reader = builder.build()?;
        let batch = reader.next().transpose()?.ok_or_else(|| odd("no rows"))?;
        let array = Arc::clone(batch.column(0));
        if array.len() != expected || reader.next().is_some() {
            return Err(odd("another number of rows than it should have"));
        }
        Ok(array)
    }

    /// What is said of a file that has only this column and this row group.
    fn metadata(&mut self, data_type: Option<DataType>) -> Result<ArrowReaderMetadata> {
        let own = self.column.column_descr().self_type_ptr();
        let (name, is_nullable) = (own.name().to_owned(), own.is_optional());
        let root = Type::group_type_builder("schema").with_fields(vec![own]).build()?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(root)));
        let rows = i64::try_from(self.rows).map_err(|_| odd("too many rows"))?;
        let column = self.column.clone().into_builder().clear_statistics().build()?;
        let group = RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(rows)
            .add_column_metadata(column)
            .build()?;
        let file = FileMetaData::new(2, rows, None, None, schema, None);
        let mut options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        if let Some(data_type) = data_type {
            let field = Field::new(name, data_type, is_nullable);
            options = options.with_schema(Arc::new(Schema::new(vec![field])));
        }
        let index = self.pages.take().map(|page_locations| {
            vec![vec![OffsetIndexMetaData { page_locations, unencoded_byte_array_data_bytes: None }]]
        });
        let metadata = ParquetMetaDataBuilder::new(file).add_row_group(group).set_offset_index(index);
        ArrowReaderMetadata::try_new(Arc::new(metadata.build()), options)
    }
}

/// Whether every page of a column holds places in one dictionary.
pub(super) fn is_coded(column: &ColumnChunkMetaData) -> bool {
    column.dictionary_page_offset().is_some()
        && column.page_encoding_stats_mask().is_some_and(|mask| {
            mask.is_only(Encoding::RLE_DICTIONARY) || mask.is_only(Encoding::PLAIN_DICTIONARY)
        })
}

/// Ascending row numbers as ranges.
fn ranges(rows: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let runs = rows.chunk_by(|a, b| a + 1 == *b);
    runs.filter_map(|run| Some(*run.first()? as usize..*run.last()? as usize + 1))
}

fn odd(what: &str) -> ParquetError {
    ParquetError::General(format!("a column has {what}"))
}

impl Length for Fetched {
    fn len(&self) -> u64 {
        self.0.last().map_or(0, |(start, bytes)| start + bytes.len() as u64)
    }
}

impl ChunkReader for Fetched {
    type T = Cursor<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(Cursor::new(self.from(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.from(start)?;
        if length <= bytes.len() { Ok(bytes.slice(..length)) } else { Err(outside()) }
    }
}

impl Fetched {
    /// What follows in the part that has this place.
    fn from(&self, start: u64) -> Result<Bytes> {
        let after = self.0.partition_point(|(begin, _)| *begin <= start);
        let (begin, bytes) = after.checked_sub(1).and_then(|part| self.0.get(part)).ok_or_else(outside)?;
        let offset = usize::try_from(start - begin).ok().filter(|offset| *offset <= bytes.len());
        Ok(bytes.slice(offset.ok_or_else(outside)?..))
    }
}

fn outside() -> ParquetError {
    ParquetError::EOF("a column reaches beyond its bytes".to_owned())
}
