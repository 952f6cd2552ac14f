//! Numbers against a threshold: what is told, and when.

use tidegauge_alerting::{
    CheckOutcome, NotificationKind, Point, Samples, Series, State, failed, message, resolved_by_hand,
};
use tidegauge_model::monitor::{AlertState, Operator};

use crate::support::{Machine, hosts, nothing, number, run, threshold};

use NotificationKind::{Closed, Opened, Repeated};

#[test]
fn entering_and_leaving_are_told_once() {
    let mut machine = Machine::new(threshold());
    let told: Vec<_> = [1.0, 6.0, 7.0, 5.0, 5.0, 9.0].map(|value| machine.kinds(&number(value))).into();
    assert_eq!(told, [vec![], vec![Opened], vec![], vec![Closed], vec![], vec![Opened]]);
}

#[test]
fn the_opening_and_the_end_name_the_same_incident() {
    let mut machine = Machine::new(threshold());
    let opened = machine.next(&number(6.0)).notifications.remove(0);
    let closed = machine.next(&number(1.0)).notifications.remove(0);
    let again = machine.next(&number(6.0)).notifications.remove(0);
    assert_eq!(opened.incident, closed.incident);
    assert_ne!(opened.incident, again.incident);
}

#[test]
fn operators_decide_on_the_side_and_on_equality() {
    let cases = [
        (Operator::Above, [false, false, true]),
        (Operator::AboveOrEqual, [false, true, true]),
        (Operator::Below, [true, false, false]),
        (Operator::BelowOrEqual, [true, true, false]),
        (Operator::AboveOrBelow, [true, false, true]),
    ];
    for (operator, expected) in cases {
        let opens = |value: f64| {
            let mut definition = threshold();
            definition.operator = Some(operator);
            !Machine::new(definition).kinds(&number(value)).is_empty()
        };
        assert_eq!([4.0, 5.0, 6.0].map(opens), expected, "{operator:?}");
    }
}

#[test]
fn any_number_of_the_answer_is_enough_and_the_furthest_is_told() {
    let points = [3.0, 9.0, f64::NAN, 7.0].map(Point::of).to_vec();
    let samples = Samples::Series(vec![Series { points, ..Series::default() }]);
    let outcome = Machine::new(threshold()).next(&samples);
    assert_eq!(outcome.notifications[0].value, 9.0);
    assert_eq!(outcome.checks[0].value, Some(9.0));
    // Groups have one state together where the definition does not ask for one each.
    let told = Machine::new(threshold()).notifications(&hosts(&[("a", 1.0), ("b", 8.0)]));
    assert_eq!(told, [(Opened, String::new())]);
}

#[test]
fn the_furthest_lies_on_the_side_that_is_told() {
    let cases = [
        (Operator::Below, 5.0, [4.0, -1.0, 3.0], -1.0),
        (Operator::BelowOrEqual, 5.0, [4.0, -1.0, 3.0], -1.0),
        (Operator::Above, -5.0, [-4.0, 3.0, 1.0], 3.0),
        (Operator::AboveOrEqual, -5.0, [-4.0, 3.0, 1.0], 3.0),
        (Operator::AboveOrBelow, 5.0, [6.0, 1.0, 8.0], 1.0),
    ];
    for (operator, limit, values, furthest) in cases {
        let mut definition = threshold();
        (definition.operator, definition.threshold) = (Some(operator), limit);
        let samples =
            Samples::Series(vec![Series { points: values.map(Point::of).to_vec(), ..Series::default() }]);
        assert_eq!(Machine::new(definition).next(&samples).notifications[0].value, furthest, "{operator:?}");
    }
}

#[test]
fn so_many_of_the_last_runs_must_give_a_reason() {
    let mut definition = threshold();
    (definition.after_positives, definition.of_runs) = (2, 3);
    let mut machine = Machine::new(definition);
    let told: Vec<_> = [9.0, 1.0, 9.0, 1.0, 1.0, 1.0].map(|value| machine.kinds(&number(value))).into();
    assert_eq!(told, [vec![], vec![], vec![Opened], vec![Closed], vec![], vec![]]);
}

#[test]
fn no_data_is_a_reason_only_where_it_was_asked_for() {
    let mut machine = Machine::new(threshold());
    assert_eq!(machine.kinds(&nothing()), []);
    assert_eq!(machine.kinds(&number(9.0)), [Opened]);
    // An alert that ends because nothing comes any more has the value 0.
    let outcome = machine.next(&nothing());
    assert_eq!((outcome.notifications[0].kind, outcome.notifications[0].value), (Closed, 0.0));
    assert_eq!(outcome.checks[0].outcome, CheckOutcome::NoData);

    let mut definition = threshold();
    definition.alerts_on_no_data = true;
    let mut machine = Machine::new(definition);
    let told: Vec<_> = [nothing(), nothing(), number(1.0), number(9.0), nothing()]
        .map(|samples| machine.kinds(&samples))
        .into();
    assert_eq!(told, [vec![Opened], vec![], vec![Closed], vec![Opened], vec![]]);
}

#[test]
fn every_run_is_told_and_ends_are_not_where_that_was_asked_for() {
    let mut definition = threshold();
    (definition.notifies_every_run, definition.skips_resolved) = (true, true);
    let mut machine = Machine::new(definition);
    let told: Vec<_> = [9.0, 9.0, 9.0, 1.0].map(|value| machine.kinds(&number(value))).into();
    assert_eq!(told, [vec![Opened], vec![Repeated], vec![Repeated], vec![]]);
}

#[test]
fn what_was_closed_by_hand_opens_again_after_it_was_over() {
    let mut machine = Machine::new(threshold());
    machine.next(&number(9.0));
    let outcome = resolved_by_hand(&machine.definition, &machine.state);
    assert_eq!(
        outcome.notifications.iter().map(|notification| notification.kind).collect::<Vec<_>>(),
        [Closed]
    );
    assert!(outcome.checks[0].is_change);
    machine.state = State::from_text(&outcome.state.to_text()).unwrap();
    let told: Vec<_> = [9.0, 9.0, 1.0, 9.0].map(|value| machine.kinds(&number(value))).into();
    assert_eq!(told, [vec![], vec![], vec![], vec![Opened]]);
}

#[test]
fn a_failing_query_is_kept_in_the_history_and_tells_nothing() {
    let mut machine = Machine::new(threshold());
    machine.next(&number(9.0));
    let first = failed(&machine.state, "no such field".to_owned());
    let second = failed(&first.state, "no such field".to_owned());
    assert_eq!((first.checks[0].state, first.checks[0].outcome), (AlertState::Open, CheckOutcome::Failed));
    assert!(first.checks[0].is_change && !second.checks[0].is_change);
    assert!(first.notifications.is_empty() && second.notifications.is_empty());
    assert_eq!(second.state.failures(), 2);
    machine.state = second.state;
    assert_eq!(machine.kinds(&number(9.0)), []);
    assert_eq!(machine.state.failures(), 0);
}

#[test]
fn messages_say_what_is_and_against_what() {
    let mut definition = threshold();
    definition.operator = Some(Operator::AboveOrEqual);
    let mut machine = Machine::new(definition);
    let outcome = machine.next(&number(57_347.0));
    let told = message(&machine.definition, &run(100), &outcome.notifications[0]);
    assert_eq!(told.title, "errors Triggered");
    assert_eq!(told.body, "Current value of 57347 is above or equal to the threshold value of 5");
    assert_eq!((told.state, told.value, told.group.len()), (AlertState::Open, 57_347.0, 0));
    let outcome = machine.next(&number(1.0));
    let told = message(&machine.definition, &run(101), &outcome.notifications[0]);
    assert_eq!(told.title, "errors Resolved");
    assert_eq!(told.body, "Current value of 1 is not above or equal to the threshold value of 5");
}

#[test]
fn a_state_of_an_unknown_form_is_not_taken_for_an_empty_one() {
    assert!(State::from_text(r#"{"form":2}"#).is_err());
    assert!(State::from_text("nothing like it").is_err());
    assert_eq!(State::from_text("").unwrap(), State::default());
    assert_eq!(State::from_text(r#"{"form":1}"#).unwrap(), State::default());
}
