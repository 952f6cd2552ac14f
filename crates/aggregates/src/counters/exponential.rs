//! Quantiles of exponential buckets. Within a bucket values are taken to be spread evenly by their logarithms, and
//! around zero evenly.

use super::histogram::Exponential;
use super::side::Side;

/// Where buckets lie, from the least to the greatest.
#[derive(Clone, Copy)]
enum Part {
    Negative(i64),
    Zero,
    Positive(i64),
}

pub(crate) fn of_exponential(share: f64, of: &Exponential) -> Option<f64> {
    let total = of.total();
    if total <= 0.0 {
        return None;
    }
    let rank = share * total;
    let mut below = 0.0;
    let mut last = None;
    let negative =
        of.negative.buckets().iter().rev().map(|(number, count)| (Part::Negative(*number), *count));
    let positive = of.positive.buckets().iter().map(|(number, count)| (Part::Positive(*number), *count));
    for (part, count) in negative.chain([(Part::Zero, of.zero_count)]).chain(positive) {
        if count <= 0.0 {
            continue;
        }
        if below + count >= rank {
            return Some(at(part, ((rank - below) / count).clamp(0.0, 1.0), of));
        }
        below += count;
        last = Some(part);
    }
    // Sums of fractions may come out a little less than the total.
    last.map(|part| at(part, 1.0, of))
}

/// The value at a part of a bucket.
fn at(part: Part, fraction: f64, of: &Exponential) -> f64 {
    let power = |number: f64| (number * f64::from(-of.scale).exp2()).exp2().min(f64::MAX);
    match part {
        Part::Positive(number) => power(number as f64 + fraction),
        Part::Negative(number) => -power(number as f64 + 1.0 - fraction),
        Part::Zero => {
            let is_empty = |side: &Side| side.buckets().is_empty();
            // What is near to zero has the sign of all else.
            let has = (!is_empty(&of.negative), !is_empty(&of.positive));
            let start = if has == (false, true) { 0.0 } else { -of.zero_threshold };
            let end = if has == (true, false) { 0.0 } else { of.zero_threshold };
            start + (end - start) * fraction
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histogram::Histogram;
    use super::*;

    fn quantile(share: f64, json: &str) -> Option<f64> {
        let Some(Histogram::Exponential(exponential)) = Histogram::of_json(json) else { panic!("{json}") };
        of_exponential(share, &exponential)
    }

    #[test]
    fn values_lie_by_their_logarithms() {
        let positive = r#"{"scale":0,"zero_count":0,"positive.offset":1,"positive.counts":[2,2]}"#;
        assert_eq!(quantile(0.5, positive), Some(4.0));
        assert_eq!(quantile(1.0, positive), Some(8.0));
        assert_eq!(quantile(0.25, positive), Some(2.0 * 2.0_f64.sqrt()));
        let negative = r#"{"scale":0,"zero_count":0,"negative.offset":1,"negative.counts":[2,2]}"#;
        assert_eq!(quantile(0.5, negative), Some(-4.0));
        assert_eq!(quantile(0.0, negative), Some(-8.0));
        let zero = r#"{"scale":3,"zero_count":8,"zero_threshold":0.5}"#;
        assert_eq!(quantile(0.75, zero), Some(0.25));
        assert_eq!(quantile(0.5, r#"{"scale":3,"zero_count":0}"#), None);
    }

    #[test]
    fn coarser_buckets_hold_the_same() {
        let fine = r#"{"scale":1,"zero_count":1,"zero_threshold":0,"positive.offset":-3,"positive.counts":[1,2,3,4,5]}"#;
        let Some(Histogram::Exponential(fine)) = Histogram::of_json(fine) else { panic!() };
        let coarse = fine.coarser(0, 0.0);
        // Numbers -3 to 1 become -2, -1, -1, 0, 0.
        assert_eq!(coarse.positive.buckets(), [(-2, 1.0), (-1, 5.0), (0, 9.0)]);
        // What begins below a half belongs to zero then.
        let wide = fine.coarser(0, 0.5);
        assert_eq!((wide.zero_count, wide.positive.buckets()), (2.0, [(-1, 5.0), (0, 9.0)].as_slice()));
    }
}
