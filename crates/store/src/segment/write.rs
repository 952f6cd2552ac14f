//! Writes segments from a merge. Each column is built once, cut into row groups and encoded by its own plan before the
//! next is built, so that memory holds the encoded file and one column.

use std::io::Sink;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int32Array, Int64Array, TimestampMicrosecondArray, TimestampNanosecondArray};
use arrow_schema::{FieldRef, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use tidegauge_catalog::columns::DatasetColumn;
use tidegauge_model::{ErrorKind, FieldKind, SegmentId};
use xxhash_rust::xxh3::xxh3_64;

use super::checksums;
use super::encoding;
use super::overflow_write::{self, Overflow};
use super::proof;
use super::schema::{self, Origin};
use super::stats::{ColumnStats, SegmentStats};
use super::{
    COLUMNS_MAX, CompactionTier, DESCRIPTION_KEY, DESCRIPTION_VERSION, DescribedColumn, DescribedTemplates,
    Description, GroupChecksums, ROW_GROUP_ROWS,
};
use crate::column_key::ColumnKey;
use crate::identities::Identities;
use crate::merge::{Merge, Rows};
use crate::templates::Templates;
use crate::{Error, Result};

/// A segment as it is to be stored.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) id: SegmentId,
    pub(crate) bytes: Vec<u8>,
    pub(crate) footer_bytes: u64,
    pub(crate) rows: u64,
    pub(crate) raw_bytes: u64,
    pub(crate) min_time: i64,
    pub(crate) max_time: i64,
    pub(crate) min_sequence: u64,
    pub(crate) max_sequence: u64,
    pub(crate) level: u32,
    pub(crate) stats: SegmentStats,
}

/// What is to be written.
pub(crate) struct Job<'a> {
    pub(crate) merge: &'a Merge,
    /// The rows of each segment, with its id.
    pub(crate) groups: &'a [(SegmentId, Rows)],
    /// The typed columns by number, for each of the merge's columns in the same order.
    pub(crate) columns: &'a [DatasetColumn],
    pub(crate) origin: &'a Origin,
    pub(crate) level: u32,
    /// Up to which sequence the dataset's events are in segments with these.
    pub(crate) flushed: u64,
    /// The segments that the merge is made of.
    pub(crate) replaces: Vec<String>,
    pub(crate) tier: CompactionTier,
}

/// Columns with the number of rows that have them.
type Counted = Vec<(ColumnKey, u64)>;

/// Splits the columns of a merge into those that get a column of their own, the most common, and the others.
pub(crate) fn promoted(merge: &Merge) -> (Counted, Counted) {
    let (mut own, mut rest): (Vec<_>, Vec<_>) =
        merge.columns().into_iter().partition(|((field, _), _)| is_nameable(field));
    if own.len() > COLUMNS_MAX {
        rest.extend(own.split_off(COLUMNS_MAX));
    }
    (own, rest)
}

/// Whether a field can have a column. PostgreSQL stores no text with a zero in it, and one odd field must not keep
/// all events of its dataset from being flushed.
pub(crate) fn is_nameable(field: &str) -> bool {
    !field.contains('\0')
}

/// Writes every group as a segment.
pub(crate) fn encode(job: &Job<'_>) -> Result<Vec<Encoded>> {
    let (own, rest) = promoted(job.merge);
    let unit = schema::time_unit(&job.merge.identities.times);
    let schema = schema::schema(job.columns, unit);
    let mut files: Vec<FileChunks> = job.groups.iter().map(|(_, rows)| FileChunks::new(rows)).collect();
    let overflow_keys: Vec<ColumnKey> = rest.iter().map(|(key, _)| key.clone()).collect();
    let Overflow { strings, counts } = overflow_write::encode(job.merge, &overflow_keys, job.groups)?;
    let system = system_columns(job.merge, unit, strings);
    for (field, array) in schema.fields().iter().zip(&system) {
        add_column(&mut files, field, array, job, false)?;
    }
    for (field, (key, _)) in schema.fields().iter().skip(system.len()).zip(&own) {
        let array = job.merge.array(key)?;
        let has_templates = key.1 == FieldKind::String && encoding::may_have_templates(&array);
        add_column(&mut files, field, &array, job, has_templates)?;
    }
    let mut raw_bytes = job.merge.raw_bytes();
    let mut rows_left = job.merge.rows() as u64;
    let mut encoded = Vec::with_capacity(files.len());
    for ((file, (id, rows)), counts) in files.into_iter().zip(job.groups).zip(counts) {
        let count = rows.len() as u64;
        // Each segment has its share of the bytes that came in; the shares add up.
        let share = (u128::from(raw_bytes) * u128::from(count) / u128::from(rows_left.max(1))) as u64;
        (raw_bytes, rows_left) = (raw_bytes - share, rows_left - count);
        let rest: Counted =
            overflow_keys.iter().cloned().zip(counts).filter(|(_, count)| *count > 0).collect();
        let description = describe(job, id, share, &file, &rest);
        encoded.push(file.finish(&schema, id, rows, &job.merge.identities, description)?);
    }
    Ok(encoded)
}

fn system_columns(merge: &Merge, unit: TimeUnit, rest: ArrayRef) -> Vec<ArrayRef> {
    let Identities { times, arrivals, sequences, indexes } = &merge.identities;
    let arrivals = TimestampNanosecondArray::from(arrivals.clone()).with_timezone("UTC");
    let times: ArrayRef = if unit == TimeUnit::Microsecond {
        let micros: Vec<i64> = times.iter().map(|time| time / 1000).collect();
        Arc::new(TimestampMicrosecondArray::from(micros).with_timezone("UTC"))
    } else {
        Arc::new(TimestampNanosecondArray::from(times.clone()).with_timezone("UTC"))
    };
    let sequences: Int64Array = sequences.iter().map(|sequence| sequence.cast_signed()).collect();
    let indexes: Int32Array = indexes.iter().map(|index| index.cast_signed()).collect();
    vec![times, Arc::new(arrivals), Arc::new(sequences), Arc::new(indexes), rest]
}

/// The encoded columns of one file so far, by row group.
struct FileChunks {
    groups: Vec<(Rows, Vec<ArrowColumnChunk>)>,
    stats: Vec<ColumnStats>,
    /// The encoded templates of strings, with their row group and the place of their column.
    templates: Vec<(usize, usize, Vec<u8>)>,
}

impl FileChunks {
    fn new(rows: &Rows) -> Self {
        let starts = (0..rows.len()).step_by(ROW_GROUP_ROWS);
        let cut = |start: usize| rows.slice(start..rows.len().min(start + ROW_GROUP_ROWS));
        let groups = starts.map(|start| (cut(start), Vec::new())).collect();
        Self { groups, stats: Vec::new(), templates: Vec::new() }
    }

    fn finish(
        self,
        schema: &SchemaRef,
        id: &SegmentId,
        rows: &Rows,
        identities: &Identities,
        mut description: Description,
    ) -> Result<Encoded> {
        let parquet_schema = ArrowSchemaConverter::new().convert(schema)?;
        let properties = Arc::new(WriterProperties::builder().set_created_by("tidegauge".to_owned()).build());
        let mut writer = SerializedFileWriter::new(Vec::new(), parquet_schema.root_schema_ptr(), properties)?;
        let mut page_sizes = Vec::with_capacity(self.groups.len());
        for (_, chunks) in self.groups {
            let mut row_group = writer.next_row_group()?;
            page_sizes.push(chunks.iter().map(checksums::page_sizes).collect::<Vec<_>>());
            for chunk in chunks {
                chunk.append_to_row_group(&mut row_group)?;
            }
            row_group.close()?;
        }
        writer.flush().map_err(|source| Error::disk("write a segment", source))?;
        let (written, groups) = (writer.inner(), writer.flushed_row_groups());
        let checksums = groups.iter().zip(&page_sizes);
        description.checksums = checksums
            .map(|(group, sizes)| GroupChecksums::of(written, group, sizes))
            .collect::<Result<_>>()?;
        for (group, place, bytes) in self.templates {
            let start = writer.bytes_written() as u64;
            writer.write_all(&bytes).map_err(|source| Error::disk("write a segment", source))?;
            let (checksum, bytes) = (xxh3_64(&bytes), bytes.len() as u64);
            description.templates.push(DescribedTemplates { group, place, start, bytes, checksum });
        }
        let text = serde_json::to_string(&description).map_err(|source| {
            Error::caused(ErrorKind::Internal, "a segment cannot describe itself", source)
        })?;
        writer.append_key_value_metadata(KeyValue::new(DESCRIPTION_KEY.to_owned(), text));
        proof::blanks().into_iter().for_each(|blank| writer.append_key_value_metadata(blank));
        let mut bytes = writer.into_inner()?;
        proof::seal(&mut bytes)?;
        let sequences = || rows.iter().map(|row| identities.sequences[row]);
        let times = || rows.iter().map(|row| identities.times[row]);
        Ok(Encoded {
            id: id.clone(),
            footer_bytes: proof::footer_bytes(&bytes),
            bytes,
            rows: rows.len() as u64,
            raw_bytes: description.raw_bytes,
            min_time: times().min().unwrap_or_default(),
            max_time: times().max().unwrap_or_default(),
            min_sequence: sequences().min().unwrap_or_default(),
            max_sequence: sequences().max().unwrap_or_default(),
            level: description.level,
            stats: SegmentStats {
                columns: self.stats,
                rest: description.rest.iter().map(|(field, _, _)| field.clone()).collect(),
            },
        })
    }
}

/// Adds a column to every file, and the templates of its strings where they may pay.
fn add_column(
    files: &mut [FileChunks],
    field: &FieldRef,
    array: &ArrayRef,
    job: &Job<'_>,
    has_templates: bool,
) -> Result<()> {
    let properties = encoding::properties(array, job.tier);
    let factory = ColumnWriters::new(field, properties)?;
    let number = field.metadata().get(parquet::arrow::PARQUET_FIELD_ID_META_KEY);
    let number = number.and_then(|number| number.parse().ok()).unwrap_or_default();
    for file in files {
        let mut stats = ColumnStats::new(number, 0);
        for (index, (rows, chunks)) in file.groups.iter_mut().enumerate() {
            let part = rows.of(array)?;
            // A row group whose strings are too different has none.
            if let Some(strings) = part.as_string_opt::<i64>().filter(|_| has_templates)
                && let Some(templates) = Templates::of(strings.iter())
            {
                file.templates.push((index, chunks.len(), templates.encode()?));
            }
            let mut writer = factory.next()?;
            for leaf in compute_leaves(field, &part)? {
                writer.write(&leaf)?;
            }
            let chunk = writer.close()?;
            stats.count += (part.len() - part.null_count()) as u64;
            stats.add(chunk.close().metadata.statistics(), index == 0);
            chunks.push(chunk);
        }
        file.stats.push(stats);
    }
    Ok(())
}

/// Makes writers for one column with properties of its own.
struct ColumnWriters {
    factory: ArrowRowGroupWriterFactory,
}

impl ColumnWriters {
    fn new(field: &FieldRef, properties: WriterProperties) -> Result<Self> {
        let schema = Arc::new(Schema::new(vec![Arc::clone(field)]));
        let parquet_schema = ArrowSchemaConverter::new().convert(&schema)?;
        let sink: SerializedFileWriter<Sink> = SerializedFileWriter::new(
            std::io::sink(),
            parquet_schema.root_schema_ptr(),
            Arc::new(properties),
        )?;
        Ok(Self { factory: ArrowRowGroupWriterFactory::new(&sink, schema) })
    }

    fn next(&self) -> Result<ArrowColumnWriter> {
        let writer = self.factory.create_column_writers(0)?.pop();
        writer.ok_or_else(|| Error::new(ErrorKind::Internal, "a column has no writer"))
    }
}

fn describe(
    job: &Job<'_>,
    id: &SegmentId,
    raw_bytes: u64,
    file: &FileChunks,
    rest: &[(ColumnKey, u64)],
) -> Description {
    let fields = job.columns.iter().zip(file.stats.iter().skip(schema::OVERFLOW + 1));
    let columns = fields.map(|(column, stats)| DescribedColumn {
        number: column.number,
        field: column.field.clone(),
        kind: column.kind.as_str().to_owned(),
        count: stats.count,
    });
    Description {
        version: DESCRIPTION_VERSION,
        segment: id.as_str().to_owned(),
        origin: job.origin.clone(),
        raw_bytes,
        level: job.level,
        flushed: job.flushed,
        replaces: job.replaces.clone(),
        siblings: job.groups.iter().map(|(id, _)| id.as_str().to_owned()).collect(),
        columns: columns.collect(),
        rest: rest
            .iter()
            .map(|((field, kind), count)| (field.as_ref().to_owned(), kind.as_str().to_owned(), *count))
            .collect(),
        checksums: Vec::new(),
        templates: Vec::new(),
    }
}
