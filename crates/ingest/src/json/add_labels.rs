//! Adds labels to an event that is being read, in whatever form it came.

use super::cursor::Cursor;
use super::event::{EventReader, Memory};
use super::labels::Labels;
use super::shapes::LABELS;
use crate::limits::{FieldGate, Limits};
use crate::rows::Rows;

/// Adds the labels to the event in hand, as if they stood at its end.
pub(crate) fn add_labels(
    labels: &Labels,
    memory: &mut Memory,
    rows: &mut Rows,
    limits: &Limits,
    gate: &dyn FieldGate,
) {
    let cursor = Cursor::new(labels.as_bytes(), true);
    let mut reader = EventReader { cursor, clean: true, memory, rows, limits, gate };
    // They were read once before, when they were accepted.
    let read = reader.whole_object(LABELS);
    debug_assert_eq!(read, Ok(()));
}
