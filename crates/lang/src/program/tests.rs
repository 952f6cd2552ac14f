//! How much is looked at for a text: of one that is twice as long about twice as much, whatever stands in it.

use super::read;

/// A text of so many parts.
type Family = (&'static str, fn(usize) -> String);

fn listed(count: usize, part: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(between)
}

const FAMILIES: &[Family] = &[
    ("columns of a table", |n| format!("datatable({})[]", listed(n, |at| format!("c{at}:long"), ","))),
    ("values of a table", |n| format!("datatable(a:long)[{}]", "1,".repeat(n))),
    ("aggregates of one name", |n| format!("t | summarize {}", listed(n, |_| "count()".to_owned(), ","))),
    ("values with names", |n| format!("{}t", listed(n, |at| format!("let a{at}=1;"), ""))),
    ("names of names", |n| format!("{}t", listed(n, |at| format!("let a{}=a{at};", at + 1), ""))),
    ("statements without an end", |n| format!("{}t", listed(n, |at| format!("let a{at}=x\n"), ""))),
    ("a list", |n| format!("t | where a in ({})", listed(n, |at| format!("b{at}"), ","))),
    ("lists", |n| format!("t | where {}", listed(n, |_| "a in (b)".to_owned(), " or "))),
    ("lists that do not end", |n| format!("t | where {}", listed(n, |_| "a in (b".to_owned(), ","))),
    ("a name of many words", |n| format!("t | where {} > 1", listed(n, |_| "a".to_owned(), "."))),
    ("names of many words", |n| format!("t | extend {}", listed(n, |at| format!("a.b.c{at}=d.e.f"), ","))),
    ("a pattern of many stars", |n| format!("t | project-away {}", "a*".repeat(n))),
    ("texts beside each other", |n| format!("print {}", "'a' ".repeat(n))),
    ("quotes of word processors", |n| format!("print {}", "“".repeat(n))),
    ("units that there are not", |n| format!("print {}", listed(n, |_| "1x".to_owned(), ","))),
    ("functions that there are not", |n| format!("print {}", listed(n, |_| "nope(1)".to_owned(), ","))),
    ("operators that are missing", |n| {
        format!("t | extend {}", listed(n, |_| "a contians b".to_owned(), ","))
    }),
    ("parentheses", |n| "(".repeat(n)),
    ("closing parentheses", |n| format!("t{}", ")".repeat(n))),
    ("pipes", |n| format!("t{}", "|".repeat(n))),
    ("signs", |n| format!("print {}1", "-".repeat(n))),
    ("lines that are empty", |n| format!("let a = 1{}\nb\n", "\n".repeat(n))),
    ("letters of no language", |n| "# ".repeat(n)),
    ("literals that do not end", |n| format!("print {}", "datetime(".repeat(n))),
    ("values in values", |n| format!("print {}", "dynamic([".repeat(n))),
];

/// Beside what grows with the text: what is looked at before too many mistakes or too deep a nesting end the reading.
const FIRST_LOOKS: usize = 2_000;

#[test]
fn a_text_that_is_twice_as_long_is_twice_the_work() {
    for (name, text) in FAMILIES {
        let looks = |parts: usize| read(&text(parts)).1.looks();
        let (once, twice) = (looks(4_000), looks(8_000));
        // What is quadratic would become four times as much.
        let is_more = twice > 2 * once + once / 10 + FIRST_LOOKS;
        assert!(!is_more, "{name}: {once} looks at tokens become {twice}");
    }
}
