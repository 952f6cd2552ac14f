//! `mv-expand`.

use serde_json::{Value as Json, json};

use super::{check, check_dataset, refuses, time};

#[test]
fn each_element_has_a_row() {
    check(&[
        (
            "datatable(a:long, b:dynamic)[1, dynamic([10, 'x', null, {'k': 1}]), 2, dynamic([])] | mv-expand b",
            json!([["a", "b"], [1, 10], [1, "x"], [1, null], [1, {"k": 1}]]),
        ),
        // Null is one row, and what is no array stays itself.
        (
            "datatable(a:long, b:dynamic)[1, dynamic(null), 2, dynamic(7)] | mv-expand b",
            json!([["a", "b"], [1, null], [2, 7]]),
        ),
        ("print a = 'x', b = 2h | mv-expand a, b", json!([["a", "b"], ["x", "2h0m0s"]])),
        ("print a = dynamic([[1, 2], [3]]) | mv-expand a | mv-expand a", json!([["a"], [1], [2], [3]])),
        ("print a = dynamic([1, 2]) | mv-expand a | where a > 1", json!([["a"], [2]])),
    ]);
}

#[test]
fn members_of_maps_are_maps_or_pairs() {
    let rows = "print m = dynamic({'low': 1.5, 'high \"w\"': [3]})";
    check(&[
        (&format!("{rows} | mv-expand m"), json!([["m"], [{"low": 1.5}], [{"high \"w\"": [3]}]])),
        (
            &format!("{rows} | mv-expand kind=array m | extend key = m[0]"),
            json!([["m", "key"], [["low", 1.5], "low"], [["high \"w\"", [3]], "high \"w\""]]),
        ),
        ("print m = dynamic({}) | mv-expand m | count", json!([["Count"], [0]])),
    ]);
}

#[test]
fn several_fields_go_side_by_side() {
    check(&[
        (
            "print a = dynamic([1, 2, 3]), b = dynamic(['x', 'y']), c = dynamic([]), d = 'd' \
             | mv-expand with_itemindex=place a, b, c",
            json!([
                ["a", "b", "c", "d", "place"],
                [1, "x", null, "d", 0],
                [2, "y", null, "d", 1],
                [3, null, null, "d", 2]
            ]),
        ),
        (
            "print a = dynamic([1, 2, 3]) | mv-expand b = a, c = split('x-y', '-') limit 2",
            json!([["a", "b", "c"], [[1, 2, 3], 1, "x"], [[1, 2, 3], 2, "y"]]),
        ),
        ("print a = dynamic([1, 2, 3]) | mv-expand a limit=1", json!([["a"], [1]])),
    ]);
}

#[test]
fn elements_become_a_type() {
    check(&[
        (
            "print a = dynamic([1, '2', 'x', 2.5]) | mv-expand a to typeof(long) | extend b = a + 1",
            json!([["a", "b"], [1, 2], [2, 3], [null, null], [2, 3]]),
        ),
        (
            "print a = dynamic([1, 'x', [2]]) | mv-expand a to typeof(string)",
            json!([["a"], ["1"], ["x"], ["[2]"]]),
        ),
        (
            "print a = dynamic(['2026-07-01', 'x']) | mv-expand a to typeof(datetime)",
            json!([["a"], ["2026-07-01T00:00:00Z"], [null]]),
        ),
        (
            "print a = dynamic([true, 'no']), b = dynamic([1, 2.5]) | mv-expand a to typeof(bool), b to typeof(real)",
            json!([["a", "b"], [true, 1.0], [null, 2.5]]),
        ),
        (
            "print a = dynamic([1]) | mv-expand a to typeof(long) | getschema | project ColumnName, ColumnType",
            json!([["ColumnName", "ColumnType"], ["a", "long"]]),
        ),
    ]);
}

#[test]
fn long_arrays_are_cut_in_batches() {
    let count = 40_000;
    let list = format!("[{}]", (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    check(&[(
        &format!(
            "datatable(g:string, a:dynamic)['x', dynamic({list}), 'y', dynamic([1, 2])] | mv-expand with_itemindex=i a to typeof(long) \
             | summarize n = count(), s = sum(a), wrong = countif(g == 'x' and a != i) by g | sort by g asc"
        ),
        json!([["g", "n", "s", "wrong"], ["x", count, count * (count - 1) / 2, 0], ["y", 2, 3, 0]]),
    )]);
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[
        ("print a = 1 | mv-expand b", "invalid field: \"b\""),
        ("print a = 1 | mv-expand a limit 'x'", "the number of rows"),
    ]);
}

#[test]
fn events_are_taken_apart_wherever_they_lie() {
    let event = |n: usize| {
        let tags: Vec<String> = (0..n % 4).map(|tag| format!("t{tag}")).collect();
        json!({"_time": time(n), "n": n, "tags": tags})
    };
    let mut events: Vec<Json> = (0..20).map(event).collect();
    events.push(json!({"_time": time(30), "n": 30}));
    check_dataset(
        &events,
        &[
            (
                "logs | mv-expand tag = tags to typeof(string) | summarize count() by tag | sort by tag asc",
                json!([["tag", "count_"], [null, 1], ["t0", 15], ["t1", 10], ["t2", 5]]),
            ),
            (
                "logs | where n < 3 | mv-expand tags | sort by n asc | project n, tags",
                json!([["n", "tags"], [1, "t0"], [2, "t0"], [2, "t1"]]),
            ),
            (
                "logs | where n == 2 | extend more = strcat('x', tostring(n)) | mv-expand tags | extend both = strcat(more, tags) \
                 | sort by both desc | project both, column_ifexists('n', 0)",
                json!([["both", "Column1"], ["x2t1", 2], ["x2t0", 2]]),
            ),
            ("logs | sort by n desc | take 2 | mv-expand tags | count", json!([["Count"], [4]])),
            (
                "logs | mv-expand nothing | where n == 0 | project n, nothing",
                json!([["n", "nothing"], [0, null]]),
            ),
        ],
    );
}
