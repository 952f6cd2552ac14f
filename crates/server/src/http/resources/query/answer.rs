//! Answers as clients read them, written from Arrow arrays to the bytes of the body in one pass. Pure functions: what
//! is shown was computed and looked up before.

mod columns;
mod explain;
mod groups;
mod json;
mod legacy;
mod status;
mod tabular;

use tidegauge_engine::{Answer, Table};

use crate::service::Error;
use crate::service::datasets::fields::DescribedField;

/// The names of an answer's tables.
const MAIN: &str = "0";
const TOTALS: &str = "_totals";

const TIME: &str = "_time";
const ARRIVAL: &str = "_sysTime";

/// An answer with all that is shown beside it.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    pub answer: &'a Answer,
    pub dataset: &'a str,
    /// What is known of the fields that the answer is about.
    pub fields: &'a [DescribedField],
    /// By which names the aggregations are shown, in the order of the request.
    pub operations: &'a [String],
    pub continuation_token: Option<&'a str>,
    /// The limit, where it is not one that was asked for.
    pub default_limit: Option<u64>,
    pub is_window_cut: bool,
    /// Whether events show the fields that they do not have.
    pub shows_nulls: bool,
}

/// Writes events as `matches`, and groups as `buckets`.
pub fn write_legacy(shown: &Shown<'_>) -> Result<Vec<u8>, Error> {
    legacy::write(shown)
}

/// Writes tables of columns.
pub fn write_tabular(shown: &Shown<'_>) -> Result<Vec<u8>, Error> {
    tabular::write(shown)
}

/// About how many values an answer has: what tells whether writing it takes long.
pub fn cells(answer: &Answer) -> usize {
    answer.tables.iter().map(|table| table.rows.saturating_mul(table.fields.len())).sum()
}

fn table<'a>(answer: &'a Answer, name: &str) -> Option<&'a Table> {
    answer.tables.iter().find(|table| table.name == name)
}

#[cfg(test)]
mod tests;
