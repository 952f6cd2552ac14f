//! `parse` and `parse-where`.

use serde_json::json;

use super::{check, check_dataset, messages, refuses};

#[test]
fn constants_and_columns_stand_one_after_the_other() {
    check(&[
        (
            "print m = 'tide=4.5m at Husum, gauge 17' | parse m with 'tide=' tide:real 'm at ' place ', gauge ' gauge:long",
            json!([["m", "tide", "place", "gauge"], ["tide=4.5m at Husum, gauge 17", 4.5, "Husum", 17]]),
        ),
        // Without `*` the pattern begins where the text begins.
        (
            "datatable(m:string)['a=1', 'x a=1'] | parse m with 'a=' a:long",
            json!([["m", "a"], ["a=1", 1], ["x a=1", null]]),
        ),
        (
            "datatable(m:string)['a=1', 'x a=1'] | parse m with * 'a=' a:long",
            json!([["m", "a"], ["a=1", 1], ["x a=1", 1]]),
        ),
        // A number goes as far as it is one where anything may follow.
        (
            "print m = 'n=27, k=0x1f rest' | parse m with * 'n=' n:long * 'k=' k ' ' * | project n, k",
            json!([["n", "k"], [27, "0x1f"]]),
        ),
        ("print m = 'a-b' | parse m with x '-' m", json!([["m", "x"], ["b", "a"]])),
        ("print m = 17 | parse m with '1' n:long", json!([["m", "n"], [17, 7]])),
        ("print m = 'äö-ü' | parse m with a '-' b", json!([["m", "a", "b"], ["äö-ü", "äö", "ü"]])),
    ]);
}

#[test]
fn every_type_is_read() {
    check(&[
        (
            "print m = 'true|7|-1.5|2026-07-01T10:00:00Z|90m|[1, 2]|x' \
             | parse m with b:bool '|' i:int '|' r:real '|' d:datetime '|' t:timespan '|' y:dynamic '|' s:string \
             | project b, i, r, d, t, y, s",
            json!([
                ["b", "i", "r", "d", "t", "y", "s"],
                [true, 7, -1.5, "2026-07-01T10:00:00Z", "1h30m0s", [1, 2], "x"]
            ]),
        ),
        (
            "print m = 'at 07/01/2026 10:30:00, done' | parse m with 'at ' d:datetime ',' * | project d",
            json!([["d"], ["2026-07-01T10:30:00Z"]]),
        ),
    ]);
}

#[test]
fn a_type_that_does_not_fit_makes_all_null_unless_it_is_relaxed() {
    let rows = "datatable(m:string)['a=1 b=x', 'a=q b=y', 'nothing', '']";
    check(&[
        (
            &format!("{rows} | parse m with 'a=' a:long ' b=' b"),
            json!([
                ["m", "a", "b"],
                ["a=1 b=x", 1, "x"],
                ["a=q b=y", null, null],
                ["nothing", null, null],
                ["", null, null]
            ]),
        ),
        (
            &format!("{rows} | parse kind=relaxed m with 'a=' a:long ' b=' b"),
            json!([
                ["m", "a", "b"],
                ["a=1 b=x", 1, "x"],
                ["a=q b=y", null, "y"],
                ["nothing", null, null],
                ["", null, null]
            ]),
        ),
        (
            &format!("{rows} | parse-where m with 'a=' a:long ' b=' b"),
            json!([["m", "a", "b"], ["a=1 b=x", 1, "x"]]),
        ),
    ]);
}

#[test]
fn regular_expressions_take_as_much_as_they_can_unless_told_otherwise() {
    let rows = "print m = 'Name=buoy, depth=12, state=ok, end'";
    check(&[
        (
            &format!("{rows} | parse kind=regex m with * 'Name=' name ',' * | project name"),
            json!([["name"], ["buoy, depth=12, state=ok"]]),
        ),
        (
            &format!("{rows} | parse kind=regex flags=Ui m with * 'NAME=' name ',' * | project name"),
            json!([["name"], ["buoy"]]),
        ),
        (
            &format!(
                "{rows} | parse kind=regex m with @'\\w+=' name @',\\s*depth=' depth:long ', state=(ok|bad)' * | project name, depth"
            ),
            json!([["name", "depth"], ["buoy", 12]]),
        ),
        (
            &format!("{rows} | parse kind=regex m with @'depth=(?P<depth>\\d+)' | project depth"),
            json!([["depth"], ["12"]]),
        ),
        (&format!("{rows} | parse-where kind=regex m with 'no' name | count"), json!([["Count"], [0]])),
    ]);
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[
        ("print m = 'a' | parse kind=regex m with '(' a", "cannot be read"),
        ("print m = 'a' | parse flags=i m with 'x' a", "write `kind=regex`"),
        ("print m = 'a' | parse kind=regex flags=iq m with 'x' a", "`q` is no flag"),
        ("print m = 'a' | parse n with 'x' a", "invalid field: \"n\""),
    ]);
}

#[test]
fn events_are_taken_apart_wherever_they_lie() {
    let mut texts: Vec<String> = (0..40).map(|n| format!("user=u{} took {}ms", n % 3, n % 7)).collect();
    texts.push("something else".to_owned());
    let events = messages(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    check_dataset(
        &events,
        &[
            (
                "logs | parse message with 'user=' user ' took ' took:long 'ms' | summarize n = count(), most = max(took) by user | sort by user asc",
                json!([["user", "n", "most"], [null, 1, null], ["u0", 14, 6], ["u1", 13, 6], ["u2", 13, 6]]),
            ),
            (
                "logs | parse-where message with 'user=' user ' took ' took:long 'ms' | where took > 5 | count",
                json!([["Count"], [5]]),
            ),
            ("logs | take 1 | parse-where message with 'user=' user | count", json!([["Count"], [0]])),
            ("logs | parse nobody with 'user=' user | project user | take 1", json!([["user"], [null]])),
        ],
    );
}
