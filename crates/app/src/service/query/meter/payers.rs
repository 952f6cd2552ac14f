//! To which datasets the cost of a query falls. A query of one dataset costs that dataset; the cost of one that reads
//! several is divided by the bytes that each of them holds when it runs, because what a dataset holds is about what a
//! query has to go through. The parts add up to the cost exactly; one that reads none costs no dataset.

use std::sync::Arc;

use tidegauge_engine::Dataset;

/// What a dataset counts for at least, so that one without events is not free.
const WEIGHT_MIN: u64 = 1_000_000;

/// The datasets of a query, the lightest first, each with what it weighs.
#[derive(Clone, Debug, Default)]
pub(in crate::service::query) struct Payers(Arc<[(String, u64)]>);

impl Payers {
    pub(in crate::service::query) fn of(datasets: &[Dataset]) -> Self {
        if let [only] = datasets {
            return Self::one(&only.name);
        }
        let weigh = |dataset: &Dataset| (dataset.name.clone(), dataset.state.info().raw_bytes);
        Self::weighed(datasets.iter().map(weigh).collect())
    }

    pub(in crate::service::query) fn one(dataset: &str) -> Self {
        Self(Arc::new([(dataset.to_owned(), WEIGHT_MIN)]))
    }

    fn weighed(mut datasets: Vec<(String, u64)>) -> Self {
        datasets.iter_mut().for_each(|(_, weight)| *weight = (*weight).max(WEIGHT_MIN));
        datasets.sort_by(|(name, weight), (other_name, other)| (weight, name).cmp(&(other, other_name)));
        datasets.dedup_by(|(name, _), (other, _)| name == other);
        Self(datasets.into())
    }

    /// The parts of a cost. What cannot be divided falls to the heaviest.
    pub(super) fn divide(&self, cost: u64) -> Vec<(&str, u64)> {
        let total: u128 = self.0.iter().map(|(_, weight)| u128::from(*weight)).sum();
        if total == 0 {
            return vec![("", cost)];
        }
        let (mut weighed, mut divided) = (0_u128, 0_u64);
        let mut parts = Vec::with_capacity(self.0.len());
        for (name, weight) in self.0.iter() {
            weighed += u128::from(*weight);
            let until = share(cost, weighed, total);
            if until > divided {
                parts.push((name.as_str(), until - divided));
            }
            divided = until;
        }
        parts
    }
}

/// The part of a cost, rounded down. Weights are cut to 64 bits, so that the product fits.
fn share(cost: u64, weighed: u128, total: u128) -> u64 {
    let (mut weighed, mut total) = (weighed, total);
    while total > u128::from(u64::MAX) {
        (weighed, total) = (weighed >> 1, total >> 1);
    }
    u64::try_from(u128::from(cost) * weighed.min(total) / total).unwrap_or(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(datasets: &[(&str, u64)]) -> Payers {
        Payers::weighed(datasets.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect())
    }

    #[test]
    fn a_cost_is_divided_by_what_datasets_hold() {
        let payers = weighed(&[("large", 3_000_000_000), ("small", 1_000_000_000)]);
        assert_eq!(payers.divide(8), [("small", 2), ("large", 6)]);
        // What cannot be divided falls to the heaviest.
        assert_eq!(payers.divide(1), [("large", 1)]);
        assert_eq!(payers.divide(3), [("large", 3)]);
        assert!(payers.divide(0).is_empty());
    }

    #[test]
    fn parts_add_up_to_the_cost() {
        let payers = weighed(&[("a", 0), ("b", 7_777_777), ("c", 123_456_789_012), ("d", u64::MAX)]);
        for cost in [1, 2, 10, 997, 1_000_000_007, u64::MAX] {
            assert_eq!(payers.divide(cost).iter().map(|(_, part)| part).sum::<u64>(), cost, "{cost}");
        }
    }

    #[test]
    fn an_empty_dataset_is_not_free_and_no_dataset_pays_without_a_name() {
        assert_eq!(weighed(&[("empty", 0), ("full", 1_000_000)]).divide(10), [("empty", 5), ("full", 5)]);
        assert_eq!(Payers::one("a").divide(4), [("a", 4)]);
        assert_eq!(Payers::default().divide(4), [("", 4)]);
    }
}
