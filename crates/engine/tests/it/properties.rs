//! Random events and random queries: the engine answers as the naive one does, wherever the events lie and however
//! the query is run.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestError, TestRunner};
use serde_json::{Value as Json, json};

use crate::support::house::{HOUR, House, Placement, SECOND, START, Way, block_on};
use crate::support::naive::{self, Query, Row};
use crate::support::reply::{float, time_text};

/// The fields of random events. `s` has texts, `b` booleans, `n` small numbers, `x` extreme ones, `m` all sorts.
const FIELDS: [&str; 6] = ["s", "b", "n", "x", "m", "tags"];

const TEXTS: [&str; 22] = [
    "",
    "a",
    "A",
    "ab",
    "Ab aB",
    "GET",
    "get /a",
    "größe",
    "GRÖSSE",
    "Σας",
    "ΣΑΣ",
    "σας",
    "ſee",
    "see",
    "İ",
    "i",
    "1",
    "1.5",
    "true",
    "foo_bar-baz",
    "日本 語",
    "a\"\\\n\u{1}",
];

const EXTREMES: [i64; 9] = [
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
    1 << 53,
    (1 << 53) + 1,
    9_210_000_000_000_000_000,
    0,
    -1,
];

const FLOATS: [f64; 12] =
    [0.0, -0.0, 1.0, 1.5, -2.0, 0.1, 1e300, 9.21e18, 9_007_199_254_740_992.0, 9.3e18, 5e-324, -9.3e18];

/// Beyond 64 bits with a sign: neighbours that have the same float, and some that are a float exactly.
const LONG: [u64; 6] =
    [1 << 63, (1 << 63) + 1, u64::MAX, u64::MAX - 1, 9_300_000_000_000_000_000, 10_u64.pow(19)];

/// 64 cases, or as many as `PROPTEST_CASES` says.
#[expect(clippy::disallowed_methods, reason = "a test is told how long to look by who looks for a fault")]
pub(crate) fn config() -> ProptestConfig {
    let cases =
        if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 64 };
    ProptestConfig {
        cases,
        max_shrink_iters: 4096,
        max_shrink_time: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

pub(crate) fn a_text() -> impl Strategy<Value = Json> {
    prop::sample::select(&TEXTS[..]).prop_map(Json::from)
}

pub(crate) fn small_number() -> impl Strategy<Value = Json> {
    prop_oneof![3 => (-3..6_i64).prop_map(Json::from), 1 => (-6..12_i64).prop_map(|n| float(n as f64 / 2.0))]
}

pub(crate) fn extreme_number() -> impl Strategy<Value = Json> {
    prop_oneof![
        prop::sample::select(&EXTREMES[..]).prop_map(Json::from),
        prop::sample::select(&FLOATS[..]).prop_map(float)
    ]
}

/// Numbers of every kind, some beyond 64 bits and floats that are equal to them.
pub(crate) fn any_size() -> impl Strategy<Value = Json> {
    prop_oneof![
        2 => extreme_number(),
        1 => prop::sample::select(&LONG[..]).prop_map(Json::from),
        1 => prop::sample::select(&LONG[..]).prop_map(|long| float(long as f64)),
    ]
}

pub(crate) fn an_array() -> impl Strategy<Value = Json> {
    prop::collection::vec(prop_oneof![a_text(), small_number(), Just(Json::Null)], 0..4).prop_map(Json::Array)
}

pub(crate) fn anything() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => a_text(),
        4 => small_number(),
        2 => any_size(),
        2 => any::<bool>().prop_map(Json::Bool),
        1 => an_array(),
    ]
}

/// Mostly within some hours, many at the same time, some a nanosecond apart.
pub(crate) fn a_time() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => (0..4_i64).prop_map(|hours| START - 30 * HOUR + hours * HOUR),
        2 => (0..5_i64).prop_map(|nanoseconds| START - 30 * HOUR + nanoseconds),
        3 => (0..6 * HOUR).prop_map(|after| START - 31 * HOUR + after),
    ]
}

fn an_event() -> impl Strategy<Value = (i64, BTreeMap<String, Json>)> {
    let value = |strategy: BoxedStrategy<Json>| prop::option::weighted(0.75, strategy);
    let fields = (
        value(a_text().boxed()),
        value(any::<bool>().prop_map(Json::Bool).boxed()),
        value(small_number().boxed()),
        value(any_size().boxed()),
        value(anything().boxed()),
        value(an_array().boxed()),
    );
    (a_time(), fields).prop_map(|(time, (s, b, n, x, m, tags))| {
        let fields = FIELDS.into_iter().zip([s, b, n, x, m, tags]);
        (time, fields.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
    })
}

fn a_field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["s", "b", "n", "n", "x", "m", "m", "tags", "nobody"])
}

fn a_comparison() -> impl Strategy<Value = Json> {
    let wanted = prop_oneof![6 => anything(), 1 => Just(Json::Null), 1 => prop::collection::vec(
        prop_oneof![a_text(), small_number(), any::<bool>().prop_map(Json::Bool)], 1..3).prop_map(Json::Array)];
    let scalar = |value: &Json| !value.is_array();
    let equality = (prop::sample::select(vec!["==", "!="]), a_field(), wanted, prop::option::of(any::<bool>()))
        .prop_map(|(op, field, value, case)| json!({"op": op, "field": field, "value": value, "caseSensitive": case}));
    let order = prop_oneof![3 => small_number(), 2 => any_size(), 1 => a_text()];
    let order = (prop::sample::select(vec![">", ">=", "<", "<="]), a_field(), order)
        .prop_map(|(op, field, value)| json!({"op": op, "field": field, "value": value}));
    let tests = vec![
        "starts-with",
        "not-starts-with",
        "ends-with",
        "not-ends-with",
        "contains",
        "not-contains",
        "has",
        "not-has",
    ];
    let needle = anything().prop_filter("tests of text need one value", scalar);
    let test = (prop::sample::select(tests), a_field(), needle, prop::option::of(any::<bool>())).prop_map(
        |(op, field, value, case)| json!({"op": op, "field": field, "value": value, "caseSensitive": case}),
    );
    let patterns = vec!["^a", "(?i)ß|ö", "[0-9]+", "\\bfoo", "e$", "", "^(get|GET)"];
    let pattern =
        (prop::sample::select(vec!["regexp", "not-regexp"]), a_field(), prop::sample::select(patterns))
            .prop_map(|(op, field, value)| json!({"op": op, "field": field, "value": value}));
    let existence = (prop::sample::select(vec!["exists", "not-exists"]), a_field())
        .prop_map(|(op, field)| json!({"op": op, "field": field}));
    prop_oneof![3 => equality, 3 => order, 3 => test, 1 => pattern, 1 => existence]
}

fn a_filter() -> impl Strategy<Value = Json> {
    a_comparison().prop_recursive(3, 10, 3, |inner| {
        (prop::sample::select(vec!["and", "or", "not"]), prop::collection::vec(inner, 1..4))
            .prop_map(|(op, children)| json!({"op": op, "field": "", "children": children}))
    })
}

fn an_aggregation() -> impl Strategy<Value = Json> {
    let numeric = ["sum", "avg", "stdev", "variance", "rate"].into_iter().map(|op| (op, Json::Null));
    let argued = [("percentiles", json!([0, 50, 95, 99.9, 100])), ("histogram", json!(4))];
    let numeric: Vec<(&str, Json)> = numeric.chain(argued).collect();
    let numeric = (prop::sample::select(numeric), prop::sample::select(vec!["n", "n", "m", "s", "nobody"]));
    let any = [
        ("count", Json::Null),
        ("distinct", Json::Null),
        ("min", Json::Null),
        ("max", Json::Null),
        ("topk", json!(2)),
        ("topk", Json::Null),
        ("makeset", json!(3)),
        ("makeset", Json::Null),
        ("makelist", json!(2)),
        ("makelist", Json::Null),
        ("argmin", json!("s")),
        ("argmax", json!("m")),
        ("argmax", Json::Null),
    ];
    let any = (prop::sample::select(any.to_vec()), a_field());
    let sum = (Just(("sum", Json::Null)), Just("x"));
    prop_oneof![3 => numeric, 4 => any, 1 => sum, 1 => Just((("count", Json::Null), "*"))]
        .prop_map(|((op, argument), field)| json!({"op": op, "field": field, "argument": argument}))
}

fn a_virtual_field() -> impl Strategy<Value = Vec<Json>> {
    prop::option::weighted(0.3, prop::sample::select(&naive::EXPRESSIONS[..]))
        .prop_map(|expr| expr.map(|expr| json!({"alias": "v", "expr": expr})).into_iter().collect())
}

fn a_range() -> impl Strategy<Value = (i64, i64)> {
    prop_oneof![
        2 => Just((START - 32 * HOUR, START - 20 * HOUR)),
        1 => (a_time(), a_time()).prop_map(|(a, b)| (a.min(b), a.max(b) + 1)),
    ]
}

pub(crate) fn of_events() -> impl Strategy<Value = Query> {
    let order = prop_oneof![
        2 => Just(Vec::new()),
        1 => any::<bool>().prop_map(|desc| vec![json!({"field": "_time", "desc": desc})]),
        2 => prop::collection::vec((a_field(), any::<bool>()), 1..3).prop_map(|keys| {
            keys.into_iter().map(|(field, desc)| json!({"field": field, "desc": desc})).collect()
        }),
    ];
    let project = prop_oneof![
        Just(json!(null)),
        Just(
            json!([{"field": "m", "alias": "q"}, {"field": "n", "alias": ""}, {"field": "_time", "alias": "t"}])
        ),
        Just(json!([{"field": "v"}, {"field": "tags"}, {"field": "nobody"}])),
    ];
    (a_range(), prop::option::weighted(0.8, a_filter()), order, project, 0..12_u64, a_virtual_field())
        .prop_map(|((start, end), filter, order, project, limit, fields)| Query {
            body: json!({
                "startTime": time_text(start), "endTime": time_text(end), "resolution": "auto",
                "filter": filter, "order": order, "project": project, "limit": limit, "virtualFields": fields,
            }),
            cursor: None,
            step: 0,
        })
}

pub(crate) fn of_groups() -> impl Strategy<Value = Query> {
    let calls = prop::collection::vec(an_aggregation(), 1..4);
    let keys = prop::collection::vec(prop_oneof![4 => a_field(), 1 => Just("v")], 0..3);
    let ranges = prop::sample::select(vec![
        (32 * HOUR, 60 * SECOND),
        (32 * HOUR, 200 * SECOND),
        (30 * HOUR, 100 * SECOND),
    ]);
    let order = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..3);
    (ranges, prop::option::weighted(0.6, a_filter()), calls, keys, order, 0..6_u64, a_virtual_field())
        .prop_map(|((before, step), filter, mut calls, mut keys, order, limit, fields)| {
            // Groups are ordered by the first aggregation unless an order is given, so it has one.
            calls.insert(0, json!({"op": "count", "field": "*"}));
            for (place, call) in calls.iter_mut().enumerate() {
                call["alias"] = Json::from(format!("r{place}"));
            }
            keys.dedup();
            if keys.len() == 2 && keys[0] == keys[1] {
                keys.pop();
            }
            let names: Vec<&str> = keys.iter().copied().chain(["r0"]).collect();
            let order: Vec<Json> =
                order.iter().map(|(at, desc)| json!({"field": at.get(&names), "desc": desc})).collect();
            let body = json!({
                "startTime": time_text(START - before), "endTime": time_text(START - 24 * HOUR),
                "resolution": format!("{}s", step / SECOND), "filter": filter, "aggregations": calls,
                "groupBy": keys, "order": order, "limit": limit, "virtualFields": fields,
            });
            Query { body, cursor: None, step }
        })
}

pub(crate) type Batch = Vec<(i64, BTreeMap<String, Json>)>;

pub(crate) fn batches() -> impl Strategy<Value = Vec<Batch>> {
    prop::collection::vec(prop::collection::vec(an_event(), 1..12), 1..6)
}

fn rows_of(batches: &[Batch]) -> Vec<Row> {
    let events = batches.iter().flatten().enumerate();
    events.map(|(number, (time, data))| Row { number, time: *time, data: data.clone() }).collect()
}

pub(crate) fn ndjson_of(batch: &Batch) -> String {
    let line = |(time, data): &(i64, BTreeMap<String, Json>)| {
        let mut event = serde_json::Map::from_iter(data.clone());
        event.insert("_time".to_owned(), Json::from(time_text(*time)));
        format!("{}\n", Json::Object(event))
    };
    batch.iter().map(line).collect()
}

/// Asks every query of the events in every place and in every way.
async fn check(house: &House, batches: &[Batch], queries: &[Query]) -> Result<(), String> {
    let rows = rows_of(batches);
    let expected: Vec<_> = queries.iter().map(|query| naive::answer(&rows, query)).collect();
    let requests: Vec<String> = batches.iter().map(ndjson_of).collect();
    for placement in Placement::ALL {
        let filled = house.filled(&requests, placement).await;
        for (query, expected) in queries.iter().zip(&expected) {
            for way in Way::all(placement) {
                let mut body = query.body.clone();
                if let Some((number, is_included)) = query.cursor {
                    body["cursor"] = Json::from(filled.ids[number].to_string());
                    body["includeCursor"] = Json::from(is_included);
                }
                let reply = house.ask(&filled.state, &body, *way).await;
                let outcome = match (&reply, expected) {
                    (Ok(reply), Some(expected)) => naive::compare(expected, reply, &filled.ids),
                    (Err(message), None) if message.contains("needs numbers") => Ok(()),
                    (Ok(_), None) => Err("it must say that numbers are needed".to_owned()),
                    (Err(message), _) => Err(format!("failed: {message}")),
                };
                outcome.map_err(|why| {
                    format!("{why}\n  query {body}\n  {placement:?} {way:?}\n  events\n{}", requests.concat())
                })?;
            }
        }
        house.forget(&filled);
    }
    Ok(())
}

/// Runs a test on random values. The reason of a failure names the smallest that fails.
pub(crate) fn run_with<V: std::fmt::Debug>(
    config: ProptestConfig,
    values: impl Strategy<Value = V>,
    test: impl Fn(V) -> Result<(), String>,
) {
    let result = TestRunner::new(config).run(&values, |value| test(value).map_err(TestCaseError::fail));
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, _)) => panic!("{why}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

fn run(queries: impl Strategy<Value = Vec<Query>>) {
    let house = block_on(House::new());
    run_with(config(), (batches(), queries), |(batches, queries)| {
        block_on(check(&house, &batches, &queries))
    });
}

#[test]
fn events_are_answered_as_the_naive_engine_does() {
    run(prop::collection::vec(of_events(), 1..7));
}

#[test]
fn groups_are_answered_as_the_naive_engine_does() {
    run(prop::collection::vec(of_groups(), 1..5));
}

/// Chance seldom brings both, in groups that are equal but for another key.
fn groups_of_both_are_ordered_as_the_naive_engine_does(first: Json, second: Json) {
    let house = block_on(House::new());
    let time = START - 30 * HOUR;
    let event = |fields: Json| (time, serde_json::from_value(fields).unwrap());
    let batch = vec![event(first), event(second)];
    let body = json!({
        "startTime": time_text(START - 32 * HOUR), "endTime": time_text(START - 24 * HOUR), "resolution": "60s",
        "aggregations": [{"op": "count", "field": "*", "alias": "r0"}], "groupBy": ["m", "tags"], "limit": 0,
    });
    let query = Query { body, cursor: None, step: 60 * SECOND };
    block_on(check(&house, &[batch], &[query])).unwrap();
}

#[test]
fn a_text_and_a_value_that_reads_the_same_have_an_order() {
    groups_of_both_are_ordered_as_the_naive_engine_does(json!({"m": true}), json!({"m": "true", "tags": []}));
}

#[test]
fn equal_numbers_of_two_types_leave_the_order_to_the_next_key() {
    groups_of_both_are_ordered_as_the_naive_engine_does(
        json!({"m": 9_210_000_000_000_000_000_i64}),
        json!({"m": 9.21e18, "tags": []}),
    );
}

/// Beside a text, integers are compared as floats first, which do not tell these two apart.
#[test]
fn large_integers_beside_texts_are_in_order() {
    let house = block_on(House::new());
    let event = |seconds: i64, value: Json| {
        (START - 30 * HOUR + seconds * SECOND, BTreeMap::from([("m".to_owned(), value)]))
    };
    let batch = vec![
        event(1, json!(9_007_199_254_740_992_i64)),
        event(0, json!("")),
        event(0, json!(9_007_199_254_740_993_i64)),
    ];
    let body = json!({
        "startTime": time_text(START - 32 * HOUR), "endTime": time_text(START - 24 * HOUR), "resolution": "auto",
        "order": [{"field": "m", "desc": true}], "limit": 0,
    });
    let query = Query { body, cursor: None, step: 0 };
    block_on(check(&house, &[batch], &[query])).unwrap();
}
