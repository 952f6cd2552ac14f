//! What a caller decides before a body is read: its format, where the time of an event stands, and the limits.

use std::collections::HashSet;
use std::sync::Arc;

use tidegauge_model::columns::FIELD_NAME_BYTES_MAX;

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

/// Bounds on what a body may make this process do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A longer event ends the request.
    pub event_bytes_max: usize,
    /// A longer string is replaced by a text that says so.
    pub string_bytes_max: usize,
    /// A longer flattened name fails its event.
    pub name_bytes_max: usize,
    /// Objects and arrays nested deeper are replaced by null. The event itself is the first level.
    pub depth_max: usize,
    /// More failures are counted, but not described.
    pub failures_listed_max: usize,
    /// What the columns of one request may take in memory. The body alone does not bound it: labels are repeated
    /// for each event, and an event can be as short as two bytes.
    pub columns_bytes_max: usize,
    /// More events end the request. Empty ones cost far more than their two bytes.
    pub events_max: usize,
    /// A reader that knows more fields forgets them before the next request.
    pub fields_kept_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            event_bytes_max: 8 << 20,
            string_bytes_max: 1 << 20,
            name_bytes_max: FIELD_NAME_BYTES_MAX,
            depth_max: 100,
            failures_listed_max: 1000,
            columns_bytes_max: 1 << 30,
            events_max: 1_000_000,
            fields_kept_max: 20_000,
        }
    }
}

/// Says whether a dataset takes a field that it may not have yet.
pub trait FieldGate {
    /// Asked for a name that the reader has not stored in an earlier request, once per request while the answer is
    /// yes. `false` fails the event that has the field. The event may still fail for another reason, so an admitted
    /// field is only certain to exist when it has rows in the columns.
    fn admit(&self, field: &str) -> bool;
}
