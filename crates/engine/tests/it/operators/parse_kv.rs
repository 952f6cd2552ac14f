//! `parse-kv`.

use serde_json::json;

use super::{check, check_dataset, messages, refuses};

#[test]
fn keys_stand_between_delimiters() {
    check(&[
        (
            "print m = 'place:Husum, level: 4, note:high water, more' \
             | parse-kv m as (note, level:long, nobody) with (pair_delimiter=',', kv_delimiter=':') | project-away m",
            json!([["note", "level", "nobody"], ["high water", 4, null]]),
        ),
        // Of a key that comes twice the first counts.
        (
            "print m = 'a=1;b=;a=2' | parse-kv m as (a:long, b) with (pair_delimiter=';', kv_delimiter='=')",
            json!([["m", "a", "b"], ["a=1;b=;a=2", 1, ""]]),
        ),
        (
            "print m = 'a=x' | parse-kv m as (a:long) with (kv_delimiter='=')",
            json!([["m", "a"], ["a=x", null]]),
        ),
    ]);
}

#[test]
fn quotes_hold_delimiters() {
    check(&[
        (
            r#"print m = 'x=1 "the note"="low \\"tide\\" now" y=2' | parse-kv m as (['the note'], x:long, y:long) with (pair_delimiter=' ', kv_delimiter='=', quote='"', escape='\\') | project-away m"#,
            json!([["the note", "x", "y"], ["low \"tide\" now", 1, 2]]),
        ),
        (
            "print m = 'a=(one two) b=3' | parse-kv m as (a, b) with (pair_delimiter=' ', kv_delimiter='=', quote='()') | project a, b",
            json!([["a", "b"], ["one two", "3"]]),
        ),
        (
            "print m = 'a=\"open b=3' | parse-kv m as (a, b) with (pair_delimiter=' ', kv_delimiter='=', quote='\"') | project a, b",
            json!([["a", "b"], ["\"open", "3"]]),
        ),
    ]);
}

#[test]
fn greedy_values_go_on_to_the_next_key() {
    let rows = "print m = 'ship=Blue Whale port=Bremer Haven pier=4'";
    check(&[
        (
            &format!(
                "{rows} | parse-kv m as (ship, port, pier) with (pair_delimiter=' ', kv_delimiter='=') | project-away m"
            ),
            json!([["ship", "port", "pier"], ["Blue", "Bremer", "4"]]),
        ),
        (
            &format!(
                "{rows} | parse-kv m as (ship, port, pier:int) with (pair_delimiter=' ', kv_delimiter='=', greedy=true) | project-away m"
            ),
            json!([["ship", "port", "pier"], ["Blue Whale", "Bremer Haven", 4]]),
        ),
    ]);
}

#[test]
fn words_and_regular_expressions_need_no_delimiters() {
    check(&[
        (
            "print m = '10:00 [warn] gauge: 17, place_name -> Husum!' | parse-kv m as (gauge:long, place_name) | project-away m",
            json!([["gauge", "place_name"], [17, "Husum"]]),
        ),
        (
            "print m = '[low: 1.5m] [high: 3.5m]' | parse-kv m as (high, low) with (regex=@'(\\w+): ([^\\]]+)') | project-away m",
            json!([["high", "low"], ["3.5m", "1.5m"]]),
        ),
    ]);
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[
        ("print m = 'a' | parse-kv m as (a) with (regex='(a)')", "needs two groups"),
        ("print m = 'a' | parse-kv m as (a) with (regex='(a', pair_delimiter=';')", "excludes delimiters"),
        ("print m = 'a' | parse-kv m as (a) with (pair_delimiter='', kv_delimiter='=')", "is empty"),
        ("print m = 'a' | parse-kv m as (a) with (quote='abc')", "one mark or two"),
        ("print m = 'a' | parse-kv m as (a) with (escape='ab')", "`escape` is one mark"),
    ]);
}

#[test]
fn events_are_taken_apart_wherever_they_lie() {
    let events = messages(&["a=1 b=x", "b=y", "a=2 b=x", "none", "a=3 b=x"]);
    check_dataset(
        &events,
        &[(
            "logs | parse-kv message as (a:long, b) with (pair_delimiter=' ', kv_delimiter='=') \
             | summarize total = sum(a) by b | sort by b asc",
            json!([["b", "total"], [null, 0], ["x", 6], ["y", 0]]),
        )],
    );
}
