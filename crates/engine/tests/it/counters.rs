//! Counters and histograms, computed from plain lists here: points of each series are sorted, and each is compared with
//! the one before it. The engine must come to the same wherever the points lie and however they are parted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use datafusion_common::ScalarValue;
use serde_json::{Value as Json, json};
use tidegauge_aggregates::{histogram_increase, histogram_quantile, increase};

use crate::aggregate_plans::Asked;
use crate::numbers::Numbers;
use crate::support::house::{House, Placement, SECOND, START, Way, block_on};
use crate::support::tables::{ask, rows};

/// A point of a counter, in half units.
#[derive(Clone, Debug)]
struct Point {
    second: i64,
    series: usize,
    halves: u64,
}

impl Point {
    fn job(&self) -> String {
        format!("j{}", self.series % 3)
    }

    /// Each fourth series sends what came since the point before.
    fn is_delta(&self) -> bool {
        self.series % 4 == 3
    }

    fn line(&self) -> String {
        let time = START / 1_000_000 + self.second * 1000;
        // Some numbers come as integers and some as floats.
        let value = if self.halves.is_multiple_of(2) {
            json!(self.halves / 2)
        } else {
            json!(self.halves as f64 / 2.0)
        };
        let temporality = if self.is_delta() { "delta" } else { "cumulative" };
        let (series, job) = (format!("s{}", self.series), self.job());
        json!({"_time": time, "series": series, "job": job, "value": value, "temporality": temporality})
            .to_string()
    }
}

/// Points of so many series, of so many seconds, some of which fall and some of which come twice, in any order.
fn points(rng: &mut Numbers, series: usize, each: usize, seconds: u64) -> Vec<Point> {
    let mut points = Vec::new();
    for series in 0..series {
        let times: BTreeSet<u64> = (0..each).map(|_| rng.below(seconds)).collect();
        let mut halves = rng.below(100);
        for second in times {
            halves = if rng.below(10) == 0 { rng.below(20) } else { halves + rng.below(9) };
            points.push(Point { second: second as i64, series, halves });
            if rng.below(8) == 0 {
                points.push(Point {
                    second: second as i64,
                    series,
                    halves: halves.saturating_sub(rng.below(3)),
                });
            }
        }
    }
    shuffle(rng, &mut points);
    points
}

fn shuffle<T>(rng: &mut Numbers, items: &mut [T]) {
    for place in (1..items.len()).rev() {
        items.swap(place, rng.below(place as u64 + 1) as usize);
    }
}

type Risen<K> = BTreeMap<K, Option<f64>>;

/// How much the counters of each job rose: in stretches of so many seconds, and in all.
fn risen(points: &[Point], step: i64) -> (Risen<(i64, String)>, Risen<String>) {
    let mut of_series: BTreeMap<usize, BTreeMap<i64, &Point>> = BTreeMap::new();
    for point in points {
        let kept = of_series.entry(point.series).or_default().entry(point.second).or_insert(point);
        if point.halves > kept.halves {
            *kept = point;
        }
    }
    let (mut stretches, mut totals): (Risen<_>, Risen<_>) = Default::default();
    for points in of_series.values() {
        let mut before: Option<u64> = None;
        for (second, point) in points {
            let rise = match before {
                _ if point.is_delta() => Some(point.halves),
                Some(before) if point.halves >= before => Some(point.halves - before),
                Some(_) => Some(point.halves),
                None => None,
            };
            before = Some(point.halves);
            let stretch = stretches.entry((second.div_euclid(step) * step, point.job())).or_default();
            let total = totals.entry(point.job()).or_default();
            if let Some(rise) = rise {
                *stretch = Some(stretch.unwrap_or(0.0) + rise as f64 / 2.0);
                *total = Some(total.unwrap_or(0.0) + rise as f64 / 2.0);
            }
        }
    }
    (stretches, totals)
}

/// The same as rows of an answer.
fn expected(points: &[Point], step: i64, seconds: f64) -> (Json, Json) {
    let (stretches, totals) = risen(points, step);
    let value = |rise: Option<f64>| json!(rise.map(|rise| rise / seconds));
    let time = |second: i64| {
        let (minute, second) = (second / 60, second % 60);
        format!("2027-01-15T{:02}:{:02}:{second:02}Z", 8 + minute / 60, minute % 60)
    };
    let stretches = stretches.iter().map(|((second, job), rise)| json!([time(*second), job, value(*rise)]));
    let totals = totals.iter().map(|(job, rise)| json!([job, json!(rise)]));
    (stretches.collect(), totals.collect())
}

fn bodies(points: &[Point], each: usize) -> Vec<String> {
    points
        .chunks(each)
        .map(|chunk| chunk.iter().map(Point::line).collect::<Vec<String>>().join("\n"))
        .collect()
}

#[test]
fn counters_rise_from_bucket_to_bucket_wherever_points_lie() {
    block_on(async {
        let house = House::new().await;
        let mut rng = Numbers(36);
        for placement in Placement::ALL {
            // Requests lie across each other in time.
            let points = points(&mut rng, 9, 60, 1200);
            let filled = house.filled(&bodies(&points, 97), placement).await;
            for way in Way::all(placement) {
                let apl = "logs | summarize n = increase(value, series) by bin(_time, 1m), job";
                let answer = ask(&house, Some(&filled.state), apl, *way).await;
                let (stretches, totals) = expected(&points, 60, 1.0);
                assert_eq!(rows(&answer.tables[0]), stretches, "{placement:?} {way:?}");
                assert_eq!(rows(&answer.tables[1]), totals, "{placement:?} {way:?}");
                let apl = "logs | summarize n = rate(value, series, 'x') by bin(_time, 20s), job";
                let answer = ask(&house, Some(&filled.state), apl, *way).await;
                assert_eq!(rows(&answer.tables[0]), expected(&points, 20, 20.0).0, "{placement:?} {way:?}");
                let apl = "logs | summarize n = increase(value, series) by job | sort by job asc";
                let answer = ask(&house, Some(&filled.state), apl, *way).await;
                assert_eq!(rows(&answer.tables[0]), totals, "{placement:?} {way:?}");
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn counters_of_more_than_a_hundred_thousand_points() {
    block_on(async {
        let house = House::new().await;
        let points = points(&mut Numbers(37), 240, 500, 3600);
        assert!(points.len() > 100_000, "{}", points.len());
        let filled = house.filled(&bodies(&points, 20_000), Placement::Both).await;
        let (stretches, totals) = expected(&points, 300, 1.0);
        for way in [Way::Threads, Way::Cached, Way::Cached] {
            let apl = "logs | summarize n = increase(value, series) by bin(_time, 5m), job";
            let answer = ask(&house, Some(&filled.state), apl, way).await;
            assert_eq!(rows(&answer.tables[0]), stretches, "{way:?}");
            assert_eq!(rows(&answer.tables[1]), totals, "{way:?}");
        }
        let apl = "logs | summarize n = increase(value, series) by bin(_time, 5m), job | limit 1";
        let answer = ask(&house, Some(&filled.state), apl, Way::Threads).await;
        let greatest = totals
            .as_array()
            .unwrap()
            .iter()
            .max_by(|one, other| one[1].as_f64().unwrap().total_cmp(&other[1].as_f64().unwrap()));
        assert_eq!(rows(&answer.tables[1]), json!([greatest.unwrap()]));
        let of_greatest = stretches.as_array().unwrap().iter().filter(|row| row[1] == greatest.unwrap()[0]);
        assert_eq!(rows(&answer.tables[0]), of_greatest.cloned().collect::<Json>());
    });
}

/// The value in the answer of an increase.
fn value_of(answer: &ScalarValue) -> ArrayRef {
    let ScalarValue::Struct(parts) = answer else { panic!("{answer:?}") };
    Arc::clone(parts.column(0))
}

#[test]
fn states_come_to_the_same_however_points_are_parted() {
    for seed in 0..6 {
        let points = points(&mut Numbers(1000 + seed), 5, 80, 900);
        let texts = points.iter().map(|point| format!("\"s{}\"", point.series));
        let inputs: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(points.iter().map(|point| point.second * SECOND))),
            Arc::new(Float64Array::from_iter_values(points.iter().map(|point| point.halves as f64 / 2.0))),
            Arc::new(StringViewArray::from_iter_values(texts)),
            Arc::new(points.iter().map(|point| Some(point.is_delta())).collect::<BooleanArray>()),
        ];
        let jobs = points.iter().map(|point| point.series as i64 % 3);
        let found = Asked::new(increase(), inputs).by(jobs).answer_in_all_ways();
        let (_, totals) = risen(&points, 60);
        for (job, answer) in found {
            let value = value_of(&answer);
            let value = value.as_primitive::<Float64Type>();
            let value = value.is_valid(0).then(|| value.value(0));
            assert_eq!(value, totals[&format!("j{job}")], "{seed} {job}");
        }
    }
}

/// Observations of a sender that counts them in exponential buckets: what it has counted by now, as it sends it. Its
/// scale falls as its range grows.
fn exponential(observed: &[f64], scale: i32) -> String {
    let mut buckets: BTreeMap<i64, u64> = BTreeMap::new();
    let mut zeros = 0;
    for value in observed {
        if *value == 0.0 {
            zeros += 1;
        } else {
            let number = (value.log2() * f64::from(scale).exp2()).ceil() as i64 - 1;
            *buckets.entry(number).or_default() += 1;
        }
    }
    let first = buckets.keys().next().copied().unwrap_or(0);
    let last = buckets.keys().last().copied().unwrap_or(-1);
    let counts: Vec<u64> = (first..=last).map(|number| buckets.get(&number).copied().unwrap_or(0)).collect();
    let histogram = json!({
        "scale": scale, "zero_count": zeros, "zero_threshold": 0.0, "positive.offset": first, "positive.counts": counts,
        "bounds": null,
    });
    histogram.to_string()
}

#[test]
fn exponential_histograms_come_near_to_what_was_observed() {
    for seed in 0..6 {
        let mut rng = Numbers(2000 + seed);
        let mut observed: Vec<f64> = Vec::new();
        let (mut sent, mut at_start) = (Vec::new(), 0);
        for moment in 0..12 {
            observed.extend((0..50).map(|_| match rng.below(20) {
                0 => 0.0,
                _ => rng.exponential() * 10.0_f64.powi(1 + moment / 4),
            }));
            sent.push(exponential(&observed, 5 - moment / 3));
            if moment == 0 {
                at_start = observed.len();
            }
        }
        let count = sent.len();
        let inputs: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(0..count as i64)),
            Arc::new(StringViewArray::from_iter_values(&sent)),
            Arc::new(StringViewArray::from_iter_values(std::iter::repeat_n("\"s\"", count))),
            Arc::new(BooleanArray::from(vec![false; count])),
        ];
        let mut order: Vec<u64> = (0..count as u64).collect();
        shuffle(&mut rng, &mut order);
        let order = arrow_array::UInt64Array::from(order);
        let inputs =
            inputs.iter().map(|input| arrow_select::take::take(input, &order, None).unwrap()).collect();
        let found = Asked::new(histogram_increase(), inputs).answer_in_all_ways();
        let increase = value_of(&found[&0]);
        let mut since: Vec<f64> = observed[at_start..].to_vec();
        since.sort_by(f64::total_cmp);
        for share in [0.0, 0.25, 0.5, 0.9, 0.99, 1.0] {
            let answer =
                Asked::new(histogram_quantile(share), vec![Arc::clone(&increase)]).answer_in_all_ways();
            let ScalarValue::Float64(Some(found)) = answer[&0] else { panic!("{answer:?}") };
            let rank = ((share * since.len() as f64).ceil() as usize).clamp(1, since.len());
            let exact = since[rank - 1];
            // The widest buckets have a scale of two: they end 2^(1/4) times as high as they begin.
            let wide = 2.0_f64.powf(0.25) + 1e-9;
            assert!(found >= exact / wide && found <= exact * wide, "{seed} {share}: {found} for {exact}");
        }
    }
}

/// A quantile of counts between bounds, by going through them one by one.
fn quantile_of(share: f64, bounds: &[f64], counts: &[u64]) -> Option<f64> {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return None;
    }
    let wanted = share * total as f64;
    let mut start = 0.0;
    let mut seen = 0.0;
    for (place, count) in counts.iter().enumerate() {
        let count = *count as f64;
        let Some(end) = bounds.get(place) else { return bounds.last().copied() };
        if count > 0.0 && seen + count >= wanted {
            return Some(start + (end - start) * (wanted - seen) / count);
        }
        seen += count;
        start = *end;
    }
    None
}

#[test]
fn quantiles_of_histograms_of_a_dataset() {
    block_on(async {
        let house = House::new().await;
        let mut rng = Numbers(38);
        let bounds = [0.5, 1.0, 2.5, 10.0];
        let mut lines: Vec<String> = Vec::new();
        // Counts that were added in each minute, by all series.
        let mut added: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
        for series in 0..4 {
            let mut counts = vec![0_u64; bounds.len() + 1];
            for second in (0..600).step_by(20) {
                let is_reset = rng.below(12) == 0;
                let more: Vec<u64> = counts.iter().map(|_| rng.below(6)).collect();
                // What began anew has fewer somewhere, if it had much.
                let is_seen = is_reset && more.iter().zip(&counts).any(|(more, before)| more < before);
                let rise = if is_reset && !is_seen {
                    more.iter().zip(&counts).map(|(more, before)| more - before).collect()
                } else {
                    more.clone()
                };
                counts = match is_reset {
                    true => more,
                    false => counts.iter().zip(&more).map(|(count, more)| count + more).collect(),
                };
                let all = added.entry(second / 60).or_insert_with(|| vec![0; bounds.len() + 1]);
                if second > 0 {
                    all.iter_mut().zip(&rise).for_each(|(all, rise)| *all += rise);
                }
                let time = START / 1_000_000 + second * 1000;
                lines.push(
                    json!({"_time": time, "series": format!("s{series}"), "bounds": bounds, "counts": counts}).to_string(),
                );
            }
        }
        shuffle(&mut rng, &mut lines);
        let bodies: Vec<String> = lines.chunks(31).map(|chunk| chunk.join("\n")).collect();
        for placement in Placement::ALL {
            let filled = house.filled(&bodies, placement).await;
            let apl = "logs | summarize h = histogram_increase(*, series) by bin(_time, 1m) \
                       | summarize q = histogram_quantile(0.9, h) by _time | sort by _time asc | project q";
            let found = rows(&ask(&house, Some(&filled.state), apl, Way::Threads).await.tables[0]);
            let expected: Vec<Option<f64>> =
                added.values().map(|counts| quantile_of(0.9, &bounds, counts)).collect();
            let found = found.as_array().unwrap();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                let (found, expected) = (found[0].as_f64(), *expected);
                let is_same = match (found, expected) {
                    (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
                    (found, expected) => found == expected,
                };
                assert!(is_same, "{placement:?}: {found:?} for {expected:?}");
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn what_cannot_be_read_is_no_histogram() {
    let texts = [
        "5",
        "{}",
        "[1, 2]",
        r#"{"bounds":[1,1],"counts":[1,1,1]}"#,
        r#"{"bounds":[1,2],"counts":[1,1]}"#,
        r#"{"bounds":[1,2],"counts":[1,-1,1]}"#,
        r#"{"bounds":[1,"x"],"counts":[1,1,1]}"#,
        r#"{"scale":99,"zero_count":1}"#,
        r#"{"scale":1,"positive.offset":9223372036854775807,"positive.counts":[1,1]}"#,
        r#"{"scale":0,"positive.offset":0,"positive.counts":[1,-1]}"#,
    ];
    let inputs: Vec<ArrayRef> = vec![Arc::new(StringViewArray::from_iter_values(texts))];
    let found = Asked::new(histogram_quantile(0.5), inputs).answer_in_all_ways();
    assert_eq!(found[&0], ScalarValue::Float64(None));
}
