//! The columns that a scan reads: those that every event has, typed columns of fields, and what is made of them.

use std::sync::Arc;

use tidegauge_model::FieldKind;

/// The field that holds when an event arrived.
pub const ARRIVAL_FIELD: &str = "_sysTime";

/// A column that the scan reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputColumn {
    Time,
    Arrival,
    /// The sequence of the request that brought the row, as a number with a sign in the same order.
    Sequence,
    /// The place of the row in its request.
    Index,
    /// The identity of the row, as text.
    Cursor,
    Field(Arc<str>, FieldKind),
    /// The templates of a field's texts.
    Template(Arc<str>),
}
