//! Long lists after `in` and `has_any` say the same as their elements one by one.

use serde_json::{Value as Json, json};

use crate::support::house::{House, Placement, Way, block_on};
use crate::support::reply::value;

/// Elements, of which each list has several of one type, so that it becomes a set.
const LISTS: &[&[&str]] = &[
    &["'a'", "'B'", "'1'", "'1.5'", "'true'", "''", "'Straße'", "'{\"k\":1}'", "'[1]'"],
    &["'2026-07-01'", "'2026-07-01T10:00:00Z'", "'1.00:00:00'", "'x'", "string(null)"],
    &["1", "2", "-5", "1.5", "0.0", "real(nan)", "real(+inf)", "9223372036854775807", "2.0"],
    &["9007199254740993", "9007199254740992", "1782900000000000000", "86400000000000", "1e19"],
    &[
        "datetime(2026-07-01)",
        "datetime(2026-07-01T10:00:00Z)",
        "datetime(1970-01-01T00:00:00.000000001Z)",
        "datetime(2026-07-02)",
        "datetime(null)",
    ],
    &["1d", "2s", "1ns", "-1h", "5m", "timespan(null)"],
    &["true", "false", "1", "'a'", "dynamic(null)", "dynamic({\"k\":1})", "2", "3", "4", "'b'", "'c'", "'d'"],
    &["dynamic([1, \"a\", 2.5])", "dynamic([[\"b\\\"c\"], null])", "3", "'x'", "'y'", "4"],
];

const WORDS: &[&str] = &[
    "'red'",
    "'FOX'",
    "'straße'",
    "'ΣΑΣ'",
    "''",
    "'red fox'",
    "'x-1'",
    "1",
    "-1",
    "1.5",
    "'b_c'",
    "'c'",
    "'é'",
    "true",
    "string(null)",
    "1d",
    "datetime(2026-07-01)",
    "dynamic([\"over\", [\"lazy\"]])",
];

/// Values of every type, as columns.
const TABLE: &str = "datatable(s:string, l:long, r:real, b:bool, t:datetime, d:timespan, y:dynamic)[\
    'a', 1, 1.5, true, datetime(2026-07-01), 1d, dynamic(1), \
    'A', 2, 2.0, false, datetime(2026-07-01T10:00:00Z), 2s, dynamic('a'), \
    'b', -5, -0.0, true, datetime(1970-01-01T00:00:00.000000001Z), 1ns, dynamic(1.5), \
    '1', 9007199254740993, real(nan), true, datetime(null), timespan(null), dynamic([1]), \
    '', 86400000000000, real(+inf), true, datetime(2026-01-01), 3d, dynamic({\"k\":1}), \
    '2026-07-01T00:00:00Z', 1, 9007199254740992.0, true, datetime(2026-07-01), -1h, dynamic(9007199254740993), \
    'STRASSE straße, red-fox x-1 ς', 1782900000000000000, 1e19, true, datetime(2026-07-01), 1d, dynamic(true), \
    '1.00:00:00', long(null), real(null), bool(null), datetime(2026-07-01), 1d, dynamic(null)]";

const COLUMNS: &[&str] = &["s", "l", "r", "b", "t", "d", "y", "tostring(l)", "strcat(s, ' ', l)"];

const LITERALS: &[&str] = &[
    "'a'",
    "'A'",
    "1",
    "1.0",
    "2.0",
    "true",
    "'1'",
    "'2026-07-01'",
    "'1.00:00:00'",
    "datetime(2026-07-01)",
    "1d",
    "1782900000000000000",
    "dynamic(1)",
    "dynamic({\"k\":1})",
    "real(nan)",
    "'the red fox'",
    "dynamic(null)",
];

fn events() -> Vec<String> {
    let mixed = [
        json!(1),
        json!("a"),
        json!(1.5),
        json!(true),
        json!("1"),
        json!("x red_fox 1"),
        json!(2),
        json!([1, "c"]),
    ];
    let event = |(second, mixed): (usize, &Json)| json!({"_time": format!("2026-07-01T10:00:0{second}Z"), "v": mixed});
    mixed.iter().enumerate().map(event).map(|event| event.to_string()).collect()
}

/// Asks for each value whether it is in the list, and in a list of each element alone.
async fn compare(
    house: &House,
    events: &std::sync::Arc<tidegauge_store::DatasetState>,
    from: &str,
    of: &str,
) {
    let mut tests: Vec<(String, String)> = Vec::new();
    let mut add = |operator: &str, list: &[&str]| {
        let alone: Vec<String> = list.iter().map(|one| format!("({of}) {operator} ({one})")).collect();
        tests.push((format!("({of}) {operator} ({})", list.join(", ")), alone.join(" or ")));
    };
    for list in LISTS {
        add("in", list);
        add("in~", list);
    }
    add("has_any", WORDS);
    for (together, alone) in tests {
        let text = match from {
            "print" => format!("print together = {together}, alone = {alone}"),
            _ => format!("{from} | project together = {together}, alone = {alone}"),
        };
        let answer = match house.ask_text(&[("logs", events)], &text, Way::Threads).await {
            Ok(answer) => answer,
            Err(errors) => panic!("{}", errors[0].render(&text)),
        };
        let table = &answer.tables[0];
        assert!(table.rows > 0, "{text}");
        for row in 0..table.rows {
            let [together, alone] = [0, 1].map(|place| value(&table.fields[place], row));
            assert_eq!(together, alone, "row {row} of {text}");
        }
    }
}

#[test]
fn a_list_says_what_its_elements_say() {
    block_on(async {
        let house = House::new().await;
        let filled = house.filled(&events(), Placement::Both).await;
        for column in COLUMNS {
            compare(&house, &filled.state, TABLE, column).await;
        }
        for literal in LITERALS {
            compare(&house, &filled.state, "print", literal).await;
        }
        for field in ["v", "_time"] {
            compare(&house, &filled.state, "logs", field).await;
        }
    });
}

#[test]
fn long_lists_are_sets_and_long_lists_of_others_are_refused() {
    let list = |count: usize, element: &dyn Fn(usize) -> String| {
        let elements: Vec<String> = (0..count).map(element).collect();
        format!("dynamic([{}])", elements.join(","))
    };
    let words = list(20_000, &|number| format!("\"w{number}\""));
    let numbers = list(20_000, &|number| number.to_string());
    let phrases = list(10_001, &|number| format!("\"w {number}\""));
    let maps = list(10_001, &|number| format!("{{\"k\":{number}}}"));
    block_on(async {
        let house = House::new().await;
        let count = async |text: String| {
            let answer = house.ask_text(&[], &text, Way::Threads).await;
            answer
                .map(|answer| value(&answer.tables[0].fields[0], 0))
                .map_err(|errors| errors[0].message.clone())
        };
        let rows = "datatable(s:string, y:dynamic)['a w19999 b', dynamic(19999), 'w20000', dynamic('1')]";
        let found = count(format!("{rows} | where s has_any ({words}) | count")).await;
        assert_eq!(found, Ok(json!(1)));
        assert_eq!(count(format!("{rows} | where y in ({numbers}) | count")).await, Ok(json!(1)));
        for text in [
            format!("{rows} | where s has_any ({phrases}) | count"),
            format!("{rows} | where y in ({maps}) | count"),
        ] {
            let refusal = count(text).await.unwrap_err();
            assert!(refusal.contains("more than 10000 elements"), "{refusal}");
        }
    });
}
