//! The comparison of a field between two kinds of rows. Few different values are compared by their shares, with
//! chi-square and Cramér's V; many different numbers by their distributions, with the distance of Kolmogorov and Smirnov
//! and Cliff's delta. The score is on one scale for both: the greatest difference of shares.

use std::cmp::Ordering;
use std::fmt::Write;

use tidegauge_exec::kernels::json;

use super::super::values::Summary;
use super::field::{FieldValues, Seen};
use super::sides::Sides;
use super::statistics::{chi_square_tail, distance_tail};

/// Up to how many different numbers are compared as values.
const FEW_NUMBERS: usize = 20;
/// How many differences are told of a field.
pub(super) const DIFFERENCES_MAX: usize = 10;
/// How many ranges numbers are told in, of about equally many each.
const RANGES: u64 = 4;

/// What is told of a field.
#[derive(Debug)]
pub(super) struct Comparison {
    dimension: String,
    p_value: f64,
    delta_score: f64,
    effect_size: f64,
    /// How the median differs from that of the other rows, as a part of it.
    median_relative_change: Option<f64>,
    differences: Vec<Difference>,
    /// Whether there are more differences than are told.
    has_more: bool,
    rows: Sides,
}

/// A value, or a range of numbers, and how often it came.
#[derive(Debug)]
struct Difference {
    value: String,
    range: Option<(f64, f64)>,
    counts: Sides,
}

/// A number, and how often it came on both sides.
type Point = (f64, Sides);

impl Comparison {
    pub(super) fn new(dimension: &str, values: FieldValues, rows: Sides) -> Self {
        let seen = values.seen();
        let points = seen.numbers.as_ref().map(points).filter(|points| has_both_sides(points));
        let median_relative_change = points.as_deref().and_then(relative_change);
        let comparison = match points.filter(|points| is_of_many(points, seen.different)) {
            Some(points) => of_numbers(&points),
            None => of_values(&seen, rows),
        };
        Self { dimension: dimension.to_owned(), median_relative_change, ..comparison }
    }

    pub(super) fn has_more(&self) -> bool {
        self.has_more
    }

    /// The greatest score first.
    pub(super) fn order(one: &Self, other: &Self) -> Ordering {
        let score = other.delta_score.total_cmp(&one.delta_score);
        let effect = other.effect_size.total_cmp(&one.effect_size);
        score.then(effect).then_with(|| one.dimension.cmp(&other.dimension))
    }

    pub(super) fn write(&self, text: &mut String) {
        text.push_str("{\"dimension\":");
        json::write_string(&self.dimension, text);
        write_number("p_value", Some(self.p_value), text);
        write_number("delta_score", Some(self.delta_score), text);
        write_number("effect_size", Some(self.effect_size), text);
        write_number("median_relative_change", self.median_relative_change, text);
        text.push_str(",\"differences\":[");
        for (place, difference) in self.differences.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            difference.write(self.rows, text);
        }
        text.push_str("]}");
    }
}

impl Difference {
    fn write(&self, rows: Sides, text: &mut String) {
        text.push_str("{\"value\":");
        text.push_str(&self.value);
        if let Some((from, to)) = self.range {
            write_number("from", Some(from), text);
            write_number("to", Some(to), text);
        }
        // Products of whole numbers first, so that a share of one half is exactly that.
        let product = |one: u64, other: u64| one as f64 * other as f64;
        let ratio = product(self.counts[0], rows[1]) / product(self.counts[1], rows[0]);
        write_number("frequency_ratio", Some(ratio), text);
        // Writing to a text cannot fail.
        let [comparison_count, baseline_count] = self.counts;
        let _ = write!(text, ",\"comparison_count\":{comparison_count},\"baseline_count\":{baseline_count}");
        let percentage = |side: usize| Some(product(100, self.counts[side]) / rows[side] as f64);
        write_number("comparison_percentage", percentage(0), text);
        write_number("baseline_percentage", percentage(1), text);
        text.push('}');
    }
}

fn write_number(name: &str, number: Option<f64>, text: &mut String) {
    // Writing to a text cannot fail.
    let _ = match number.filter(|number| number.is_finite()) {
        Some(number) => write!(text, ",\"{name}\":{number:?}"),
        None => write!(text, ",\"{name}\":null"),
    };
}

/// Whether numbers are looked at by their size: where they are many, or mostly different.
fn is_of_many(points: &[Point], different: Option<usize>) -> bool {
    let count: u64 = totals(points).iter().sum();
    different.is_none_or(|different| different > FEW_NUMBERS || different as u64 * 2 > count)
}

fn shares(counts: Sides, rows: Sides) -> [f64; 2] {
    [0, 1].map(|side| counts[side] as f64 / (rows[side] as f64).max(1.0))
}

/// How much greater the share is on one side.
fn gap(counts: Sides, rows: Sides) -> f64 {
    let [comparison, baseline] = shares(counts, rows);
    (comparison - baseline).abs()
}

fn of_values(seen: &Seen, rows: Sides) -> Comparison {
    let known = seen.values.iter().map(|(_, counts)| *counts);
    let mut all: Vec<Sides> = known.collect();
    let counted = |side: usize| all.iter().map(|counts| counts[side]).sum::<u64>();
    let rest = [0, 1].map(|side| rows[side].saturating_sub(counted(side)));
    if rest.iter().sum::<u64>() > 0 {
        all.push(rest);
    }
    let (p_value, effect_size) = association(&all, rows);
    let differences = seen.values.iter().map(|(value, counts)| Difference {
        value: value.to_string(),
        range: None,
        counts: *counts,
    });
    let (differences, has_more) = notable(differences.collect(), rows);
    let delta_score = differences.first().map_or(0.0, |difference| gap(difference.counts, rows));
    let dimension = String::new();
    Comparison {
        dimension,
        p_value,
        delta_score,
        effect_size,
        median_relative_change: None,
        differences,
        has_more,
        rows,
    }
}

/// The greatest differences of shares, and whether there are more.
fn notable(mut differences: Vec<Difference>, rows: Sides) -> (Vec<Difference>, bool) {
    differences.retain(|difference| gap(difference.counts, rows) > 0.0);
    // The sort is stable, so that equal ones stay in the order of their values.
    differences.sort_by(|one, other| gap(other.counts, rows).total_cmp(&gap(one.counts, rows)));
    let has_more = differences.len() > DIFFERENCES_MAX;
    differences.truncate(DIFFERENCES_MAX);
    (differences, has_more)
}

/// How likely the counts are by chance, and how strongly the value goes with the side. The strength is Cramér's V with
/// the correction of Bergsma, without which a field of different values in all rows would be the strongest.
fn association(counts: &[Sides], rows: Sides) -> (f64, f64) {
    let total = (rows[0] + rows[1]) as f64;
    let mut chi_square = 0.0;
    for of_value in counts {
        let of_both = (of_value[0] + of_value[1]) as f64;
        for side in 0..2 {
            let expected = of_both * rows[side] as f64 / total;
            chi_square += (of_value[side] as f64 - expected).powi(2) / expected;
        }
    }
    let degrees = counts.len().saturating_sub(1) as f64;
    let corrected = (chi_square / total - degrees / (total - 1.0)).max(0.0);
    let columns = 2.0 - 1.0 / (total - 1.0);
    let values = counts.len() as f64 - degrees * degrees / (total - 1.0);
    let least = (columns - 1.0).min(values - 1.0);
    let strength = if least > 0.0 { (corrected / least).sqrt().min(1.0) } else { 0.0 };
    (chi_square_tail(chi_square, degrees), strength)
}

/// The numbers of both sides in order.
fn points(numbers: &[Summary; 2]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for (side, summary) in numbers.iter().enumerate() {
        let mut push = |number: f64, count: u64| {
            let mut counts = Sides::default();
            counts[side] = count;
            points.push((number, counts));
        };
        match summary {
            Summary::Exact(numbers) => numbers.iter().for_each(|number| push(*number, 1)),
            Summary::Estimate { buckets, .. } => {
                buckets.iter().for_each(|bucket| push(bucket.middle, bucket.count));
            }
        }
    }
    points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    points.dedup_by(|(next, added), (number, counts)| {
        let is_same = next == number;
        if is_same {
            counts.iter_mut().zip(*added).for_each(|(count, added)| *count += added);
        }
        is_same
    });
    points
}

fn totals(points: &[Point]) -> Sides {
    [0, 1].map(|side| points.iter().map(|(_, counts)| counts[side]).sum())
}

fn has_both_sides(points: &[Point]) -> bool {
    totals(points).iter().all(|count| *count > 0)
}

fn of_numbers(points: &[Point]) -> Comparison {
    let counts = totals(points);
    let [comparison, baseline] = counts.map(|count| count as f64);
    let mut before = Sides::default();
    let mut distance: f64 = 0.0;
    // How much more often a number is above one of the other side than below.
    let mut above = 0.0;
    for (_, here) in points {
        let baseline_after = baseline - (before[1] + here[1]) as f64;
        above += here[0] as f64 * (before[1] as f64 - baseline_after);
        before.iter_mut().zip(here).for_each(|(count, here)| *count += here);
        distance = distance.max((before[0] as f64 / comparison - before[1] as f64 / baseline).abs());
    }
    let (differences, has_more) = notable(ranges(points), counts);
    Comparison {
        dimension: String::new(),
        p_value: distance_tail(distance, [comparison, baseline]),
        delta_score: distance,
        effect_size: (above / (comparison * baseline)).abs(),
        median_relative_change: None,
        differences,
        has_more,
        rows: counts,
    }
}

/// Ranges with about equally many numbers of both sides together.
fn ranges(points: &[Point]) -> Vec<Difference> {
    let all: u64 = totals(points).iter().sum();
    let mut ranges = Vec::new();
    let mut seen = 0;
    let mut counts = Sides::default();
    let mut from = None;
    for (place, (number, here)) in points.iter().enumerate() {
        let start = *from.get_or_insert(*number);
        counts.iter_mut().zip(here).for_each(|(count, here)| *count += here);
        seen += here.iter().sum::<u64>();
        let is_last = place + 1 == points.len();
        if is_last || seen * RANGES >= all * (ranges.len() as u64 + 1) {
            let mut value = String::new();
            let mut plain = String::new();
            json::write_float(start, &mut plain);
            plain.push_str(" .. ");
            json::write_float(*number, &mut plain);
            json::write_string(&plain, &mut value);
            ranges.push(Difference { value, range: Some((start, *number)), counts });
            counts = Sides::default();
            from = None;
        }
    }
    ranges
}

/// How much the median differs from that of the other side, as a part of that.
fn relative_change(points: &[Point]) -> Option<f64> {
    let medians = [0, 1].map(|side| median(points, side));
    let [comparison, baseline] = medians;
    let change = (comparison? - baseline?) / baseline?.abs();
    change.is_finite().then_some(change)
}

/// The median by nearest rank.
fn median(points: &[Point], side: usize) -> Option<f64> {
    let rank = totals(points)[side].div_ceil(2);
    let mut seen = 0;
    let at = points.iter().find(|(_, counts)| {
        seen += counts[side];
        seen >= rank
    });
    at.map(|(number, _)| *number)
}
