//! Dataset queries for events, and the bodies that real clients send.

use tidegauge_lang::dataset_query::{
    Aggregation, DatasetQuery, Filter, NOT_A_CURSOR, NOT_A_TOKEN, Projection, Refused, Value, VirtualField,
    continuation_row, continuation_token, translate,
};
use tidegauge_lang::tree::{AggregateFunction, Cursor, SortKey, Stage};
use tidegauge_model::{RowId, Rule};

use crate::support::{NOW, SECOND, around, hour, refusal, shape, translated, violation};

pub(crate) fn virtual_field(alias: &str, expr: &str) -> VirtualField {
    VirtualField { alias: alias.to_owned(), expr: expr.to_owned() }
}

pub(crate) fn exists(field: &str) -> Filter {
    Filter { op: "exists".to_owned(), field: field.to_owned(), ..Filter::default() }
}

pub(crate) fn projection(field: &str, alias: Option<&str>) -> Projection {
    Projection { field: field.to_owned(), alias: alias.map(str::to_owned) }
}

fn key(field: &str, is_descending: bool) -> SortKey {
    SortKey { field: field.to_owned(), is_descending, ..SortKey::default() }
}

const ROW: RowId = RowId { time: NOW, sequence: 7, index: 3 };

/// What a client written in Go sends when nothing is set.
fn unset_in_go() -> DatasetQuery {
    DatasetQuery {
        start_time: Some("2026-07-01T10:00:00Z".to_owned()),
        end_time: Some("2026-07-01T10:02:00Z".to_owned()),
        resolution: Some("auto".to_owned()),
        filter: Some(Filter { case_sensitive: Some(false), ..Filter::default() }),
        limit: Some(0),
        cursor: Some(String::new()),
        continuation_token: Some(String::new()),
        ..DatasetQuery::default()
    }
}

#[test]
fn a_body_with_nothing_set_asks_for_the_newest_events() {
    let translated = translated(&unset_in_go());
    assert_eq!(translated.query.stages, [Stage::Sort(vec![key("_time", true)]), Stage::Limit(1_000)]);
    assert!(translated.is_limit_default && !translated.is_window_cut);
    assert_eq!((translated.range.start, translated.range.end), (NOW, NOW + 120 * SECOND));
}

#[test]
fn a_body_with_everything_set_asks_for_groups() {
    let child = Filter {
        op: "contains".to_owned(),
        field: "request".to_owned(),
        value: Value::String("GET".to_owned()),
        case_sensitive: Some(false),
        children: Vec::new(),
    };
    let query = DatasetQuery {
        aggregations: vec![Aggregation {
            op: "count".to_owned(),
            field: "*".to_owned(),
            alias: Some("event_count".to_owned()),
            argument: Value::Null,
        }],
        group_by: vec!["success".to_owned(), "remote_ip".to_owned()],
        filter: Some(Filter { case_sensitive: Some(false), children: vec![child], ..exists("response") }),
        order: vec![key("success", true), key("remote_ip", false)],
        virtual_fields: vec![virtual_field("success", "toint(response) < 400")],
        project: vec![projection("remote_ip", Some("ip"))],
        ..unset_in_go()
    };
    let stages = translated(&query).query.stages;
    let [Stage::Extend(fields), Stage::Filter(filter), Stage::Summarize(summarize), sort, limit] =
        stages.as_slice()
    else {
        panic!("{stages:?}");
    };
    assert_eq!(
        (fields[0].name.as_str(), shape(&fields[0].expr)),
        ("success", "(Less (toint response) 400)".into())
    );
    assert_eq!(shape(filter), "(Exists response)");
    let aggregate = &summarize.aggregates[0];
    assert_eq!(
        (aggregate.name.as_str(), &aggregate.call.function),
        ("event_count", &AggregateFunction::Count)
    );
    assert_eq!(aggregate.call.of, None);
    assert_eq!(
        summarize.keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(),
        ["success", "remote_ip"]
    );
    assert_eq!(summarize.bucket.map(|bucket| bucket.step), Some(SECOND));
    assert_eq!(*sort, Stage::Sort(vec![key("success", true), key("remote_ip", false)]));
    assert_eq!(*limit, Stage::Limit(1_000));
}

#[test]
fn a_body_of_a_python_client_asks_for_ten_events() {
    let query = DatasetQuery {
        start_time: Some("2026-07-01T10:00:00.123456Z".to_owned()),
        end_time: Some("2026-07-01T11:00:00.123456Z".to_owned()),
        resolution: Some("auto".to_owned()),
        limit: Some(10),
        ..DatasetQuery::default()
    };
    let translated = translated(&query);
    assert_eq!(translated.query.stages, [Stage::Sort(vec![key("_time", true)]), Stage::Limit(10)]);
    assert!(!translated.is_limit_default);
    assert_eq!(translated.range.start, NOW + 123_456_000);
}

#[test]
fn the_stages_stand_in_their_order() {
    let query = DatasetQuery {
        virtual_fields: vec![virtual_field("a", "1"), virtual_field("b", "a + 1")],
        filter: Some(exists("a")),
        order: vec![key("_time", false)],
        cursor: Some(ROW.to_string()),
        project: vec![projection("b", None)],
        ..hour()
    };
    let stages = translated(&query).query.stages;
    let [
        Stage::Extend(fields),
        Stage::Filter(_),
        Stage::Sort(_),
        Stage::After(_),
        Stage::Limit(_),
        Stage::Project(_),
    ] = stages.as_slice()
    else {
        panic!("{stages:?}");
    };
    assert_eq!(fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn limits_are_limited() {
    let limit = |limit| {
        let translated = translated(&DatasetQuery { limit, ..hour() });
        (translated.limit, translated.is_limit_default)
    };
    assert_eq!(limit(None), (1_000, true));
    assert_eq!(limit(Some(0)), (1_000, true));
    assert_eq!(limit(Some(1_000)), (1_000, false));
    assert_eq!(limit(Some(50_000)), (50_000, false));
    let over = DatasetQuery { limit: Some(50_001), ..hour() };
    assert_eq!(refusal(&over), "limit in body must be at most 50000");
}

#[test]
fn an_expression_with_a_mistake_is_told_with_its_field() {
    let query = DatasetQuery {
        virtual_fields: vec![virtual_field("ok", "a + 1"), virtual_field("bad", "toitn(a)")],
        ..hour()
    };
    let Err(Refused::Expression { alias, text, diagnostics }) = translate("logs", &query, around()) else {
        panic!("it has a mistake");
    };
    assert_eq!((alias.as_str(), text.as_str()), ("bad", "toitn(a)"));
    assert_eq!(diagnostics[0].hint.as_deref(), Some("did you mean `toint`?"));
}

#[test]
fn virtual_fields_have_a_name_and_an_expression() {
    for (field, message) in [
        (virtual_field("", "1"), "virtualFields.0.alias in body is required"),
        (virtual_field("a", " "), "virtualFields.0.expr in body is required"),
        (
            virtual_field("_time", "now()"),
            "virtualFields.0.alias in body is a field that every event has: choose another name",
        ),
    ] {
        assert_eq!(refusal(&DatasetQuery { virtual_fields: vec![field], ..hour() }), message);
    }
}

fn after(query: &DatasetQuery) -> Option<Cursor> {
    translated(query).query.stages.iter().find_map(|stage| match stage {
        Stage::After(cursor) => Some(*cursor),
        _ => None,
    })
}

#[test]
fn a_cursor_goes_on_after_its_row_or_with_it() {
    let query = |includes_cursor| DatasetQuery { cursor: Some(ROW.to_string()), includes_cursor, ..hour() };
    assert_eq!(after(&query(false)), Some(Cursor { row: ROW, is_included: false }));
    assert_eq!(after(&query(true)), Some(Cursor { row: ROW, is_included: true }));
    assert_eq!(after(&DatasetQuery { includes_cursor: true, ..hour() }), None);
    let ascending = DatasetQuery { order: vec![key("_time", false)], ..query(false) };
    assert_eq!(after(&ascending), Some(Cursor { row: ROW, is_included: false }));
}

#[test]
fn a_continuation_token_wins_over_a_cursor() {
    let other = RowId { sequence: 8, ..ROW };
    let query = DatasetQuery {
        cursor: Some(ROW.to_string()),
        includes_cursor: true,
        continuation_token: Some(continuation_token(other)),
        ..hour()
    };
    assert_eq!(after(&query), Some(Cursor { row: other, is_included: false }));
    assert_eq!(continuation_row(&continuation_token(other)), Some(other));
}

#[test]
fn cursors_and_tokens_that_cannot_be_used_are_refused() {
    let cursor = |text: &str| DatasetQuery { cursor: Some(text.to_owned()), ..hour() };
    let token = |text: &str| DatasetQuery { continuation_token: Some(text.to_owned()), ..hour() };
    let (row, whole) = (ROW.to_string(), continuation_token(ROW));
    for text in ["x", &row[..row.len() - 1], &row[1..]] {
        assert_eq!(refusal(&cursor(text)), format!("cursor in body {NOT_A_CURSOR}"), "{text}");
    }
    for text in [row.as_str(), &whole[..whole.len() - 1]] {
        assert_eq!(refusal(&token(text)), format!("continuationToken in body {NOT_A_TOKEN}"), "{text}");
    }
    for order in [vec![key("status", true)], vec![key("_time", true), key("status", true)]] {
        let sorted = DatasetQuery { order: order.clone(), ..cursor(&ROW.to_string()) };
        assert_eq!(
            refusal(&sorted),
            "cursor in body works only in the order of _time alone: order by _time, or leave it out"
        );
        let sorted = DatasetQuery { order, ..token(&continuation_token(ROW)) };
        assert_eq!(violation(&sorted).field, "continuationToken");
    }
}

#[test]
fn events_are_in_any_order() {
    let order = vec![key("status", true), key("_time", false)];
    let stages = translated(&DatasetQuery { order: order.clone(), ..hour() }).query.stages;
    assert_eq!(stages[0], Stage::Sort(order));
    let unnamed = DatasetQuery { order: vec![key("", true)], ..hour() };
    assert_eq!(refusal(&unnamed), "order.0.field in body is required");
}

#[test]
fn projections_choose_and_name_fields() {
    let query = |project| DatasetQuery { project, ..hour() };
    let project = vec![
        projection("geo.city", Some("city")),
        projection("status", Some("")),
        projection("uri", None),
        projection("uri", None),
    ];
    let stages = translated(&query(project)).query.stages;
    let Some(Stage::Project(fields)) = stages.last() else { panic!("{stages:?}") };
    let fields: Vec<(&str, String)> =
        fields.iter().map(|field| (field.name.as_str(), shape(&field.expr))).collect();
    assert_eq!(
        fields,
        [("city", "geo.city".to_owned()), ("status", "status".to_owned()), ("uri", "uri".to_owned())]
    );
    let unnamed = query(vec![projection("", Some("a"))]);
    assert_eq!(refusal(&unnamed), "project.0.field in body is required");
    let twice = query(vec![projection("a", None), projection("b", Some("a"))]);
    assert_eq!(violation(&twice).rule, Rule::Unique);
}

#[test]
fn there_are_not_too_many() {
    for (query, field) in [
        (DatasetQuery { virtual_fields: vec![virtual_field("a", "1"); 501], ..hour() }, "virtualFields"),
        (DatasetQuery { order: vec![key("a", true); 101], ..hour() }, "order"),
        (DatasetQuery { group_by: vec!["a".to_owned(); 101], ..hour() }, "groupBy"),
        (DatasetQuery { project: vec![projection("a", None); 5_001], ..hour() }, "project"),
    ] {
        let violation = violation(&query);
        assert_eq!((violation.field.as_str(), violation.rule), (field, Rule::TooManyItems));
    }
}
