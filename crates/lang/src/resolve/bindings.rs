//! What the names before a query stand for: values in their order, and tables with how much of them there is. A text can
//! define tens of thousands of names, so none of them is found by looking at all others, and a table is copied only where
//! a query reads it.

use std::collections::HashMap;

use super::weight::Weight;
use crate::Span;
use crate::tree::{Expr, Query};

/// Values by name, in the order in which they were defined. A name may be defined again by what it was before.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// None where the name was given to something else since.
    list: Vec<Option<(String, Expr)>>,
    indexes: HashMap<String, Vec<usize>>,
}

impl Values {
    pub(super) fn define(&mut self, name: String, value: Expr) {
        self.indexes.entry(name.clone()).or_default().push(self.list.len());
        self.list.push(Some((name, value)));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.indexes.contains_key(name)
    }

    /// What a name stands for now.
    pub(super) fn last(&self, name: &str) -> Option<&Expr> {
        let place = *self.indexes.get(name)?.last()?;
        self.list.get(place)?.as_ref().map(|(_, value)| value)
    }

    /// Takes a name away from all values that had it.
    pub(super) fn forget(&mut self, name: &str) {
        for place in self.indexes.remove(name).unwrap_or_default() {
            self.list[place] = None;
        }
    }

    pub(super) fn into_list(self) -> Vec<(String, Expr)> {
        self.list.into_iter().flatten().collect()
    }
}

/// A table with a name, whose own names are settled.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) query: Query,
    pub(super) weight: Weight,
    /// The `let` that gave it the name; none for a view.
    pub(super) place: Span,
}

impl Table {
    pub(super) fn new(mut query: Query, place: Span) -> Self {
        let weight = Weight::of(&mut query);
        Self { query, weight, place }
    }
}
