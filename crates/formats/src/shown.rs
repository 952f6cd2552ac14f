//! What is written of an answer, in whatever form: its tables and what is shown beside them.

use tidegauge_app::service::query::{DescribedDataset, Queried, TextQuery};
use tidegauge_engine::{Answer, Table};

/// The names of an answer's tables.
pub(super) const MAIN: &str = "0";
pub(super) const TOTALS: &str = "_totals";

pub(super) const TIME: &str = "_time";
pub(super) const ARRIVAL: &str = "_sysTime";

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

/// About how many values an answer has: what tells whether writing it takes long.
pub fn cells(answer: &Answer) -> usize {
    answer.tables.iter().map(|table| table.rows.saturating_mul(table.fields.len())).sum()
}

/// The table of an answer with this name.
pub(super) fn table<'a>(answer: &'a Answer, name: &str) -> Option<&'a Table> {
    answer.tables.iter().find(|table| table.name == name)
}
