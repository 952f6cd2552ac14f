//! States that an earlier version has stored are still read. The samples are the rows of the catalogue in
//! `tests/formats` at the root of the repository; here is what each must mean.

use std::path::Path;

use serde_json::Value;
use tidegauge_alerting::{
    EVENTS_A_DAY_MAX, EVENTS_A_MINUTE_MAX, GroupKey, MatchedEvent, NotificationKind, Outcome, Point, Run,
    Samples, Series, State, Window, evaluate, resolved_by_hand,
};
use tidegauge_model::monitor::{Definition, MonitorKind};
use tidegauge_model::{MonitorId, Timestamp};

use crate::support::{definition, threshold};

const HIGH_WATER: &str = "mon_018bcfe5680070008000000000000181";
const SHIPS: &str = "mon_018bcfe5680070008000000000000182";
const ODD_TIDES: &str = "mon_018bcfe5680070008000000000000183";

/// The state of a monitor in the sample of a schema version.
fn stored(version: u32, monitor: &str) -> State {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/formats");
    let text = std::fs::read_to_string(formats.join(format!("v{version}/catalog.json"))).unwrap();
    let tables: Value = serde_json::from_str(&text).unwrap();
    let mut rows = tables["monitor_watch"].as_array().unwrap().iter();
    let row = rows.find(|row| row["monitor_id"] == monitor).unwrap();
    State::from_text(row["state"].as_str().unwrap()).unwrap()
}

/// So many seconds after the time that the sample begins with.
fn seconds(seconds: i64) -> Timestamp {
    Timestamp::from_micros((1_700_000_000 + seconds) * 1_000_000)
}

fn run(monitor: &str, at: i64) -> Run {
    let window = Window { start: seconds(at - 60), end: seconds(at) };
    Run { monitor: MonitorId::from(monitor), at: seconds(at), window }
}

fn place(name: &str) -> GroupKey {
    vec![("place".to_owned(), name.to_owned())]
}

fn told(outcome: &Outcome) -> Vec<(NotificationKind, &str, GroupKey)> {
    outcome
        .notifications
        .iter()
        .map(|notification| (notification.kind, notification.incident.as_str(), notification.group.clone()))
        .collect()
}

#[test]
fn groups_of_version_6_are_still_read() {
    let state = stored(6, HIGH_WATER);
    assert_eq!((state.is_open(), state.is_matching(), state.failures()), (true, false, 1));
    assert_eq!(state.seen_to(), Some(seconds(1_570)));
    assert_eq!(state.open_groups().collect::<Vec<_>>(), [(&place("east"), seconds(1_000))]);

    let incident = format!("{HIGH_WATER}-1700001000000000");
    let by_group = Definition { notifies_by_group: true, after_positives: 2, of_runs: 3, ..threshold() };
    let closed = [(NotificationKind::Closed, incident.as_str(), place("east"))];
    assert_eq!(told(&resolved_by_hand(&by_group, &state)), closed);

    let next = |before: &State, at: i64, value: f64| {
        let points = vec![Point::of(value)];
        let series = |name| Series { key: place(name), points: points.clone(), earlier: Vec::new() };
        let samples = Samples::Series(["east", "north", "west"].map(series).into());
        evaluate(&by_group, before, &run(HIGH_WATER, at), &samples)
    };
    // The first is open already, the second was closed by hand, and of the third a run before gave a reason.
    let opened = format!("{HIGH_WATER}-1700002200000000");
    assert_eq!(told(&next(&state, 2_200, 9.0)), [(NotificationKind::Opened, opened.as_str(), place("west"))]);
    // The last run before gave no reason.
    assert_eq!(told(&next(&state, 2_200, 0.0)), closed);
}

#[test]
fn events_of_version_6_are_still_read() {
    let mut state = stored(6, SHIPS);
    assert_eq!((state.is_open(), state.is_matching(), state.failures()), (true, true, 0));
    assert_eq!((state.seen_to(), state.open_groups().count()), (Some(seconds(160)), 0));

    let matching = definition(MonitorKind::MatchEvent);
    let incidents = ["77.1", "77.2"].map(|event| format!("{SHIPS}-{event}"));
    let closed =
        incidents.each_ref().map(|incident| (NotificationKind::Closed, incident.as_str(), GroupKey::new()));
    assert_eq!(told(&resolved_by_hand(&matching, &state)), closed);

    // Two were told in that minute and on that day.
    let event = |number: i64| MatchedEvent {
        id: format!("78.{number}"),
        time: seconds(number),
        json: "{}".to_owned(),
    };
    let many = Samples::Events((0..25).map(event).collect());
    let mut told_by_run = Vec::new();
    for minute in 0..60 {
        let outcome = evaluate(&matching, &state, &run(SHIPS, 160 + minute * 60), &many);
        told_by_run.push(outcome.notifications.len());
        state = outcome.state;
    }
    assert_eq!(told_by_run[..2], [EVENTS_A_MINUTE_MAX - 2, EVENTS_A_MINUTE_MAX]);
    assert_eq!(told_by_run.iter().sum::<usize>(), EVENTS_A_DAY_MAX - 2);
}

#[test]
fn the_state_before_the_first_run_of_version_6_is_still_read() {
    assert_eq!(stored(6, ODD_TIDES), State::default());
}
