//! A field that a reader knows.

use std::sync::Arc;

use tidegauge_model::columns::FieldKind;

/// The gate must be asked before a value is stored.
pub(super) const UNADMITTED: u8 = 1;
/// The field gives the time of the event.
pub(super) const TIME_NAMED: u8 = 2;
/// The field gives the time of the event when the named one is absent.
pub(super) const TIME_FALLBACK: u8 = 4;

#[derive(Debug)]
pub(super) struct Field {
    /// The event that last had this field.
    pub(super) stamp: u64,
    /// The column of each type, in the order of [`FieldKind`], or [`super::NONE`].
    pub(super) columns: [u32; FieldKind::ALL.len()],
    /// Zero for a field that is stored without a question.
    pub(super) flags: u8,
    pub(super) name: Arc<str>,
}
