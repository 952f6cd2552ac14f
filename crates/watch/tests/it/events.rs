//! Events that match: each is told once, and no more than people can read.

use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{AlertState, MonitorKind};
use tidegauge_watch::{
    EVENT_BYTES_MAX, EVENTS_A_DAY_MAX, EVENTS_A_MINUTE_MAX, MatchedEvent, Readings, Reason, TellKind,
    resolved_by_hand,
};

use crate::support::{Watch, definition, number, threshold};

fn events(count: usize) -> Readings {
    let event = |number: usize| MatchedEvent {
        id: format!("row-{number}"),
        time: Timestamp::from_micros(i64::try_from(number).unwrap()),
        json: format!(r#"{{"n":{number}}}"#),
    };
    Readings::Events((0..count).rev().map(event).collect())
}

fn watch() -> Watch {
    Watch::new(definition(MonitorKind::MatchEvent))
}

#[test]
fn each_event_is_told_the_oldest_first() {
    let mut watch = watch();
    let outcome = watch.next(&events(3));
    let told: Vec<_> = outcome.tells.iter().map(|tell| tell.event.as_deref().unwrap()).collect();
    assert_eq!(told, [r#"{"n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#]);
    assert!(outcome.tells.iter().all(|tell| tell.kind == TellKind::Opened));
    assert_ne!(outcome.tells[0].incident, outcome.tells[1].incident);
    assert_eq!((outcome.checks[0].state, outcome.checks[0].value), (AlertState::Open, Some(3.0)));
    let outcome = watch.next(&events(0));
    assert!(outcome.tells.is_empty());
    assert_eq!((outcome.checks[0].state, outcome.checks[0].is_change), (AlertState::Closed, true));
}

#[test]
fn a_minute_and_a_day_have_bounds() {
    let mut watch = watch();
    let outcome = watch.next(&events(25));
    assert_eq!(outcome.tells.len(), EVENTS_A_MINUTE_MAX);
    assert_eq!(outcome.checks[0].reason, Reason::Matched { count: 25, untold: 15 });
    let told: usize = (0..100).map(|_| watch.next(&events(25)).tells.len()).sum();
    assert_eq!(told, EVENTS_A_DAY_MAX - EVENTS_A_MINUTE_MAX);
    watch.minute += 24 * 60;
    assert_eq!(watch.next(&events(25)).tells.len(), EVENTS_A_MINUTE_MAX);
}

#[test]
fn a_large_event_is_told_without_its_text() {
    let json = "x".repeat(EVENT_BYTES_MAX + 1);
    let event = MatchedEvent { id: "row".to_owned(), time: Timestamp::from_micros(1), json };
    let outcome = watch().next(&Readings::Events(vec![event]));
    assert_eq!((outcome.tells[0].event.as_deref(), &outcome.tells[0].reason), (None, &Reason::MatchedLarge));
    let json = "x".repeat(EVENT_BYTES_MAX);
    let event = MatchedEvent { id: "row".to_owned(), time: Timestamp::from_micros(1), json: json.clone() };
    let outcome = watch().next(&Readings::Events(vec![event]));
    assert_eq!(outcome.tells[0].event, Some(json));
}

#[test]
fn of_many_events_the_newest_hundred_can_be_closed_by_hand() {
    let mut watch = watch();
    let told: Vec<String> =
        (0..12).flat_map(|_| watch.next(&events(10)).tells).map(|tell| tell.incident).collect();
    assert_eq!(told.len(), 120);
    assert_eq!(resolved_by_hand(&watch.definition, &watch.state).tells.len(), 10, "each incident once");
    assert_eq!(watch.state.to_text().matches("row-").count(), 100);
    watch.definition.is_resolvable = false;
    watch.state = tidegauge_watch::State::default();
    watch.next(&events(10));
    assert!(resolved_by_hand(&watch.definition, &watch.state).tells.is_empty());
}

#[test]
fn events_can_be_closed_by_hand() {
    let mut watch = watch();
    let opened = watch.next(&events(2));
    let closed = resolved_by_hand(&watch.definition, &watch.state);
    let incidents =
        |tells: &[tidegauge_watch::Tell]| tells.iter().map(|tell| tell.incident.clone()).collect::<Vec<_>>();
    assert_eq!(incidents(&opened.tells), incidents(&closed.tells));
    assert!(resolved_by_hand(&watch.definition, &closed.state).tells.is_empty());
}

#[test]
fn alerts_from_before_a_change_of_the_kind_end() {
    let mut watch = Watch::new(threshold());
    let opened = watch.next(&number(9.0));
    watch.definition.kind = MonitorKind::MatchEvent;
    let outcome = watch.next(&events(0));
    assert_eq!(outcome.tells[0].kind, TellKind::Closed);
    assert_eq!(outcome.tells[0].incident, opened.tells[0].incident);
}
