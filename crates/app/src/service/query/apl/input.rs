//! A query in text as it is asked: the text, and what is said beside it.

use tidegauge_engine::{Arrived, Lane, Progress};
use tidegauge_lang::tree::{Literal, SortKey, TimeRange};

use crate::service::query::RunOptions;
use crate::service::query::history::Kept;

/// A query in text and how it is to be run.
#[derive(Clone, Debug, Default)]
pub struct AplInput {
    pub text: String,
    /// Who waits for the answer.
    pub lane: Lane,
    /// RFC 3339, or relative to now; none is open.
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    /// The part of that range that is looked at, if it is not all of it.
    pub part: Option<TimeRange>,
    /// A row id: the answer begins after that event.
    pub cursor: Option<String>,
    /// Whether the event of the cursor is part of the answer.
    pub includes_cursor: bool,
    pub continuation_token: Option<String>,
    /// Whether the answer has a column with the identities of its rows.
    pub has_cursor_field: bool,
    /// How many events are shown, and in which order, where the text does not say.
    pub default_limit: Option<usize>,
    /// How many rows the answer has at most, where it may have more than usual.
    pub rows_max: Option<usize>,
    pub default_order: Vec<SortKey>,
    pub auto_bins_max: Option<usize>,
    /// Values by name. A `let` of the same name goes before.
    pub variables: Vec<(String, Literal)>,
    pub run_options: RunOptions,
    pub kept: Option<Kept>,
    /// Whether nothing is to be read, and only looked at what would be.
    pub is_dry: bool,
    /// Which requests the rows came with; all where nothing is said.
    pub arrived: Option<Arrived>,
    /// Where the asker sees how far the query is.
    pub progress: Option<Progress>,
}
