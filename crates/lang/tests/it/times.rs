//! Time ranges and resolutions of dataset queries.

use tidegauge_lang::dataset_query::{DatasetQuery, Surroundings, Translated, translate};
use tidegauge_lang::tree::{Stage, TimeRange};
use tidegauge_model::Rule;

use crate::groups::count_of_all;
use crate::support::{NOW, SECOND, around, hour, refusal, translated, violation};

const HOUR: i64 = 3_600 * SECOND;

fn over(start: &str, end: &str, resolution: &str) -> DatasetQuery {
    DatasetQuery {
        start_time: Some(start.to_owned()),
        end_time: Some(end.to_owned()),
        resolution: Some(resolution.to_owned()),
        aggregations: vec![count_of_all()],
        ..DatasetQuery::default()
    }
}

fn step(translated: &Translated) -> i64 {
    let step = translated.query.stages.iter().find_map(|stage| match stage {
        Stage::Summarize(summarize) => summarize.bucket.map(|bucket| bucket.step),
        _ => None,
    });
    step.unwrap()
}

fn step_around(query: &DatasetQuery, around: Surroundings) -> i64 {
    step(&translate("logs", query, around).unwrap())
}

#[test]
fn ranges_are_read_in_every_form() {
    for (start, end, expected) in [
        ("2026-07-01T09:00:00Z", "2026-07-01T10:00:00Z", (NOW - HOUR, NOW)),
        ("2026-07-01T11:00:00+02:00", "2026-07-01T10:00:00.123456Z", (NOW - HOUR, NOW + 123_456_000)),
        ("2026-07-01T09:00:00.000000001Z", "now", (NOW - HOUR + 1, NOW)),
        ("now-1d12h", "now+5m", (NOW - 36 * HOUR, NOW + 300 * SECOND)),
        ("0001-01-01T00:00:00Z", "now", (i64::MIN, NOW)),
        ("now", "0001-01-01T00:00:00Z", (NOW, i64::MAX)),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", (i64::MIN, i64::MAX)),
        ("0001-01-02T00:00:00Z", "9999-12-31T23:59:59Z", (i64::MIN, i64::MAX)),
        ("2500-01-01T00:00:00Z", "2600-01-01T00:00:00Z", (i64::MAX, i64::MAX)),
    ] {
        let range = translated(&over(start, end, "auto")).range;
        assert_eq!((range.start, range.end), expected, "{start} {end}");
    }
    let decade = translated(&over("2018-01-01T00:00:00Z", "2028-01-01T00:00:00Z", "auto"));
    assert_eq!(step(&decade), 28 * 24 * HOUR);
}

#[test]
fn the_range_is_where_the_rows_come_from() {
    let translated = translated(&hour());
    let tidegauge_lang::tree::Source::Dataset { name, range, .. } = translated.query.source else {
        panic!("the source is a dataset");
    };
    assert_eq!((name.as_str(), range), ("logs", TimeRange { start: NOW - HOUR, end: NOW }));
    assert_eq!(range, translated.range);
}

#[test]
fn times_and_resolution_are_required() {
    for (query, field) in [
        (DatasetQuery { start_time: None, ..hour() }, "startTime"),
        (DatasetQuery { end_time: None, ..hour() }, "endTime"),
        (DatasetQuery { resolution: None, ..hour() }, "resolution"),
    ] {
        let violation = violation(&query);
        assert_eq!((violation.field.as_str(), violation.rule), (field, Rule::Required));
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_the_forms() {
    for (query, message) in [
        (
            over("yesterday", "now", "auto"),
            "startTime in body must be a timestamp such as 2026-07-01T10:00:00Z, or relative such as now, now-1h or \
             now-1d12h",
        ),
        (
            over("now-1h", "1782900000", "auto"),
            "endTime in body must be a timestamp such as 2026-07-01T10:00:00Z, or relative such as now, now-1h or \
             now-1d12h",
        ),
        (over("now", "now-1h", "auto"), "endTime in body must be after startTime"),
        (over("now", "now", "auto"), "endTime in body must be after startTime"),
        (
            over("now-1h", "now", "fine"),
            "resolution in body must be auto, a number of seconds such as 15, or a duration such as 1m30s or 500ms",
        ),
        (
            over("now-1h", "now", "-15s"),
            "resolution in body must be auto, a number of seconds such as 15, or a duration such as 1m30s or 500ms",
        ),
    ] {
        assert_eq!(refusal(&query), message);
    }
}

#[test]
fn a_resolution_is_a_thousandth_to_a_hundredth_of_the_range() {
    for (resolution, expected) in [
        ("auto", 30 * SECOND),
        ("AUTO", 30 * SECOND),
        ("15", 15 * SECOND),
        ("3.6", 3_600_000_000),
        ("15s", 15 * SECOND),
        ("0m36s", 36 * SECOND),
        ("5000ms", 5 * SECOND),
    ] {
        assert_eq!(step(&translated(&over("now-1h", "now", resolution))), expected, "{resolution}");
    }
    for (resolution, rule) in [
        ("1m0s", Rule::Maximum),
        ("37", Rule::Maximum),
        ("3", Rule::Minimum),
        ("0", Rule::Minimum),
        ("500ms", Rule::Minimum),
    ] {
        let violation = violation(&over("now-1h", "now", resolution));
        assert_eq!((violation.field.as_str(), violation.rule), ("resolution", rule), "{resolution}");
        assert!(violation.problem.contains("auto or from 3.6s to 36s"), "{}", violation.problem);
    }
    let events = DatasetQuery { resolution: Some("1h".to_owned()), ..hour() };
    assert_eq!(violation(&events).rule, Rule::Maximum, "also without aggregations");
}

#[test]
fn an_open_range_is_as_long_as_its_events() {
    let open = over("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "auto");
    let stored = Surroundings { data: Some((NOW - 2 * HOUR, NOW - HOUR)), ..around() };
    assert_eq!(step_around(&open, stored), 30 * SECOND);
    assert_eq!(step_around(&open, around()), 600 * SECOND, "a day if nothing is known");

    let fine = DatasetQuery { resolution: Some("15s".to_owned()), ..open.clone() };
    assert_eq!(step_around(&fine, stored), 15 * SECOND);
    assert_eq!(step_around(&fine, around()), 15 * SECOND, "nothing to compare it with");
    let coarse = DatasetQuery { resolution: Some("1h".to_owned()), ..open };
    assert!(translate("logs", &coarse, stored).is_err());
}

#[test]
fn the_licence_cuts_what_is_older_than_its_window() {
    let around = Surroundings { window_seconds_max: 600, ..around() };
    let cut = |start: &str, end: &str| {
        let translated = translate("logs", &over(start, end, "auto"), around).unwrap();
        (translated.range.start - NOW, translated.range.end - NOW, translated.is_window_cut)
    };
    assert_eq!(cut("now-1h", "now"), (-600 * SECOND, 0, true));
    assert_eq!(cut("now-10m", "now"), (-600 * SECOND, 0, false));
    assert_eq!(cut("now-5m", "now"), (-300 * SECOND, 0, false));
    assert_eq!(cut("now-2h", "now-1h"), (-HOUR, -HOUR, true), "nothing is left of it");
    let open = translate("logs", &over("0001-01-01T00:00:00Z", "now", "auto"), around).unwrap();
    assert_eq!((open.range.start, open.is_window_cut), (NOW - 600 * SECOND, true));
    assert!(!translated(&over("now-1h", "now", "auto")).is_window_cut);
}

#[test]
fn a_cut_range_has_buckets_for_what_is_left_and_accepts_what_was_meant_for_all() {
    let around = Surroundings { window_seconds_max: 600, ..around() };
    assert_eq!(step_around(&over("now-1h", "now", "auto"), around), 5 * SECOND);
    assert_eq!(step_around(&over("now-1h", "now", "30s"), around), 30 * SECOND);
}

#[test]
fn a_stored_range_holds_its_ends() {
    assert!(TimeRange::ALL.contains(i64::MIN) && TimeRange::ALL.contains(i64::MAX));
    let range = TimeRange { start: 1, end: 3 };
    assert_eq!([0, 1, 2, 3].map(|time| range.contains(time)), [false, true, true, false]);
}
