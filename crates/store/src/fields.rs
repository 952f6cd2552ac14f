//! The fields of a dataset and the kinds of value that each has held. New fields are admitted up to the licence's
//! limit; known ones always are.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use tidegauge_model::FieldKind;

/// What is known of a dataset's fields.
#[derive(Debug, Default)]
pub(crate) struct FieldBook {
    /// The kinds of each field, one bit for each.
    kinds: HashMap<Arc<str>, u8>,
    /// Fields that were let in and have not come in an acknowledged event yet.
    admitted: HashSet<Arc<str>>,
}

impl FieldBook {
    pub(crate) fn add(&mut self, field: &str, kind: FieldKind) {
        let bit = 1 << kind as u8;
        if let Some(kinds) = self.kinds.get_mut(field) {
            *kinds |= bit;
            return;
        }
        self.admitted.remove(field);
        self.kinds.insert(Arc::from(field), bit);
    }

    /// Whether an event may have this field.
    pub(crate) fn admit(&mut self, field: &str, fields_max: u64) -> bool {
        if self.kinds.contains_key(field) || self.admitted.contains(field) {
            return true;
        }
        if (self.kinds.len() + self.admitted.len()) as u64 >= fields_max {
            return false;
        }
        self.admitted.insert(Arc::from(field))
    }

    /// Every field with its kinds, by name.
    pub(crate) fn list(&self) -> BTreeMap<String, Vec<FieldKind>> {
        let kinds_of =
            |bits: u8| FieldKind::ALL.into_iter().filter(|kind| bits & 1 << *kind as u8 != 0).collect();
        self.kinds.iter().map(|(field, bits)| (field.as_ref().to_owned(), kinds_of(*bits))).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn clear(&mut self) {
        self.kinds.clear();
        self.admitted.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_fields_are_admitted_beyond_the_limit_and_new_ones_are_not() {
        let mut book = FieldBook::default();
        book.add("a", FieldKind::Integer);
        book.add("a", FieldKind::String);
        assert!(book.admit("b", 2));
        assert!(book.admit("b", 2), "the same new field again");
        assert!(!book.admit("c", 2));
        assert!(book.admit("a", 0));
        book.add("b", FieldKind::Boolean);
        assert!(!book.admit("c", 2));
        assert_eq!(book.list()["a"], [FieldKind::Integer, FieldKind::String]);
        assert_eq!(book.len(), 2);
    }
}
