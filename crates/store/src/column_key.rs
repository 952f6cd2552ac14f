//! The typed columns of a dataset by their names and kinds: one field has as many as it has kinds.

use std::sync::Arc;

use hashbrown::Equivalent;
use tidegauge_model::FieldKind;

/// One typed column of a dataset.
pub(crate) type ColumnKey = (Arc<str>, FieldKind);

/// A [`ColumnKey`] that borrows its name, to find a column without a copy of it.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct ColumnName<'a>(pub(crate) &'a str, pub(crate) FieldKind);

impl Equivalent<ColumnKey> for ColumnName<'_> {
    fn equivalent(&self, key: &ColumnKey) -> bool {
        *self.0 == *key.0 && self.1 == key.1
    }
}
