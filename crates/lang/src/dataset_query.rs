//! The JSON query of the contract and its translation to a tree. Reading the JSON is left to the server; this knows
//! what each field means, which values it may have and what an absent one stands for.

mod aggregations;
mod continuation;
mod filter;
mod order;
mod resolution;
mod times;
mod translate;

use tidegauge_model::Violation;

use crate::Diagnostic;
use crate::tree::{Query, SortKey, TimeRange};

pub use continuation::{NOT_A_CURSOR, NOT_A_TOKEN, continuation_row, continuation_token};
pub use times::{Allowed, allowed_range};
pub use translate::translate;

/// A dataset query as it was sent. Arrays that were absent or null are empty; texts that were absent, null or empty
/// are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetQuery {
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    pub resolution: Option<String>,
    pub aggregations: Vec<Aggregation>,
    pub filter: Option<Filter>,
    pub group_by: Vec<String>,
    pub order: Vec<SortKey>,
    pub limit: Option<u64>,
    pub virtual_fields: Vec<VirtualField>,
    pub project: Vec<Projection>,
    pub cursor: Option<String>,
    pub includes_cursor: bool,
    pub continuation_token: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aggregation {
    pub op: String,
    pub field: String,
    pub alias: Option<String>,
    pub argument: Value,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    pub op: String,
    pub field: String,
    pub value: Value,
    pub case_sensitive: Option<bool>,
    pub children: Vec<Filter>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct VirtualField {
    pub alias: String,
    pub expr: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Projection {
    pub field: String,
    pub alias: Option<String>,
}

/// A JSON value of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    #[default]
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// The digits of an integer that does not fit 64 bits.
    LongInteger(String),
    String(String),
    Array(Vec<Value>),
    /// JSON text of an object.
    Object(String),
}

/// What a translation depends on besides the query itself.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// In nanoseconds since 1970.
    pub now: i64,
    /// The least and the greatest time of the dataset's events, for ranges that are open.
    pub data: Option<(i64, i64)>,
    /// How far back the licence lets queries look, in seconds; zero is no limit.
    pub window_seconds_max: u64,
}

/// A translated query.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    pub query: Query,
    pub range: TimeRange,
    pub limit: u64,
    /// Whether the limit is the default because none was asked for.
    pub is_limit_default: bool,
    /// Whether the licence made the range shorter.
    pub is_window_cut: bool,
}

/// Why a query was not translated.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// A field of the body breaks a rule.
    Violation(Violation),
    /// The expression of a virtual field cannot be understood.
    Expression { alias: String, text: String, diagnostics: Vec<Diagnostic> },
}

impl From<Violation> for Refused {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}
