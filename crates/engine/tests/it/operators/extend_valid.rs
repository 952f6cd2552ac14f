//! `extend-valid`: a value that is of no use is null, and the row stays.

use serde_json::json;

use super::{check, check_dataset, messages, refuses};

#[test]
fn values_of_no_use_are_null() {
    check(&[
        (
            "datatable(s:string, n:long, r:real)['x', 1, 0.5, '', 0, 0.0] | extend-valid a = s, b = n, c = r | project a, b, c",
            json!([["a", "b", "c"], ["x", 1, 0.5], [null, null, null]]),
        ),
        (
            "datatable(d:dynamic)[dynamic([1]), dynamic([]), dynamic({}), dynamic(null)] | extend-valid a = d | project a",
            json!([["a"], [[1]], [null], [null], [null]]),
        ),
        (
            "print t = true, f = false, d = datetime(2026-07-01), z = datetime(null) | extend-valid a = t, b = f, c = d, e = z | project a, b, c, e",
            json!([["a", "b", "c", "e"], [true, null, "2026-07-01T00:00:00Z", null]]),
        ),
        ("print x = 1.0 | extend-valid a = x / 0.0 | project a", json!([["a"], [null]])),
        // Later fields see earlier ones.
        (
            "print s = 'a' | extend-valid u = toupper(s), v = strcat(u, u)",
            json!([["s", "u", "v"], ["a", "A", "AA"]]),
        ),
    ]);
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[("print s = 'a' | extend-valid u = toupper(t)", "invalid field: \"t\"")]);
}

#[test]
fn events_stay_wherever_they_lie() {
    check_dataset(
        &messages(&["x", "", "y"]),
        &[(
            "logs | extend-valid text = message, none = nobody | summarize n = count(), m = count(text), k = count(none)",
            json!([["n", "m", "k"], [3, 2, 0]]),
        )],
    );
}
