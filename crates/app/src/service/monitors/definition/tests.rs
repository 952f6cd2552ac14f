//! Definitions as clients send them.

use super::*;

fn threshold() -> MonitorInput {
    MonitorInput {
        name: "Errors".to_owned(),
        apl_query: Some("['web'] | summarize count()".to_owned()),
        operator: Some("Above".to_owned()),
        threshold: Some(5.0),
        interval_minutes: Some(5),
        range_minutes: Some(10),
        ..MonitorInput::default()
    }
}

fn now() -> Timestamp {
    Timestamp::parse("2026-06-01T12:00:00Z").unwrap()
}

fn read_now(input: MonitorInput) -> Result<(Definition, Given), String> {
    read(input, now()).map_err(|violation| violation.to_string())
}

#[test]
fn defaults_are_put_in_their_places_and_answers_repeat_what_was_given() {
    let (definition, given) = read_now(threshold()).unwrap();
    assert_eq!(
        (definition.kind, definition.after_positives, definition.of_runs),
        (MonitorKind::Threshold, 1, 1)
    );
    assert_eq!(given, Given::default());
    let input = MonitorInput { trigger_after_n_positive_results: Some(3), ..threshold() };
    let (definition, given) = read_now(input).unwrap();
    assert_eq!((definition.after_positives, definition.of_runs), (3, 3));
    assert_eq!((given.after_positives, given.of_runs), (3, 0));
    let input = MonitorInput { kind: Some("AnomalyDetection".to_owned()), ..threshold() };
    let (definition, given) = read_now(input).unwrap();
    assert_eq!((definition.tolerance, given.tolerance), (TOLERANCE_DEFAULT, 0.0));
}

#[test]
fn a_monitor_of_events_needs_neither_an_operator_nor_minutes() {
    let input = MonitorInput {
        name: "Errors".to_owned(),
        kind: Some("MatchEvent".to_owned()),
        apl_query: Some("['web']".to_owned()),
        operator: Some(String::new()),
        interval_minutes: Some(0),
        ..MonitorInput::default()
    };
    let (definition, _) = read_now(input).unwrap();
    assert_eq!((definition.interval_minutes, definition.range_minutes, definition.operator), (1, 1, None));
}

#[test]
fn times_that_are_over_or_not_set_are_none() {
    for text in ["0001-01-01T00:00:00Z", "2026-06-01T11:59:59Z", ""] {
        let input = MonitorInput { disabled_until: Some(text.to_owned()), ..threshold() };
        assert_eq!(read_now(input).unwrap().0.disabled_until, None, "{text}");
    }
    let text = "2026-06-02T00:00:00+02:00";
    let input = MonitorInput { disabled_until: Some(text.to_owned()), ..threshold() };
    assert_eq!(read_now(input).unwrap().0.disabled_until.unwrap().text, text);
}

#[test]
fn a_query_of_metrics_counts_where_it_is_one_of_events() {
    let input = MonitorInput {
        apl_query: Some(String::new()),
        mpl_query: Some("['web'] | count".to_owned()),
        ..threshold()
    };
    assert_eq!(read_now(input).unwrap().0.query, "['web'] | count");
}

#[test]
fn notifiers_are_named_once_in_their_order() {
    let (one, two) = ("notify_01890a5dac96774bbcceb302099a8057", "notify_01890a5dac96774bbcceb302099a8056");
    let ids = [one, two, one].map(str::to_owned).to_vec();
    let (definition, _) = read_now(MonitorInput { notifier_ids: ids, ..threshold() }).unwrap();
    assert_eq!(definition.notifiers.iter().map(NotifierId::as_str).collect::<Vec<_>>(), [one, two]);
}

#[test]
fn words_that_are_not_allowed_are_named() {
    let text = |text: &str| Some(text.to_owned());
    let cases = [
        (
            MonitorInput { name: " ".to_owned(), ..threshold() },
            "name in body should be at least 1 chars long",
        ),
        (
            MonitorInput { kind: text("Other"), ..threshold() },
            "type in body must be one of [Threshold MatchEvent AnomalyDetection]",
        ),
        (MonitorInput { apl_query: None, ..threshold() }, "aplQuery in body is required"),
        (
            MonitorInput { mpl_query: text("x"), ..threshold() },
            "mplQuery in body must not be set beside aplQuery: a monitor has one query",
        ),
        (
            MonitorInput {
                apl_query: None,
                mpl_query: text("`m`:`cpu` | align to 1m using avg"),
                ..threshold()
            },
            "mplQuery in body is not understood: this service has no metrics, write the query in APL as aplQuery",
        ),
        (MonitorInput { operator: text(""), ..threshold() }, "operator in body is required"),
        (
            MonitorInput { operator: text("AboveOrBelow"), ..threshold() },
            "operator in body must be one of [Below BelowOrEqual Above AboveOrEqual]",
        ),
    ];
    for (input, expected) in cases {
        assert_eq!(read_now(input).unwrap_err(), expected);
    }
}

#[test]
fn values_that_are_not_allowed_are_named() {
    let text = |text: &str| Some(text.to_owned());
    let cases = [
        (
            MonitorInput { interval_minutes: Some(0), ..threshold() },
            "intervalMinutes in body should be greater than or equal to 1",
        ),
        (MonitorInput { range_minutes: None, ..threshold() }, "rangeMinutes in body is required"),
        (
            MonitorInput { range_minutes: Some(i64::MAX), ..threshold() },
            "rangeMinutes in body should be less than or equal to 129600",
        ),
        (
            MonitorInput { second_delay: Some(86_401), ..threshold() },
            "secondDelay in body should be less than or equal to 86400",
        ),
        (
            MonitorInput { compare_days: Some(-1), ..threshold() },
            "compareDays in body should be greater than or equal to 0",
        ),
        (
            MonitorInput { tolerance: Some(100.5), ..threshold() },
            "tolerance in body should be less than or equal to 100",
        ),
        (
            MonitorInput {
                trigger_after_n_positive_results: Some(4),
                trigger_from_n_runs: Some(3),
                ..threshold()
            },
            "triggerAfterNPositiveResults in body should be less than or equal to triggerFromNRuns, which is 3",
        ),
        (
            MonitorInput { notifier_ids: vec!["me".to_owned()], ..threshold() },
            "notifierIds.0 in body must be the id of a notifier, which \"me\" is not",
        ),
        (
            MonitorInput { disabled_until: text("tomorrow"), ..threshold() },
            "disabledUntil in body must be a timestamp such as 2030-01-31T12:00:00Z",
        ),
    ];
    for (input, expected) in cases {
        assert_eq!(read_now(input).unwrap_err(), expected);
    }
}
