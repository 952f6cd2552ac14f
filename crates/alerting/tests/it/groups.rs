//! Groups with states of their own.

use tidegauge_alerting::{GROUPS_MAX, NotificationKind, Outcome, Point, Samples, Series, body};

use crate::support::{Machine, hosts, key, nothing, threshold};

use NotificationKind::{Closed, Opened, Repeated};

fn by_group() -> Machine {
    let mut definition = threshold();
    definition.notifies_by_group = true;
    Machine::new(definition)
}

fn told(kind: NotificationKind, host: &str) -> (NotificationKind, String) {
    (kind, host.to_owned())
}

#[test]
fn each_group_has_its_own_state() {
    let mut machine = by_group();
    assert_eq!(machine.notifications(&hosts(&[("a", 9.0), ("b", 1.0)])), [told(Opened, "a")]);
    assert_eq!(machine.notifications(&hosts(&[("a", 9.0), ("b", 7.0)])), [told(Opened, "b")]);
    assert_eq!(machine.notifications(&hosts(&[("a", 1.0), ("b", 7.0)])), [told(Closed, "a")]);
    // A group that is not in the answer any more has ended.
    assert_eq!(machine.notifications(&hosts(&[("a", 1.0)])), [told(Closed, "b")]);
}

#[test]
fn groups_that_open_in_one_run_are_one_message_and_end_with_the_last() {
    let mut machine = by_group();
    let outcome = machine.next(&hosts(&[("a", 7.0), ("b", 9.0), ("c", 8.0)]));
    assert_eq!(outcome.notifications.len(), 1);
    assert_eq!(outcome.notifications[0].group, key("b"));
    let text = "Current value of 9 is above the threshold value of 5, for host = b and 2 more groups";
    assert_eq!(body(&machine.definition, &outcome.notifications[0]), text);
    assert_eq!(outcome.checks.len(), 4);
    let incident = outcome.notifications[0].incident.clone();
    assert_eq!(machine.notifications(&hosts(&[("a", 7.0), ("b", 1.0), ("c", 1.0)])), []);
    let outcome = machine.next(&hosts(&[("a", 1.0)]));
    assert_eq!((outcome.notifications[0].kind, &outcome.notifications[0].incident), (Closed, &incident));
    assert!(outcome.state.open_groups().next().is_none());
}

#[test]
fn one_message_a_run_repeats_for_all_groups() {
    let mut machine = by_group();
    machine.definition.notifies_every_run = true;
    machine.next(&hosts(&[("a", 7.0), ("b", 9.0)]));
    assert_eq!(machine.notifications(&hosts(&[("a", 7.0), ("b", 6.0)])), [told(Repeated, "a")]);
    assert_eq!(machine.notifications(&hosts(&[("a", 7.0), ("b", 6.0), ("c", 6.0)])), [told(Opened, "c")]);
}

#[test]
fn a_message_says_for_how_many_groups_it_stands() {
    let mut machine = by_group();
    machine.definition.notifies_every_run = true;
    let others = |outcome: Outcome| {
        outcome
            .notifications
            .iter()
            .map(|notification| (notification.kind, notification.others))
            .collect::<Vec<_>>()
    };
    let high = hosts(&[("a", 7.0), ("b", 9.0), ("c", 8.0)]);
    assert_eq!(others(machine.next(&high)), [(Opened, 2)]);
    assert_eq!(others(machine.next(&high)), [(Repeated, 2)]);
    assert_eq!(others(machine.next(&hosts(&[("a", 1.0), ("b", 1.0), ("c", 1.0)]))), [(Closed, 2)]);
}

#[test]
fn no_data_at_all_is_an_alert_beside_those_of_the_groups() {
    let mut machine = by_group();
    machine.definition.alerts_on_no_data = true;
    machine.next(&hosts(&[("a", 9.0)]));
    assert_eq!(machine.notifications(&nothing()), [told(Opened, "")]);
    assert_eq!(machine.state.open_groups().count(), 2);
    assert_eq!(machine.notifications(&hosts(&[("a", 9.0)])), [told(Closed, "")]);
    assert_eq!(machine.notifications(&hosts(&[("a", 1.0)])), [told(Closed, "a")]);
}

#[test]
fn groups_end_when_the_definition_does_not_ask_for_them_any_more() {
    let mut machine = by_group();
    machine.next(&hosts(&[("a", 9.0)]));
    machine.definition.notifies_by_group = false;
    let mut told_now = machine.notifications(&hosts(&[("a", 9.0)]));
    told_now.sort_by_key(|(_, host)| host.clone());
    assert_eq!(told_now, [told(Opened, ""), told(Closed, "a")]);
}

#[test]
fn only_so_many_groups_are_followed_and_those_furthest_out_first() {
    let mut machine = by_group();
    let series = |number: u32| Series {
        key: key(&number.to_string()),
        points: vec![Point::of(10.0 + f64::from(number))],
        earlier: Vec::new(),
    };
    let many = u32::try_from(GROUPS_MAX).unwrap() + 500;
    let outcome = machine.next(&Samples::Series((0..many).map(series).collect()));
    assert_eq!(outcome.state.open_groups().count(), GROUPS_MAX);
    assert!(outcome.state.open_groups().all(|(key, _)| key[0].1.parse::<u32>().unwrap() >= 500));
    assert_eq!(outcome.checks.len(), 1 + 100, "that of the run, and of so many groups");
    assert!(outcome.state.to_text().len() < 200_000);
}

#[test]
fn a_state_has_only_what_is_not_usual() {
    let mut machine = by_group();
    let empty = machine.next(&hosts(&[("a", 1.0), ("b", 1.0)])).state.to_text();
    machine.next(&hosts(&[("a", 9.0), ("b", 1.0)]));
    let over = machine.next(&hosts(&[("a", 1.0), ("b", 1.0)])).state.to_text();
    assert_eq!(empty.len(), over.len());
}
