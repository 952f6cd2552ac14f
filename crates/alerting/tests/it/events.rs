//! Events that match: each is told once, and no more than people can read.

use tidegauge_alerting::{
    EVENT_BYTES_MAX, EVENTS_A_DAY_MAX, EVENTS_A_MINUTE_MAX, MatchedEvent, NotificationKind, Reason, Samples,
    resolved_by_hand,
};
use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{AlertState, MonitorKind};

use crate::support::{Machine, definition, number, threshold};

fn events(count: usize) -> Samples {
    let event = |number: usize| MatchedEvent {
        id: format!("row-{number}"),
        time: Timestamp::from_micros(i64::try_from(number).unwrap()),
        json: format!(r#"{{"n":{number}}}"#),
    };
    Samples::Events((0..count).rev().map(event).collect())
}

fn machine() -> Machine {
    Machine::new(definition(MonitorKind::MatchEvent))
}

#[test]
fn each_event_is_told_the_oldest_first() {
    let mut machine = machine();
    let outcome = machine.next(&events(3));
    let told: Vec<_> =
        outcome.notifications.iter().map(|notification| notification.event.as_deref().unwrap()).collect();
    assert_eq!(told, [r#"{"n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#]);
    assert!(outcome.notifications.iter().all(|notification| notification.kind == NotificationKind::Opened));
    assert_ne!(outcome.notifications[0].incident, outcome.notifications[1].incident);
    assert_eq!((outcome.checks[0].state, outcome.checks[0].value), (AlertState::Open, Some(3.0)));
    let outcome = machine.next(&events(0));
    assert!(outcome.notifications.is_empty());
    assert_eq!((outcome.checks[0].state, outcome.checks[0].is_change), (AlertState::Closed, true));
}

#[test]
fn a_minute_and_a_day_have_bounds() {
    let mut machine = machine();
    let outcome = machine.next(&events(25));
    assert_eq!(outcome.notifications.len(), EVENTS_A_MINUTE_MAX);
    assert_eq!(outcome.checks[0].reason, Reason::Matched { count: 25, suppressed: 15 });
    let told: usize = (0..100).map(|_| machine.next(&events(25)).notifications.len()).sum();
    assert_eq!(told, EVENTS_A_DAY_MAX - EVENTS_A_MINUTE_MAX);
    machine.minute += 24 * 60;
    assert_eq!(machine.next(&events(25)).notifications.len(), EVENTS_A_MINUTE_MAX);
}

#[test]
fn what_watches_something_else_keeps_its_bounds_and_nothing_that_is_open() {
    let mut machine = machine();
    machine.next(&events(25));
    let before = machine.state.clone();
    machine.state = before.clone().anew();
    assert_eq!((machine.state.open_alerts(), machine.state.is_open()), (0, false));
    assert_eq!(machine.state.seen_to(), before.seen_to());
    machine.minute -= 1;
    assert_eq!(machine.next(&events(25)).notifications.len(), 0, "the minute has had its messages");
}

#[test]
fn a_large_event_is_told_without_its_text() {
    let json = "x".repeat(EVENT_BYTES_MAX + 1);
    let event = MatchedEvent { id: "row".to_owned(), time: Timestamp::from_micros(1), json };
    let outcome = machine().next(&Samples::Events(vec![event]));
    assert_eq!(
        (outcome.notifications[0].event.as_deref(), &outcome.notifications[0].reason),
        (None, &Reason::MatchedLarge)
    );
    let json = "x".repeat(EVENT_BYTES_MAX);
    let event = MatchedEvent { id: "row".to_owned(), time: Timestamp::from_micros(1), json: json.clone() };
    let outcome = machine().next(&Samples::Events(vec![event]));
    assert_eq!(outcome.notifications[0].event, Some(json));
}

#[test]
fn of_many_events_the_newest_hundred_can_be_closed_by_hand() {
    let mut machine = machine();
    let told: Vec<String> = (0..12)
        .flat_map(|_| machine.next(&events(10)).notifications)
        .map(|notification| notification.incident)
        .collect();
    assert_eq!(told.len(), 120);
    assert_eq!(
        resolved_by_hand(&machine.definition, &machine.state).notifications.len(),
        10,
        "each incident once"
    );
    assert_eq!(machine.state.to_text().matches("row-").count(), 100);
    machine.definition.is_resolvable = false;
    machine.state = tidegauge_alerting::State::default();
    machine.next(&events(10));
    assert!(resolved_by_hand(&machine.definition, &machine.state).notifications.is_empty());
}

#[test]
fn events_can_be_closed_by_hand() {
    let mut machine = machine();
    let opened = machine.next(&events(2));
    let closed = resolved_by_hand(&machine.definition, &machine.state);
    let incidents = |notifications: &[tidegauge_alerting::Notification]| {
        notifications.iter().map(|notification| notification.incident.clone()).collect::<Vec<_>>()
    };
    assert_eq!(incidents(&opened.notifications), incidents(&closed.notifications));
    assert!(resolved_by_hand(&machine.definition, &closed.state).notifications.is_empty());
}

#[test]
fn alerts_from_before_a_change_of_the_kind_end() {
    let mut machine = Machine::new(threshold());
    let opened = machine.next(&number(9.0));
    machine.definition.kind = MonitorKind::MatchEvent;
    let outcome = machine.next(&events(0));
    assert_eq!(outcome.notifications[0].kind, NotificationKind::Closed);
    assert_eq!(outcome.notifications[0].incident, opened.notifications[0].incident);
}
