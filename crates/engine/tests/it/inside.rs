//! Numbers inside of maps beside those that are fields of their own: they compare, sort, group and join exactly, and
//! equal ones are one value, however they are written and wherever they stand.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_store::DatasetState;

use crate::support::house::{House, Placement, START, Way, block_on};
use crate::support::reply::value;

/// `attr.n` is a field of its own in some events, and inside of the map `attr` in others.
const FIELDS: [&str; 10] = [
    r#""attr.n":3"#,
    r#""attr":{"n":3.0}"#,
    r#""attr":{"n":3}"#,
    r#""attr.n":3.0"#,
    r#""attr":{"n":9007199254740993}"#,
    r#""attr.n":9007199254740992"#,
    r#""attr":{"n":1e20}"#,
    r#""attr":{"n":100000000000000000000}"#,
    r#""attr":{"n":"3"}"#,
    r#""attr":{"n":30e-1,"m":-0}"#,
];

/// Questions about the events, whose numbers begin with 1, and the rows of the answers.
fn questions() -> Vec<(&'static str, Json)> {
    vec![
        ("where attr.n == 3 | project id", json!([[1], [2], [3], [4], [10]])),
        ("where attr.n == 9007199254740992 | project id", json!([[6]])),
        ("where attr.n == 9007199254740993 | project id", json!([[5]])),
        ("where attr.n == 9007199254740992.0 | project id", json!([[6]])),
        ("where attr.n > 9007199254740992 | project id", json!([[5], [7], [8]])),
        ("where attr.n <= 9007199254740992 and attr.n > 3 | project id", json!([[6]])),
        ("where attr.n in (1, 2, 4, 9007199254740992) | project id", json!([[6]])),
        ("where attr.n in (1, 2, 4, 1e20) | project id", json!([[7], [8]])),
        ("where attr.n in (1, 2, 4, 3.0) | project id", json!([[1], [2], [3], [4], [10]])),
        ("where attr.n == attr['n'] | project id", json!([[2], [3], [5], [7], [8], [9], [10]])),
        (
            "summarize c = count() by n = attr.n | project t = tostring(n), c | sort by t asc, c asc",
            json!([
                ["100000000000000000000", 2],
                ["3", 1],
                ["3", 5],
                ["9007199254740992", 1],
                ["9007199254740993", 1]
            ]),
        ),
        ("distinct attr.n | count", json!([[5]])),
        ("summarize dcount(attr.n), array_length(make_set(attr.n))", json!([[5, 5]])),
        ("summarize t = topk(attr.n, 1)", json!([[[{"key": 3, "count": 5, "error": 0}]]])),
        (
            "where id in (5, 6) | summarize a = min(attr.n), b = max(attr.n)",
            json!([[9_007_199_254_740_992_i64, 9_007_199_254_740_993_i64]]),
        ),
        ("where id in (4, 5, 6) | summarize arg_max(attr.n, id) | project id", json!([[5]])),
        (
            "summarize a = min(attr.n), b = max(attr.n) | project a = tostring(a), b = tostring(b)",
            json!([["3", "100000000000000000000"]]),
        ),
        ("sort by attr.n asc, id asc | summarize make_list(id)", json!([[[9, 1, 2, 3, 4, 10, 6, 5, 7, 8]]])),
        (
            "where id == 2 | project n = attr.n | join (logs | project n = attr.n, id) on n | summarize count()",
            json!([[5]]),
        ),
        (
            "where id in (5, 7, 8) | project n = attr.n, id | join (print n = 1e20) on n | project id",
            json!([[7], [8]]),
        ),
        (
            "where id in (5, 6) | project n = attr.n, id | join (print n = 9007199254740993) on n | project id",
            json!([[5]]),
        ),
    ]
}

fn requests() -> Vec<String> {
    let line = |(place, fields): (usize, &&str)| {
        format!("{{\"_time\":{},\"id\":{},{fields}}}\n", START - 1 + place as i64 - 100, place + 1)
    };
    FIELDS.iter().enumerate().map(line).collect()
}

async fn rows(house: &House, state: &Arc<DatasetState>, text: &str, way: Way) -> Json {
    let answer = house.ask_text(&[("logs", state)], text, way).await;
    let answer = answer.unwrap_or_else(|errors| panic!("{}", errors[0].render(text)));
    let table = &answer.tables[0];
    let row = |row: usize| Json::Array(table.fields.iter().map(|field| value(field, row)).collect());
    let mut rows: Vec<Json> = (0..table.rows).map(row).collect();
    // Single numbers have no order that the questions ask for.
    if table.fields.len() == 1 {
        rows.sort_by_key(|row| row[0].as_i64());
    }
    Json::Array(rows)
}

#[test]
fn equal_numbers_are_one_value_wherever_they_stand() {
    block_on(async {
        let house = House::new().await;
        for placement in Placement::ALL {
            let filled = house.filled_with_maps(&requests(), placement, &["attr"]).await;
            for (question, expected) in questions() {
                for way in Way::all(placement) {
                    let found = rows(&house, &filled.state, &format!("logs | {question}"), *way).await;
                    assert_eq!(found, expected, "{question} {placement:?} {way:?}");
                }
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn floats_join_long_integers_that_stand_beside_other_numbers() {
    let values = ["1e20", "100000000000000000000", "18446744073709551617", "5", "0.5", "5.0"];
    let line = |(place, x): (usize, &&str)| format!("{{\"_time\":{START},\"id\":{place},\"x\":{x}}}\n");
    let request: String = values.iter().enumerate().map(line).collect();
    block_on(async {
        let house = House::new().await;
        let filled = house.filled(&[request], Placement::Segments).await;
        for (question, expected) in [
            ("logs | join (print y = 1e20) on $left.x == $right.y | project id", json!([[0], [1]])),
            ("print y = 1e20 | join (logs) on $left.y == $right.x | project id", json!([[0], [1]])),
            (
                "logs | join (print y = 18446744073709551617) on $left.x == $right.y | project id",
                json!([[2]]),
            ),
            ("logs | join (print y = 18446744073709551616.0) on $left.x == $right.y | project id", json!([])),
            ("logs | join (print y = 5) on $left.x == $right.y | project id", json!([[3], [5]])),
        ] {
            assert_eq!(rows(&house, &filled.state, question, Way::Threads).await, expected, "{question}");
        }
    });
}

/// Their texts tell the two apart: a float has zeros where an integer has the digits that the float stands for.
#[test]
fn floats_beside_long_integers_come_back_as_floats() {
    let values = ["1e30", "18446744073709551617", "1e30", "1e20", "100000000000000000000", "2.0", "-1e25"];
    let line = |(place, x): (usize, &&str)| format!("{{\"_time\":{START},\"id\":{place},\"x\":{x}}}\n");
    let requests: Vec<String> = values.iter().enumerate().map(line).collect();
    let long = values[1];
    let (least, both, most) = (format!("-1{}", "0".repeat(25)), values[4], format!("1{}", "0".repeat(30)));
    let questions = [
        (
            "summarize c = count() by x | sort by x asc | project t = tostring(x), c",
            json!([[least, 1], ["2", 1], [long, 1], [both, 2], [most, 2]]),
        ),
        (
            "summarize c = count() by bin(_time, 1h), x | project t = tostring(x), c | sort by c desc, t asc",
            json!([[both, 2], [most, 2], [least, 1], [long, 1], ["2", 1]]),
        ),
        ("summarize c = count() by x | top 1 by x desc | project t = tostring(x), c", json!([[most, 2]])),
        ("distinct x | sort by x desc | take 1 | project t = tostring(x)", json!([[most]])),
        (
            "summarize a = min(x), b = max(x) | project a = tostring(a), b = tostring(b)",
            json!([[least, most]]),
        ),
        ("summarize arg_max(id, x) | project t = tostring(x)", json!([[least]])),
        ("where id == 0 | summarize l = make_list(x) | project t = tostring(l)", json!([["[1e30]"]])),
    ];
    block_on(async {
        let house = House::new().await;
        for placement in Placement::ALL {
            let filled = house.filled(&requests, placement).await;
            for (question, expected) in &questions {
                for way in Way::all(placement) {
                    let found = rows(&house, &filled.state, &format!("logs | {question}"), *way).await;
                    assert_eq!(found, *expected, "{question} {placement:?} {way:?}");
                }
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn groups_are_sorted_by_their_exact_extremes() {
    let values = ["9007199254740993", "9007199254740992", "0.5", "9007199254740992.0", "9007199254740994"];
    let line = |(place, x): (usize, &&str)| format!("{{\"_time\":{START},\"k\":\"k{place}\",\"x\":{x}}}\n");
    let request: String = values.iter().enumerate().map(line).collect();
    block_on(async {
        let house = House::new().await;
        let filled = house.filled(&[request], Placement::Segments).await;
        let summarized = "logs | summarize m = max(x) by k";
        for (stages, expected) in [
            ("top 2 by m desc | project k, one = 1", json!([["k4", 1], ["k0", 1]])),
            (
                "sort by m asc, k asc | project k, one = 1",
                json!([["k2", 1], ["k1", 1], ["k3", 1], ["k0", 1], ["k4", 1]]),
            ),
        ] {
            let found = rows(&house, &filled.state, &format!("{summarized} | {stages}"), Way::Threads).await;
            assert_eq!(found, expected, "{stages}");
        }
    });
}

#[test]
fn values_in_maps_are_equal_to_those_that_are_fields_and_have_their_texts() {
    let values = ["[1,2]", r#"{"a":1}"#, "3.0", "1e30", "18446744073709551617", r#""x""#, "1e-7"];
    let line = |(place, x): (usize, &&str)| {
        format!("{{\"_time\":{START},\"id\":{place},\"k\":{x},\"attr\":{{\"k\":{x}}}}}\n")
    };
    let request: String = values.iter().enumerate().map(line).collect();
    let all = || json!([[0], [1], [2], [3], [4], [5], [6]]);
    block_on(async {
        let house = House::new().await;
        let filled = house.filled_with_maps(&[request], Placement::Segments, &["attr", "k"]).await;
        for (condition, expected) in [
            ("k == attr.k", all()),
            ("tostring(k) == tostring(attr.k)", all()),
            ("FIELD == dynamic([1,2])", json!([[0]])),
            ("FIELD != dynamic([1,2])", json!([[1], [2], [3], [4], [5], [6]])),
            ("FIELD == dynamic({'a':1})", json!([[1]])),
            ("FIELD == '3'", json!([[2]])),
            ("FIELD in ('3', '3.0', 'y', 'z')", json!([[2]])),
            ("FIELD contains '0000001'", json!([[6]])),
            // Few integers beyond 64 bits are tested one by one, more are a set.
            ("FIELD in (18446744073709551617, 1000000000000000019884624838656)", json!([[3], [4]])),
            (
                "FIELD in (18446744073709551616, 18446744073709551617, 99999999999999999999, \
                 1000000000000000019884624838656, 3)",
                json!([[2], [3], [4]]),
            ),
        ] {
            for field in ["k", "attr.k"] {
                let question = format!("logs | where {} | project id", condition.replace("FIELD", field));
                assert_eq!(
                    rows(&house, &filled.state, &question, Way::Threads).await,
                    expected,
                    "{question}"
                );
            }
        }
    });
}
