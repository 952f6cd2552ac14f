//! What a caller decides before a body is read: its format, where the time of an event stands, and what is added.

use std::collections::HashSet;
use std::sync::Arc;

use crate::json::labels::Labels;
use crate::time::layout::TimeLayout;

/// How a body is written. JSON covers an array, a single object, one object per line and objects one after the
/// other, since they are one grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Csv,
    /// Plain text, in which each line is an event.
    Lines,
}

/// What one request says about its body.
#[derive(Clone, Debug)]
pub struct Options {
    pub format: Format,
    /// The field that holds the time of an event, by its flattened name; `_time` unless given.
    pub timestamp_field: Option<String>,
    /// How texts in that field are written; every usual form is recognised without it.
    pub timestamp_format: Option<TimeLayout>,
    pub csv_delimiter: u8,
    /// The names of the CSV columns. Without them the first line gives the names.
    pub csv_fields: Option<Vec<String>>,
    /// Fields that are added to every event.
    pub labels: Option<Labels>,
    /// The fields that keep an object as it is, by their flattened names. Handing in the same `Arc` for each request
    /// of a dataset spares the reader comparing the sets.
    pub map_fields: Arc<HashSet<String>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::Json,
            timestamp_field: None,
            timestamp_format: None,
            csv_delimiter: b',',
            csv_fields: None,
            labels: None,
            map_fields: Arc::default(),
        }
    }
}
