//! `redact`.

use serde_json::json;

use super::{check, check_dataset, messages, refuses};

#[test]
fn what_is_found_is_replaced() {
    let rows = "print a = 'call 555-12 or 555-99', b = 'no 1', n = 5, d = dynamic(['555'])";
    check(&[
        (
            &format!("{rows} | redact '[0-9]+'"),
            json!([["a", "b", "n", "d"], ["call ***-** or ***-**", "no *", 5, ["555"]]]),
        ),
        (
            &format!("{rows} | redact replaceToken='x' '[0-9]+', 'no' on a | project a, b"),
            json!([["a", "b"], ["call xxx-xx or xxx-xx", "no 1"]]),
        ),
        (
            &format!("{rows} | redact replaceToken='<number>' '[0-9]+' on a, b | project a, b"),
            json!([["a", "b"], ["call <number>-<number> or <number>-<number>", "no <number>"]]),
        ),
        (
            &format!("{rows} | redact replaceToken='.' redactGroups=true '([0-9]+)-(?:[0-9]+)' | project a"),
            json!([["a"], ["call ...-12 or ...-99"]]),
        ),
        (
            &format!("{rows} | redact '.*' on a* | project a, b"),
            json!([["a", "b"], ["*".repeat(21), "no 1"]]),
        ),
        ("print a = 'äöü x' | redact 'äöü'", json!([["a"], ["*** x"]])),
        ("print a = 'x' | redact 'y*'", json!([["a"], ["x"]])),
    ]);
}

#[test]
fn equal_texts_have_equal_hashes() {
    check(&[
        (
            "datatable(a:string)['one', 'two', 'one'] | redact replaceHash=true '.+' \
             | summarize n = count(), lengths = make_set(strlen(a)) by a | sort by n desc | project n, lengths",
            json!([["n", "lengths"], [2, [8]], [1, [8]]]),
        ),
        ("print a = 'x' | redact replaceHash=true 'x'", json!([["a"], ["LXEWQrcm"]])),
    ]);
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[
        ("print a = 'x' | redact '('", "cannot be read"),
        ("print a = 'x' | redact '(?!x)y'", "without looking ahead"),
        ("print a = 'x' | redact redactGroups=true 'x'", "has no group"),
        ("print a = 'x' | redact 'x' on b", "invalid field: \"b\""),
    ]);
}

#[test]
fn events_are_redacted_wherever_they_lie() {
    let events = messages(&["card 1234", "card 5678", "card 1234", "none"]);
    check_dataset(
        &events,
        &[
            (
                "logs | redact '[0-9]{4}' | project message | distinct message | sort by message asc",
                json!([["message"], ["card ****"], ["none"]]),
            ),
            (
                "logs | redact '[0-9]{4}' on message | where message contains '1234' or nobody == 1 | count",
                json!([["Count"], [0]]),
            ),
        ],
    );
}
