//! What is said about wrong expressions: message, place and hint. The list is also how we notice a bad message.

use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::parse_expression;

const WRONG: &[&str] = &[
    // Nothing, or not enough.
    "",
    "   ",
    "a ==",
    "== 1",
    "a and",
    "and b",
    "a + * b",
    "()",
    "a, b",
    "a == 1 and and b == 2",
    "contains \"x\"",
    // Two values without an operator.
    "a b",
    "a 1",
    "\"a\" b",
    "1 (2)",
    "a == 1 b == 2",
    // Operators of other languages.
    "a = 1",
    "a && b",
    "a & b",
    "a || b",
    "!a",
    "a === 1",
    "a AND b",
    "a like \"x\"",
    "a IS NULL",
    "not a == 1",
    "a not in (1)",
    "a eq 1",
    "a contain \"x\"",
    "a !contain \"x\"",
    "a matches \"x\"",
    "a regex \"x\"",
    "a has_all (\"x\")",
    "a ~ \"x\"",
    "a ? b : c",
    "a !== 1",
    "a not contains \"x\"",
    "name.strlen()",
    "a !foo b",
    "a == b == c",
    "1 < a < 5",
    // Lists and ranges.
    "a in ()",
    "a in (1, 2",
    "a in (1 2)",
    "strcat(a b)",
    "a between 1 and 5",
    "a between (1, 5)",
    "a between (1 .. )",
    "a == [1, 2]",
    "[]",
    "['']",
    "1 .. 5",
    // Brackets.
    "(a",
    "a)",
    "((a) and b",
    "strlen(a",
    "a[0",
    "a]",
    "a.",
    "a.0",
    "a[]",
    ".5",
    // Texts.
    "\"abc",
    "'abc == 1",
    "a == \"x\ny\"",
    "\"\\d+\"",
    "\"\\u12\"",
    "“a”",
    "```abc",
    // Numbers and timespans.
    "0x10000000000000000",
    "1e400",
    "real(1e400)",
    "0xZZ",
    "5x",
    "1hrz",
    "3dayz",
    "1e",
    "1_000",
    "1h_",
    "500000w",
    // Literals with a type.
    "datetime(2026-13-01)",
    "datetime(x)",
    "datetime(todatetime(x))",
    "timespan(5)",
    "long(1.5)",
    "bool(maybe)",
    "string(\"x\")",
    "real(abc)",
    "datetime(2026-07-01",
    "dynamic([1, 2)",
    "dynamic({a: 1})",
    "dynamic([GET])",
    "dynamic()",
    "dynamic([1,])",
    "dynamic(1",
    // Functions.
    "toitn(a)",
    "ToInt(a)",
    "lower(a)",
    "length(a)",
    "geo_info(a)",
    "count()",
    "a > avg(b)",
    "strlen()",
    "strlen(a, b)",
    "substring(a)",
    "now(1h, 2h)",
    "case(a, 1)",
    "case(a, 1, b, 2)",
    "coalesce()",
    // Characters.
    "a § b",
    "a == 1;",
    "a | where b",
    "{a}",
    "a == \u{0}",
    // Several at once, also on several lines.
    "toitn(a) = 1 and lenght(b) > \"x",
    "a == 1\nand toupp(b) == 'X'\nand c is null",
    "ä == größe größer",
];

#[test]
fn wrong_expressions_have_these_diagnostics() {
    let mut rendered = String::new();
    for text in WRONG {
        let (_, diagnostics) = parse_expression(text);
        assert_ne!(diagnostics, [], "{text:?} has a mistake");
        rendered.push_str(&format!("{text:?}\n{}\n\n", render_all(&diagnostics, text)));
    }
    insta::assert_snapshot!(rendered);
}

#[test]
fn messages_are_lowercase_without_a_full_stop_and_say_what_to_write() {
    for text in WRONG {
        for diagnostic in parse_expression(text).1 {
            let message = &diagnostic.message;
            let begins_well = message.starts_with(|c: char| c.is_lowercase() || c == '`');
            assert!(begins_well && !message.ends_with('.'), "{message}");
            assert!(diagnostic.hint.is_some_and(|hint| !hint.ends_with('.')), "{message}");
        }
    }
}
