//! The points of one series, which come in any order and several times.

use std::mem::size_of;

use super::kind::Kind;

#[derive(Debug)]
pub(super) struct Points<K: Kind> {
    points: Vec<(i64, K::Value)>,
    /// Whether times only rise.
    is_in_order: bool,
    value_bytes: usize,
}

impl<K: Kind> Default for Points<K> {
    fn default() -> Self {
        Self { points: Vec::new(), is_in_order: true, value_bytes: 0 }
    }
}

impl<K: Kind> Points<K> {
    pub(super) fn add(&mut self, time: i64, value: K::Value) {
        self.is_in_order &= self.points.last().is_none_or(|(last, _)| *last < time);
        self.value_bytes += K::heap_bytes(&value);
        self.points.push((time, value));
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.points.capacity() * size_of::<(i64, K::Value)>() + self.value_bytes
    }

    /// The points by time. Of several with one time, which a sender repeated, the greatest stays.
    pub(super) fn in_order(&mut self) -> &[(i64, K::Value)] {
        if !self.is_in_order {
            let order = |one: &(i64, K::Value), other: &(i64, K::Value)| {
                one.0.cmp(&other.0).then_with(|| K::order(&other.1, &one.1))
            };
            self.points.sort_unstable_by(order);
            // The first of each time is the greatest.
            self.points.dedup_by_key(|(time, _)| *time);
            self.is_in_order = true;
        }
        &self.points
    }
}
