//! What tells a series of points from all others, as a short text: a sum of hashes, so that the order in which labels or
//! attributes come does not matter. It is stored in `series`, and must stay what it is.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// What a part of a series is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Label = 1,
    Resource = 2,
    Scope = 3,
    Attribute = 4,
    Metric = 5,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeriesName(u64);

impl SeriesName {
    pub(crate) fn add(&mut self, part: Part, bytes: &[u8]) {
        self.0 = self.0.wrapping_add(xxh3_64_with_seed(bytes, part as u64));
    }

    pub(crate) fn add_pair(&mut self, part: Part, name: &str, value: &str) {
        let name = xxh3_64_with_seed(name.as_bytes(), part as u64);
        self.0 = self.0.wrapping_add(xxh3_64_with_seed(value.as_bytes(), name));
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// Sixteen hexadecimal digits.
    pub(crate) fn text(self) -> String {
        format!("{:016x}", xxh3_64(&self.0.to_le_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> String {
        let mut name = SeriesName::default();
        pairs.iter().for_each(|(label, value)| name.add_pair(Part::Label, label, value));
        name.text()
    }

    #[test]
    fn labels_in_any_order_are_one_series() {
        assert_eq!(of(&[("a", "1"), ("b", "2")]), of(&[("b", "2"), ("a", "1")]));
        let others = [of(&[("a", "1")]), of(&[("a", "2")]), of(&[("a1", "")]), of(&[("a", "1"), ("a", "1")])];
        let different: std::collections::BTreeSet<&String> = others.iter().collect();
        assert_eq!(different.len(), others.len());
        assert!(others.iter().all(|name| name.len() == 16));
    }

    #[test]
    fn what_is_stored_stays_what_it_is() {
        assert_eq!(of(&[("__name__", "up"), ("job", "node")]), "6c7fd748552fcfd6");
    }
}
