//! Formatting: what queries look like afterwards, and that nothing else changes.

use proptest::prelude::*;
use tidegauge_lang::{format, parse_query, print_query};

use crate::query_properties::programs;

#[test]
fn queries_are_laid_out_with_their_comments() {
    for (text, expected) in [
        ("web|where  a==1|take 5", "web\n| where a == 1\n| take 5"),
        ("web |\nwhere a |\n  count", "web\n| where a\n| count"),
        (
            "// all errors\nweb // of the web\n| where status>=500 // server\n// by host\n| summarize count() by host",
            "// all errors\nweb // of the web\n| where status >= 500 // server\n// by host\n| summarize count() by host",
        ),
        ("web | // first\nwhere a", "web // first\n| where a"),
        ("web | where a // last", "web\n| where a // last"),
        ("web\n| where a // one\n  and b", "web\n| where a // one\n    and b"),
        ("let x=5;let t = web|where a;t|take x", "let x = 5;\nlet t = web | where a;\nt\n| take x"),
        ("set stricttypes;web", "set stricttypes;\nweb"),
        ("web|join kind = inner(other|project id)on id", "web\n| join kind=inner (other | project id) on id"),
        ("web | project-away  geo*,['a b']*", "web\n| project-away geo*, ['a b']*"),
        ("web | project-away  geo.*, *.id", "web\n| project-away geo.*, *.id"),
        ("web | project-reorder b* granny-asc", "web\n| project-reorder b* granny-asc"),
        ("web | extend kind=- 1,y = a-b*-2", "web\n| extend kind = -1, y = a - b * -2"),
        ("web | where tostring (x) !in('a' ,'b')", "web\n| where tostring(x) !in ('a', 'b')"),
        ("web | where a.b [0]['c'] has_any(x)", "web\n| where a.b [0]['c'] has_any (x)"),
        ("web | where _time between(ago(1h)..now())", "web\n| where _time between (ago(1h) .. now())"),
        ("web | parse  m with * \"a=\"x : long  \"b\" *", "web\n| parse m with * \"a=\" x:long \"b\" *"),
        ("union a*,b", "union a*, b"),
        ("search in(a*) level : \"x\"", "search in (a*) level:\"x\""),
        ("print  x=1", "print x = 1"),
        ("datatable(a:long , b:string)[1,'x']", "datatable(a:long, b:string)[1, 'x']"),
    ] {
        assert_eq!(format(text).as_deref(), Ok(expected), "{text}");
        assert_eq!(format(expected).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn long_stages_go_on_several_lines() {
    let text = "web | where status >= 500 and method in (\"GET\", \"POST\") and path startswith \"/api/v2/orders\" \
        and region != \"eu-central-1\" | project one = strcat(\"aaaaaaaaaaaaaaaaaaaa\", \"b\"), two = 2, three = \
        strlen(\"cccccccccccccccccccccccccccccc\"), four | join (other | where aaaaaaaaaaaaaaaaaaaaaaaaaaaa == \
        bbbbbbbbbbbbbbbbbbbbbbbb | project id, other_field) on id";
    let expected = "web
| where status >= 500
    and method in (\"GET\", \"POST\")
    and path startswith \"/api/v2/orders\"
    and region != \"eu-central-1\"
| project one = strcat(\"aaaaaaaaaaaaaaaaaaaa\", \"b\"),
    two = 2,
    three = strlen(\"cccccccccccccccccccccccccccccc\"),
    four
| join (other
    | where aaaaaaaaaaaaaaaaaaaaaaaaaaaa == bbbbbbbbbbbbbbbbbbbbbbbb
    | project id, other_field) on id";
    assert_eq!(format(text).as_deref(), Ok(expected));
    assert_eq!(format(expected).as_deref(), Ok(expected));
}

#[test]
fn values_of_a_table_stand_in_rows() {
    let values = (0..12).map(|row| format!("{row}, \"name {row}\"")).collect::<Vec<_>>().join(", ");
    let formatted = format(&format!("datatable(id:long, name:string)[{values}] | take 1")).unwrap();
    let lines: Vec<&str> = formatted.lines().collect();
    assert_eq!(&lines[..3], ["datatable(id:long, name:string)[", "    0, \"name 0\",", "    1, \"name 1\","]);
    assert_eq!(lines.last(), Some(&"| take 1"));
}

#[test]
fn mistakes_are_told_and_nothing_is_changed() {
    let wrong = format("web | wher a").unwrap_err();
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].hint.as_ref().is_some_and(|hint| hint.contains("where")));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn a_formatted_query_is_the_same_query(
        program in programs(),
        comments in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..4),
    ) {
        let mut text = print_query(&program);
        for (place, is_own_line) in comments {
            let blanks: Vec<usize> = text.match_indices(' ').map(|(place, _)| place).collect();
            if !blanks.is_empty() {
                let place = *place.get(&blanks);
                text.insert_str(place, if is_own_line { "\n// note\n" } else { " // note\n" });
            }
        }
        let (before, diagnostics) = parse_query(&text);
        // A comment may have fallen into a text.
        prop_assume!(diagnostics.is_empty());
        let formatted = format(&text).unwrap();
        let (after, diagnostics) = parse_query(&formatted);
        prop_assert_eq!(diagnostics, []);
        prop_assert_eq!(print_query(&after), print_query(&before));
        prop_assert_eq!(formatted.matches("// note").count(), text.matches("// note").count());
        prop_assert_eq!(format(&formatted).unwrap(), formatted);
    }
}
