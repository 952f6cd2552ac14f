//! Answers as clients read them, written from Arrow arrays to the bytes of the body in one pass. Pure functions: what
//! is shown was computed and looked up before, and sending it is left to `http`.

mod arrow;
mod columns;
mod explain;
mod groups;
mod json;
mod legacy;
mod members;
mod request;
mod rows;
mod shown;
mod status;
mod tabular;
mod text;

use tidegauge_app::service::Error;
use tidegauge_model::ErrorKind;

pub use self::shown::{Shown, cells};
pub use self::text::Written;

/// Writes events as `matches`, and groups as `buckets`.
pub fn write_legacy(shown: &Shown<'_>) -> Result<Written, Error> {
    legacy::write(shown)
}

/// Writes tables of columns.
pub fn write_tabular(shown: &Shown<'_>) -> Result<Written, Error> {
    tabular::write(shown, tabular::By::Columns)
}

/// Writes tables of rows.
pub fn write_tabular_rows(shown: &Shown<'_>) -> Result<Written, Error> {
    tabular::write(shown, tabular::By::Rows)
}

/// The codes of what a person should know of an answer, and where to go on if it was cut. Rows alone cannot say so.
pub fn notes<'a>(shown: &Shown<'a>) -> (String, Option<&'a str>) {
    (status::codes(shown), shown.continuation_token)
}

/// Writes the rows of the first table as comma-separated values below the names of the fields.
pub fn write_csv(shown: &Shown<'_>) -> Result<Written, Error> {
    rows::write_csv(shown.answer, rows::Csv { below: None, is_for_people: false })
}

/// The same for spreadsheets, where texts must not become formulas; below names that are written already, if there are.
pub fn write_csv_for_people(shown: &Shown<'_>, below: Option<&[String]>) -> Result<Written, Error> {
    rows::write_csv(shown.answer, rows::Csv { below, is_for_people: true })
}

/// Writes the rows of the first table as a Parquet file.
pub fn write_parquet(shown: &Shown<'_>) -> Result<Vec<u8>, Error> {
    let (schema, batches) = arrow::batches(shown.answer)?;
    tidegauge_store::parquet_file(schema, batches).map_err(|error| Error {
        source: Some(Box::new(error)),
        ..Error::new(ErrorKind::Internal, "the file cannot be written")
    })
}

/// The names of the fields of the first table.
pub fn field_names(shown: &Shown<'_>) -> Vec<String> {
    let table = shown.answer.tables.first();
    table.map(|table| table.fields.iter().map(|field| field.name.clone()).collect()).unwrap_or_default()
}

/// Writes the rows of the first table as one JSON object a line.
pub fn write_ndjson(shown: &Shown<'_>) -> Result<Written, Error> {
    rows::write_ndjson(shown.answer)
}

/// Writes the rows of the first table as a stream of Arrow's IPC.
pub fn write_arrow(shown: &Shown<'_>) -> Result<Written, Error> {
    arrow::write(shown.answer)
}

/// A time of an event: RFC 3339 in UTC, with as many digits below the second as it needs.
pub fn time_text(nanoseconds: i64) -> String {
    let mut text = Vec::new();
    json::write_time(&mut text, nanoseconds);
    String::from_utf8_lossy(&text).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests;
