//! Writes rows as a Parquet file for others, such as an answer that somebody takes along. Segments are written elsewhere.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Rows of one group, as many tools like them.
const GROUP_ROWS: usize = 128 * 1024;

/// Writes batches of one schema as the bytes of a file.
pub fn parquet_file(
    schema: SchemaRef,
    batches: impl IntoIterator<Item = RecordBatch>,
) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
    for batch in batches {
        writer.write(&batch)?;
    }
    writer.into_inner()
}
