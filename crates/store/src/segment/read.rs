//! Reads a segment file: what it says of itself, the identities of its rows, and one column at a time.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use tidegauge_catalog::columns::DatasetColumn;
use tidegauge_model::{Column, FieldKind};

use super::{DESCRIPTION_KEY, DESCRIPTION_VERSION, Description, SegmentStats, overflow, schema};
use crate::arrays;
use crate::identities::Identities;
use crate::{Error, Result};

/// An open segment.
pub(crate) struct SegmentInput {
    file: Bytes,
    metadata: ArrowReaderMetadata,
    description: Description,
    /// The kinds of the columns after the system's, in their order.
    kinds: Vec<FieldKind>,
    identities: Identities,
    rest: Vec<Column>,
    /// The rows that are not left out, by their numbers in the file; absent when none is.
    kept: Option<UInt32Array>,
}

impl SegmentInput {
    /// Opens a file whose checksum has been verified.
    pub(crate) fn open(file: Bytes) -> Result<Self> {
        let plain =
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
        let description = parse_description(plain.metadata())?;
        let kinds: Vec<FieldKind> = description
            .columns
            .iter()
            .map(|column| FieldKind::parse(&column.kind).ok_or_else(unreadable))
            .collect::<Result<_>>()?;
        // Strings come with 64-bit offsets, as everywhere in the store.
        let typed = schema::schema(&columns(&description, &kinds), TimeUnit::Nanosecond);
        let names = plain.schema().fields();
        if names.len() != typed.fields().len() {
            return Err(unreadable());
        }
        let hints: Vec<Field> = names
            .iter()
            .zip(typed.fields())
            .map(|(own, typed)| {
                // Times have the unit that the file was written with.
                let kept = matches!(own.data_type(), DataType::Timestamp(..));
                let data_type = if kept { own.data_type() } else { typed.data_type() };
                Field::new(own.name(), data_type.clone(), own.is_nullable())
            })
            .collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(hints)));
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options)?;
        let (identities, rest) = (Identities::default(), Vec::new());
        let mut part = Self { file, metadata, description, kinds, identities, rest, kept: None };
        part.read_common()?;
        Ok(part)
    }

    /// Leaves out all rows but some, given by their ascending numbers. The bytes that the events came in are shared
    /// out evenly.
    pub(crate) fn keep(mut self, rows: Vec<u32>) -> Result<Self> {
        let (all, left) = (self.rows() as u64, rows.len() as u64);
        let share = u128::from(self.description.raw_bytes) * u128::from(left) / u128::from(all.max(1));
        self.description.raw_bytes = share as u64;
        self.kept = Some(UInt32Array::from(rows));
        self.read_common()?;
        for place in 0..self.kinds.len() {
            // A column that more rows have than were left out is not empty now, and need not be read to know it.
            if self.description.columns[place].count <= all - left {
                let array = self.read(schema::OVERFLOW + 1 + place)?;
                self.description.columns[place].count = (array.len() - array.null_count()) as u64;
            }
        }
        Ok(self)
    }

    /// Reads what is needed whichever columns are asked for.
    fn read_common(&mut self) -> Result<()> {
        self.identities = self.read_identities()?;
        if !self.description.rest.is_empty() {
            self.rest = overflow::decode(&self.read(schema::OVERFLOW)?)?;
        }
        Ok(())
    }

    pub(crate) fn rows(&self) -> usize {
        self.identities.times.len()
    }

    pub(crate) fn raw_bytes(&self) -> u64 {
        self.description.raw_bytes
    }

    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    /// The statistics as they were when the file was written.
    pub(crate) fn stats(&self) -> SegmentStats {
        SegmentStats::of_file(self.metadata.metadata(), &self.description)
    }

    pub(crate) fn identities(&self) -> &Identities {
        &self.identities
    }

    pub(crate) fn first_time(&self) -> i64 {
        self.identities.times.first().copied().unwrap_or(i64::MIN)
    }

    pub(crate) fn identify(&self, identities: &mut Identities) {
        identities.times.extend_from_slice(&self.identities.times);
        identities.arrivals.extend_from_slice(&self.identities.arrivals);
        identities.sequences.extend_from_slice(&self.identities.sequences);
        identities.indexes.extend_from_slice(&self.identities.indexes);
    }

    /// Which columns there are. Those in `_rest` have the places after the others.
    pub(crate) fn columns(&self, visit: &mut dyn FnMut(usize, &str, FieldKind, u64)) {
        for (place, (column, kind)) in self.description.columns.iter().zip(&self.kinds).enumerate() {
            if column.count > 0 {
                visit(place, &column.field, *kind, column.count);
            }
        }
        for (place, column) in (self.kinds.len()..).zip(&self.rest) {
            visit(place, &column.field, column.values.kind(), column.rows.len() as u64);
        }
    }

    pub(crate) fn array(&self, place: usize) -> Result<ArrayRef> {
        match self.sparse(place) {
            Some(column) => arrays::of_column(column, self.rows()),
            None => self.read(schema::OVERFLOW + 1 + place),
        }
    }

    /// The column at a place, if it is one of `_rest`.
    pub(crate) fn sparse(&self, place: usize) -> Option<&Column> {
        self.rest.get(place.checked_sub(self.kinds.len())?)
    }

    /// Reads one column of the file for all rows that are not left out.
    fn read(&self, place: usize) -> Result<ArrayRef> {
        let whole = self.read_whole(place)?;
        match &self.kept {
            Some(kept) => Ok(arrow_select::take::take(&whole, kept, None)?),
            None => Ok(whole),
        }
    }

    fn read_whole(&self, place: usize) -> Result<ArrayRef> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
        let mask = ProjectionMask::leaves(builder.parquet_schema(), [place]);
        let rows =
            usize::try_from(builder.metadata().file_metadata().num_rows()).map_err(|_| unreadable())?;
        let reader = builder.with_projection(mask).with_batch_size(rows.max(1)).build()?;
        let mut batches = Vec::new();
        for batch in reader {
            batches.push(Arc::clone(batch?.column(0)));
        }
        let all: Vec<&dyn Array> = batches.iter().map(AsRef::as_ref).collect();
        match all.as_slice() {
            [_] => Ok(batches.remove(0)),
            [] => Err(unreadable()),
            _ => Ok(arrow_select::concat::concat(&all)?),
        }
    }

    fn read_identities(&self) -> Result<Identities> {
        let times = |place: usize| -> Result<Vec<i64>> {
            let array = self.read(place)?;
            match array.data_type() {
                DataType::Timestamp(TimeUnit::Microsecond, _) => {
                    let micros = array.as_primitive::<TimestampMicrosecondType>().values();
                    Ok(micros.iter().map(|time| time.saturating_mul(1000)).collect())
                }
                DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                    Ok(array.as_primitive::<TimestampNanosecondType>().values().to_vec())
                }
                _ => Err(unreadable()),
            }
        };
        let sequences = self.read(schema::SEQUENCE)?;
        let indexes = self.read(schema::INDEX)?;
        Ok(Identities {
            times: times(schema::TIME)?,
            arrivals: times(schema::ARRIVAL)?,
            sequences: sequences
                .as_primitive::<Int64Type>()
                .values()
                .iter()
                .map(|v| v.cast_unsigned())
                .collect(),
            indexes: indexes.as_primitive::<Int32Type>().values().iter().map(|v| v.cast_unsigned()).collect(),
        })
    }
}

impl std::fmt::Debug for SegmentInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentPart").field("description", &self.description).finish_non_exhaustive()
    }
}

/// What a file says of itself.
pub(crate) fn parse_description(metadata: &ParquetMetaData) -> Result<Description> {
    let pairs = metadata.file_metadata().key_value_metadata();
    let text = pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == DESCRIPTION_KEY));
    let text = text.and_then(|pair| pair.value.as_deref()).ok_or_else(unreadable)?;
    let description: Description = serde_json::from_str(text).map_err(|_| unreadable())?;
    if description.version != DESCRIPTION_VERSION {
        let version = description.version;
        let message = format!("a segment has form {version}, and this version reads {DESCRIPTION_VERSION}");
        return Err(Error::corrupt(message));
    }
    Ok(description)
}

fn columns(description: &Description, kinds: &[FieldKind]) -> Vec<DatasetColumn> {
    let named = description.columns.iter().zip(kinds);
    named
        .map(|(column, kind)| DatasetColumn {
            number: column.number,
            field: column.field.clone(),
            kind: *kind,
            name: column.field.clone(),
        })
        .collect()
}

fn unreadable() -> Error {
    Error::corrupt("a segment does not hold together")
}
