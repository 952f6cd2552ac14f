//! A table as a stream of Arrow, for programs that read columns. A column whose values are of one simple type has that
//! type; all others are texts.

use std::sync::Arc;

use anyhow::Context;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampNanosecondArray,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field as ArrowField, Schema};
use tidegauge_model::Timestamp;

use super::Table;
use super::value::Value;

pub fn stream(table: &Table) -> anyhow::Result<Vec<u8>> {
    let columns: Vec<ArrayRef> = (0..table.fields.len()).map(|column| array(table, column)).collect();
    let fields: Vec<ArrowField> = table
        .fields
        .iter()
        .zip(&columns)
        .map(|(field, array)| ArrowField::new(&field.name, array.data_type().clone(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).context("writing Arrow")?;
    if !columns.is_empty() {
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
    }
    Ok(writer.into_inner()?)
}

fn array(table: &Table, column: usize) -> ArrayRef {
    let values = || (0..table.rows()).map(|row| table.value(column, row));
    let is_all = |is_kind: fn(&Value) -> bool| values().all(|value| value.is_null() || is_kind(value));
    let kind = table.fields.get(column).map_or("", |field| field.kind.as_str());
    if kind == "datetime" && is_all(Value::is_text) {
        let times = values().map(|value| Timestamp::parse(value.as_text()?).ok().map(Timestamp::as_nanos));
        return Arc::new(times.collect::<TimestampNanosecondArray>().with_timezone("UTC"));
    }
    let is_known = kind != "string";
    if is_known && is_all(Value::is_boolean) && kind.starts_with("bool") {
        return Arc::new(values().map(Value::as_boolean).collect::<BooleanArray>());
    }
    if kind == "integer" && is_all(Value::is_i64) {
        return Arc::new(values().map(Value::as_i64).collect::<Int64Array>());
    }
    if is_known && kind.contains("float") && is_all(Value::is_number) {
        return Arc::new(values().map(Value::as_f64).collect::<Float64Array>());
    }
    let texts = values().map(|value| (!value.is_null()).then(|| value.to_text()));
    Arc::new(texts.collect::<StringArray>())
}

#[cfg(test)]
mod tests {
    use arrow_ipc::reader::StreamReader;
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_have_types() {
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "_time", "type": "datetime"}, {"name": "n", "type": "integer"}, {"name": "x", "type": "integer|string"}],
            "columns": [["2026-06-01T12:00:00.5Z", null], [1, null], [1, "a"]],
        }))
        .unwrap();
        let bytes = stream(&table).unwrap();
        let batch = StreamReader::try_new(bytes.as_slice(), None).unwrap().next().unwrap().unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (2, 3));
        let types: Vec<String> = batch.columns().iter().map(|it| it.data_type().to_string()).collect();
        assert_eq!(types, ["Timestamp(ns, \"UTC\")", "Int64", "Utf8"]);
    }
}
