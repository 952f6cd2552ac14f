//! The fields of a dataset and the kinds of value that each has held. How many there may be is decided where events are
//! read.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use tidegauge_model::FieldKind;

/// What is known of a dataset's fields.
#[derive(Debug, Default)]
pub(crate) struct FieldBook {
    /// The kinds of each field, one bit for each.
    kinds: HashMap<Arc<str>, u8>,
}

impl FieldBook {
    pub(crate) fn add(&mut self, field: &str, kind: FieldKind) {
        let bit = 1 << kind as u8;
        match self.kinds.get_mut(field) {
            Some(kinds) => *kinds |= bit,
            None => {
                self.kinds.insert(Arc::from(field), bit);
            }
        }
    }

    pub(crate) fn contains(&self, field: &str) -> bool {
        self.kinds.contains_key(field)
    }

    pub(crate) fn kinds(&self, field: &str) -> Vec<FieldKind> {
        self.kinds.get(field).map(|bits| kinds_of(*bits)).unwrap_or_default()
    }

    /// Every field with its kinds, by name.
    pub(crate) fn list(&self) -> BTreeMap<String, Vec<FieldKind>> {
        self.kinds.iter().map(|(field, bits)| (field.as_ref().to_owned(), kinds_of(*bits))).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn clear(&mut self) {
        self.kinds.clear();
    }
}

fn kinds_of(bits: u8) -> Vec<FieldKind> {
    FieldKind::ALL.into_iter().filter(|kind| bits & 1 << *kind as u8 != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_keeps_every_kind_that_it_has_held() {
        let mut book = FieldBook::default();
        book.add("a", FieldKind::String);
        book.add("a", FieldKind::Integer);
        book.add("b", FieldKind::Boolean);
        assert_eq!(book.list()["a"], [FieldKind::Integer, FieldKind::String]);
        assert!(book.contains("b") && !book.contains("c"));
        assert_eq!(book.len(), 2);
    }
}
