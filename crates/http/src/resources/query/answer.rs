//! Answers as clients read them, written from Arrow arrays to the bytes of the body in one pass. Pure functions: what
//! is shown was computed and looked up before.

mod arrow;
mod columns;
mod explain;
mod groups;
mod json;
mod legacy;
mod request;
mod rows;
mod status;
mod tabular;
mod text;

use tidegauge_engine::{Answer, Table};

pub use self::text::Written;

use tidegauge_app::service::Error;
use tidegauge_app::service::query::{DescribedDataset, Queried, TextQuery};

/// The names of an answer's tables.
const MAIN: &str = "0";
const TOTALS: &str = "_totals";

const TIME: &str = "_time";
const ARRIVAL: &str = "_sysTime";

/// An answer with all that is shown beside it.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    pub answer: &'a Answer,
    /// What was read, with what is known of the fields that the answer is about.
    pub datasets: &'a [DescribedDataset],
    pub continuation_token: Option<&'a str>,
    /// The limit, where it is not one that was asked for.
    pub default_limit: Option<u64>,
    pub is_window_cut: bool,
    /// Whether events show the fields that they do not have.
    pub shows_nulls: bool,
    /// There for a query in text. Clients of the JSON query refuse what is shown of it.
    pub text: Option<&'a TextQuery>,
}

impl<'a> Shown<'a> {
    pub fn of(queried: &'a Queried, shows_nulls: bool) -> Self {
        Self {
            answer: &queried.answer,
            datasets: &queried.datasets,
            continuation_token: queried.continuation_token.as_deref(),
            default_limit: queried.default_limit,
            is_window_cut: queried.is_window_cut,
            shows_nulls,
            text: queried.text.as_ref(),
        }
    }
}

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
    rows::write_csv(shown.answer)
}

/// Writes the rows of the first table as one JSON object a line.
pub fn write_ndjson(shown: &Shown<'_>) -> Result<Written, Error> {
    rows::write_ndjson(shown.answer)
}

/// Writes the rows of the first table as a stream of Arrow's IPC.
pub fn write_arrow(shown: &Shown<'_>) -> Result<Written, Error> {
    arrow::write(shown.answer)
}

/// About how many values an answer has: what tells whether writing it takes long.
pub fn cells(answer: &Answer) -> usize {
    answer.tables.iter().map(|table| table.rows.saturating_mul(table.fields.len())).sum()
}

/// A time of an event: RFC 3339 in UTC, with as many digits below the second as it needs.
pub fn time_text(nanoseconds: i64) -> String {
    let mut text = Vec::new();
    json::write_time(&mut text, nanoseconds);
    String::from_utf8_lossy(&text).trim_matches('"').to_owned()
}

fn table<'a>(answer: &'a Answer, name: &str) -> Option<&'a Table> {
    answer.tables.iter().find(|table| table.name == name)
}

#[cfg(test)]
mod tests;
