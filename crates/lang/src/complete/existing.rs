//! What the caller knows of datasets, views and their fields.

use std::fmt;

use crate::tree::Type;

/// What the caller knows, of which only that belongs here which the asker may see.
#[derive(Clone, Copy)]
pub struct Existing<'a> {
    pub datasets: &'a [String],
    pub views: &'a [String],
    /// The fields of a dataset or a view; none where it is not known.
    pub fields: &'a dyn Fn(&str) -> Vec<KnownField>,
    /// Frequent values of a field of a dataset; none where they are not known.
    pub values: &'a dyn Fn(&str, &str) -> Vec<String>,
}

/// A field as the caller knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownField {
    pub name: String,
    /// The types that its values have; none if that is not known.
    pub kinds: Vec<Type>,
    pub doc: String,
}

impl fmt::Debug for Existing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} datasets, {} views", self.datasets.len(), self.views.len())
    }
}
