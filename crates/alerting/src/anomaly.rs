//! What is expected of a series, and how far from it is too far. Expected is the median: of the earlier points of the
//! series, or of the same time on earlier days. How much values vary is told by the median of their distances from it,
//! so that a few outliers among them change neither.

use tidegauge_model::monitor::{Definition, Operator};

use crate::outcome::Reason;
use crate::samples::Series;
use crate::verdict::Verdict;

/// With fewer points before it, a series does not tell what to expect of its last.
const EARLIER_POINTS_MIN: usize = 3;

/// Makes the median of distances comparable to the standard deviation of a normal distribution.
const MEDIAN_TO_DEVIATION: f64 = 1.4826;
/// The same for the mean of distances, which counts where more than half of the values are equal.
const MEAN_TO_DEVIATION: f64 = 1.2533;

/// Values that never vary would make every difference of the last digit an alert: this share of what is expected is
/// always taken for variation.
const VARIATION_SHARE_MIN: f64 = 0.01;

/// Judges the newest whole point of a series.
pub(crate) fn verdict(definition: &Definition, series: &Series) -> Option<Verdict> {
    let mut points: Vec<_> =
        series.points.iter().filter(|point| point.is_whole && point.value.is_finite()).collect();
    points.sort_by_key(|point| point.time);
    let value = points.pop()?.value;
    let earlier: Vec<f64> = if definition.compare_days == 0 {
        points.iter().map(|point| point.value).collect()
    } else {
        series.earlier.iter().copied().filter(|value| value.is_finite()).collect()
    };
    let points_min = if definition.compare_days == 0 { EARLIER_POINTS_MIN } else { 1 };
    if earlier.len() < points_min {
        let (excess, reason) = (f64::NEG_INFINITY, Reason::NothingExpected);
        return Some(Verdict { is_positive: false, value, excess, reason });
    }
    let (expected, variation) = expected(earlier);
    let allowed = definition.tolerance.max(0.0) * variation;
    let distance = match definition.operator.unwrap_or(Operator::AboveOrBelow) {
        Operator::Above | Operator::AboveOrEqual => value - expected,
        Operator::Below | Operator::BelowOrEqual => expected - value,
        Operator::AboveOrBelow => (value - expected).abs(),
    };
    let is_positive = distance > allowed;
    let reason = match is_positive {
        true => Reason::Unexpected { expected, allowed },
        false => Reason::AsExpected { expected, allowed },
    };
    Some(Verdict { is_positive, value, excess: distance - allowed, reason })
}

/// The median of some values, and how much they vary around it.
fn expected(mut values: Vec<f64>) -> (f64, f64) {
    let middle = median(&mut values);
    let mut distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    #[expect(clippy::cast_precision_loss, reason = "a mean of some thousand distances")]
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let median_distance = median(&mut distances);
    let variation = match median_distance > 0.0 {
        true => median_distance * MEDIAN_TO_DEVIATION,
        false => mean * MEAN_TO_DEVIATION,
    };
    (middle, variation.max(middle.abs() * VARIATION_SHARE_MIN))
}

/// The value in the middle, or the mean of the two that are. Values must not be empty.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        0 => values[half - 1].midpoint(values[half]),
        _ => values[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_change_neither_what_is_expected_nor_its_variation() {
        let (expected, variation) = expected(vec![10.0, 12.0, 11.0, 9.0, 1_000_000.0]);
        assert_eq!((expected, variation), (11.0, MEDIAN_TO_DEVIATION));
    }

    #[test]
    fn values_that_never_vary_allow_a_share_of_themselves() {
        assert_eq!(super::expected(vec![200.0; 5]), (200.0, 2.0));
        assert_eq!(super::expected(vec![0.0; 5]), (0.0, 0.0));
    }

    #[test]
    fn where_more_than_half_are_equal_the_mean_of_the_distances_counts() {
        assert_eq!(super::expected(vec![10.0, 10.0, 20.0, 10.0, 10.0]), (10.0, 2.0 * MEAN_TO_DEVIATION));
    }

    #[test]
    fn of_an_even_number_the_two_in_the_middle_count() {
        assert_eq!(super::expected(vec![5.0, 1.0]), (3.0, 2.0 * MEDIAN_TO_DEVIATION));
        assert_eq!(super::expected(vec![1.0, 100.0, 3.0, 5.0]).0, 4.0);
    }
}
