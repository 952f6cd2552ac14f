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
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{SchemaDescriptor, Type};

/// A column of a row group with its bytes.
pub(super) struct Chunk<'a> {
    pub(super) column: &'a ColumnChunkMetaData,
    /// How many rows the row group has.
    pub(super) rows: usize,
    /// Where the bytes begin in their file.
    pub(super) start: u64,
    pub(super) bytes: Bytes,
}

/// A part of a file.
struct Fetched {
    start: u64,
    bytes: Bytes,
}

impl Chunk<'_> {
    /// Decodes the rows, or some of them in ascending order, in a type that the file's own can be read as; without
    /// one, in the file's own.
    pub(super) fn decode(self, data_type: Option<DataType>, rows: Option<&[u32]>) -> Result<ArrayRef> {
        let expected = rows.map_or(self.rows, <[u32]>::len);
        let metadata = self.metadata(data_type)?;
        let total = self.rows;
        let fetched = Fetched { start: self.start, bytes: self.bytes };
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
    fn metadata(&self, data_type: Option<DataType>) -> Result<ArrowReaderMetadata> {
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
        ArrowReaderMetadata::try_new(Arc::new(ParquetMetaData::new(file, vec![group])), options)
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
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for Fetched {
    type T = Cursor<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let from = self.offset(start).ok_or_else(outside)?;
        Ok(Cursor::new(self.bytes.slice(from..)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let from = self.offset(start).ok_or_else(outside)?;
        let end = from.checked_add(length).filter(|end| *end <= self.bytes.len()).ok_or_else(outside)?;
        Ok(self.bytes.slice(from..end))
    }
}

impl Fetched {
    fn offset(&self, start: u64) -> Option<usize> {
        let offset = usize::try_from(start.checked_sub(self.start)?).ok()?;
        (offset <= self.bytes.len()).then_some(offset)
    }
}

fn outside() -> ParquetError {
    ParquetError::EOF("a column reaches beyond its bytes".to_owned())
}
