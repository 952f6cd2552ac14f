//! The rows of an answer's first table as a stream of Arrow's IPC, with the types that Arrow has for them. Arrays, maps
//! and fields of several types are texts, and the metadata of each field says what they are.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, DurationNanosecondArray, NullArray, RecordBatch, RecordBatchOptions, StringArray,
    TimestampNanosecondArray,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field as ArrowField, Schema, SchemaRef};
use tidegauge_app::service::Error;
use tidegauge_engine::{Answer, Field, Table};
use tidegauge_lang::tree::Type;
use tidegauge_model::ErrorKind;

use super::columns::{Column, type_names};
use super::shown::{MAIN, table};
use super::text::{Text, Written};

/// Where the metadata of a field has its types in our words.
const TYPE_KEY: &str = "tidegauge.type";

/// How many rows are written at once: all of them would be in memory twice more.
const ROWS_AT_ONCE: usize = 8_192;

/// The rows as batches of one schema.
pub(super) fn batches(answer: &Answer) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
    let empty = Table::default();
    let table = table(answer, MAIN).unwrap_or(&empty);
    let schema = schema_of(table, &arrays(table, 0..table.rows.min(ROWS_AT_ONCE))?);
    let mut batches = Vec::new();
    for start in (0..table.rows).step_by(ROWS_AT_ONCE) {
        let rows = start..table.rows.min(start + ROWS_AT_ONCE);
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let arrays = arrays(table, rows)?;
        let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options);
        batches.push(batch.map_err(failed)?);
    }
    Ok((schema, batches))
}

fn schema_of(table: &Table, first: &[ArrayRef]) -> SchemaRef {
    let described = table.fields.iter().zip(first).map(|(field, array)| {
        let metadata = HashMap::from([(TYPE_KEY.to_owned(), type_names(field))]);
        ArrowField::new(&field.name, array.data_type().clone(), true).with_metadata(metadata)
    });
    Arc::new(Schema::new(described.collect::<Vec<_>>()))
}

pub(super) fn write(answer: &Answer) -> Result<Written, Error> {
    let empty = Table::default();
    let table = table(answer, MAIN).unwrap_or(&empty);
    let first = arrays(table, 0..table.rows.min(ROWS_AT_ONCE))?;
    let schema = schema_of(table, &first);
    let out = Text::new(&answer.held, usize::MAX);
    let mut writer = StreamWriter::try_new(out, &schema).map_err(failed)?;
    let mut write = |arrays: Vec<ArrayRef>, rows: usize| {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options);
        batch.and_then(|batch| writer.write(&batch)).map_err(failed)
    };
    write(first, table.rows.min(ROWS_AT_ONCE))?;
    for start in (ROWS_AT_ONCE..table.rows).step_by(ROWS_AT_ONCE) {
        let rows = start..table.rows.min(start + ROWS_AT_ONCE);
        let count = rows.len();
        write(arrays(table, rows)?, count)?;
    }
    writer.into_inner().map_err(failed)?.finish()
}

fn failed(error: ArrowError) -> Error {
    Error { source: Some(Box::new(error)), ..Error::new(ErrorKind::Internal, "the answer cannot be written") }
}

fn arrays(table: &Table, rows: Range<usize>) -> Result<Vec<ArrayRef>, Error> {
    table.fields.iter().map(|field| array(field, rows.clone())).collect()
}

/// The values of a field in some rows, in one array.
fn array(field: &Field, rows: Range<usize>) -> Result<ArrayRef, Error> {
    let column = Column::of(field)?;
    let of_rows = |array: &ArrayRef| array.slice(rows.start, rows.len());
    Ok(match field.values.as_slice() {
        [] => Arc::new(NullArray::new(rows.len())),
        [(Type::Boolean | Type::Integer | Type::Float, only)] => of_rows(only),
        [(Type::Datetime, only)] => {
            let only = of_rows(only);
            let nanoseconds = only.as_primitive::<Int64Type>();
            let (values, nulls) = (nanoseconds.values().clone(), nanoseconds.nulls().cloned());
            Arc::new(TimestampNanosecondArray::new(values, nulls).with_timezone("UTC"))
        }
        [(Type::Timespan, only)] => {
            let only = of_rows(only);
            let nanoseconds = only.as_primitive::<Int64Type>();
            let (values, nulls) = (nanoseconds.values().clone(), nanoseconds.nulls().cloned());
            Arc::new(DurationNanosecondArray::new(values, nulls))
        }
        _ => Arc::new(texts(&column, rows)),
    })
}

fn texts(column: &Column<'_>, rows: Range<usize>) -> StringArray {
    let mut cell = Vec::new();
    let text = |row: usize| {
        cell.clear();
        column.write_plain(row, &mut cell);
        (!column.is_null(row)).then(|| String::from_utf8_lossy(&cell).into_owned())
    };
    rows.map(text).collect()
}
