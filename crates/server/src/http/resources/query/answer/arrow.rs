//! The rows of an answer's first table as a stream of Arrow's IPC, with the types that Arrow has for them. Arrays, maps
//! and fields of several types are texts, and the metadata of each field says what they are.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, DurationNanosecondArray, NullArray, RecordBatch, RecordBatchOptions, StringArray,
    TimestampNanosecondArray,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field as ArrowField, Schema};
use tidegauge_engine::{Answer, Field, Table};
use tidegauge_lang::tree::Type;
use tidegauge_model::ErrorKind;

use super::columns::Column;
use super::tabular::type_names;
use super::{MAIN, table};
use crate::service::Error;

/// Where the metadata of a field has its types in our words.
const TYPE_KEY: &str = "tidegauge.type";

pub(super) fn write(answer: &Answer) -> Result<Vec<u8>, Error> {
    let empty = Table::default();
    let table = table(answer, MAIN).unwrap_or(&empty);
    let mut fields = Vec::with_capacity(table.fields.len());
    let mut arrays = Vec::with_capacity(table.fields.len());
    for field in &table.fields {
        let array = array(field, table.rows)?;
        let metadata = HashMap::from([(TYPE_KEY.to_owned(), type_names(field))]);
        let described = ArrowField::new(&field.name, array.data_type().clone(), true);
        fields.push(described.with_metadata(metadata));
        arrays.push(array);
    }
    encoded(Arc::new(Schema::new(fields)), arrays, table.rows).map_err(|error| Error {
        source: Some(Box::new(error)),
        ..Error::new(ErrorKind::Internal, "the answer cannot be written")
    })
}

fn encoded(schema: Arc<Schema>, arrays: Vec<ArrayRef>, rows: usize) -> Result<Vec<u8>, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
    writer.write(&batch)?;
    writer.into_inner()
}

/// The values of a field in one array.
fn array(field: &Field, rows: usize) -> Result<ArrayRef, Error> {
    let column = Column::of(field)?;
    Ok(match field.values.as_slice() {
        [] => Arc::new(NullArray::new(rows)),
        [(Type::Boolean | Type::Integer | Type::Float, only)] => Arc::clone(only),
        [(Type::Datetime, only)] => {
            let nanoseconds = only.as_primitive::<Int64Type>();
            let (values, nulls) = (nanoseconds.values().clone(), nanoseconds.nulls().cloned());
            Arc::new(TimestampNanosecondArray::new(values, nulls).with_timezone("UTC"))
        }
        [(Type::Timespan, only)] => {
            let nanoseconds = only.as_primitive::<Int64Type>();
            let (values, nulls) = (nanoseconds.values().clone(), nanoseconds.nulls().cloned());
            Arc::new(DurationNanosecondArray::new(values, nulls))
        }
        _ => Arc::new(texts(&column, rows)),
    })
}

fn texts(column: &Column<'_>, rows: usize) -> StringArray {
    let mut cell = Vec::new();
    let text = |row: usize| {
        cell.clear();
        column.write_plain(row, &mut cell);
        (!column.is_null(row)).then(|| String::from_utf8_lossy(&cell).into_owned())
    };
    (0..rows).map(text).collect()
}
