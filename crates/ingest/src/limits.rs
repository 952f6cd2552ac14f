//! What bounds the reading of a body: limits, and who says which fields a dataset takes.

use tidegauge_model::columns::FIELD_NAME_BYTES_MAX;

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

    /// Told of a name that no sender chose: a field of a protocol's layout, of which there are few and always the same.
    /// A dataset takes it though it is full, and whoever counts fields counts it like any other.
    fn admit_always(&self, _field: &'static str) {}
}
