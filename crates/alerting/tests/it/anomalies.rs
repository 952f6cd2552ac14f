//! Numbers against what is expected of them.

use tidegauge_alerting::{Outcome, Point, Reason, Samples, Series};
use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};

use crate::support::{MINUTE, Machine, definition, key};

fn anomaly(operator: Operator) -> Definition {
    let mut definition = definition(MonitorKind::AnomalyDetection);
    definition.operator = Some(operator);
    definition
}

/// One point for each minute.
fn series(values: &[f64]) -> Series {
    let point = |(minute, value): (usize, &f64)| Point {
        time: Some(Timestamp::from_micros(i64::try_from(minute).unwrap() * MINUTE)),
        value: *value,
        is_whole: true,
    };
    Series { points: values.iter().enumerate().map(point).collect(), ..Series::default() }
}

fn outcome(definition: Definition, series: Series) -> Outcome {
    Machine::new(definition).next(&Samples::Series(vec![series]))
}

#[test]
fn the_newest_value_is_compared_with_those_before_it() {
    let usual = [10.0, 12.0, 11.0, 9.0, 10.0];
    let opens = |operator, newest: f64| {
        let values: Vec<f64> = usual.into_iter().chain([newest]).collect();
        !outcome(anomaly(operator), series(&values)).notifications.is_empty()
    };
    assert_eq!(
        [10.0, 14.0, 40.0, -20.0].map(|value| opens(Operator::Above, value)),
        [false, false, true, false]
    );
    assert_eq!([10.0, 40.0, -20.0].map(|value| opens(Operator::Below, value)), [false, false, true]);
    assert_eq!([10.0, 40.0, -20.0].map(|value| opens(Operator::AboveOrBelow, value)), [false, true, true]);
}

#[test]
fn a_stretch_that_is_not_over_is_not_judged() {
    let mut series = series(&[10.0, 12.0, 11.0, 9.0, 10.0, 0.0]);
    series.points[5].is_whole = false;
    assert!(outcome(anomaly(Operator::Below), series.clone()).notifications.is_empty());
    series.points[5].is_whole = true;
    assert!(!outcome(anomaly(Operator::Below), series).notifications.is_empty());
}

#[test]
fn too_few_values_expect_nothing() {
    let found = outcome(anomaly(Operator::Above), series(&[1.0, 1.0, 1_000.0]));
    assert!(found.notifications.is_empty());
    assert_eq!(found.checks[0].reason, Reason::NothingExpected);
    // Three are enough.
    assert!(!outcome(anomaly(Operator::Above), series(&[1.0, 1.0, 1.0, 1_000.0])).notifications.is_empty());
}

#[test]
fn what_is_just_allowed_is_not_told() {
    let newest = |value: f64| outcome(anomaly(Operator::Above), series(&[200.0, 200.0, 200.0, value]));
    // A share of one in a hundred, three times.
    let (expected, allowed) = (200.0, 6.0);
    assert_eq!(newest(206.0).checks[0].reason, Reason::AsExpected { expected, allowed });
    assert_eq!(newest(206.5).notifications[0].reason, Reason::Unexpected { expected, allowed });
}

#[test]
fn of_several_groups_the_one_is_told_that_is_furthest_beyond_what_is_allowed() {
    let of = |host: &str, values: &[f64]| Series { key: key(host), ..series(values) };
    let mut definition = anomaly(Operator::Above);
    definition.notifies_by_group = true;
    let groups = vec![
        // Far from what is expected, and much is allowed.
        of("varies", &[100.0, 110.0, 90.0, 105.0, 95.0, 125.0]),
        of("steady", &[10.0, 10.0, 10.0, 20.0]),
        // Many times what is allowed, and not far.
        of("small", &[1.0, 1.0, 1.0, 3.0]),
    ];
    let found = Machine::new(definition).next(&Samples::Series(groups));
    assert_eq!((found.notifications[0].group.clone(), found.notifications[0].others), (key("steady"), 2));
}

#[test]
fn earlier_days_tell_what_is_expected_where_that_was_asked_for() {
    let mut definition = anomaly(Operator::Above);
    definition.compare_days = 2;
    let of_days = |newest: f64, earlier: &[f64]| Series {
        points: vec![Point::of(newest)],
        earlier: earlier.to_vec(),
        ..Series::default()
    };
    assert!(!outcome(definition.clone(), of_days(100.0, &[10.0, 12.0])).notifications.is_empty());
    assert!(outcome(definition.clone(), of_days(100.0, &[90.0, 110.0])).notifications.is_empty());
    assert!(
        !outcome(definition.clone(), of_days(100.0, &[10.0])).notifications.is_empty(),
        "one day is enough"
    );
    assert!(outcome(definition, of_days(100.0, &[])).notifications.is_empty());
}

#[test]
fn a_wider_tolerance_never_opens_more() {
    let values: Vec<f64> = (0..40).map(|number| f64::from(number * 37 % 11)).chain([25.0]).collect();
    let mut was_open = true;
    for tolerance in 0..20 {
        let mut definition = anomaly(Operator::AboveOrBelow);
        definition.tolerance = f64::from(tolerance);
        let is_open = !outcome(definition, series(&values)).notifications.is_empty();
        assert!(was_open || !is_open);
        was_open = is_open;
    }
    assert!(!was_open);
}
