//! What expressions are read as.

use tidegauge_lang::print_expression;

use crate::support::read;

const EXPRESSIONS: &[&str] = &[
    // How tightly operators bind.
    "toint(response) < 400",
    "a or b and c",
    "a and b or c and d",
    "(a or b) and c",
    "a and b and c",
    "a == 1 and b != 2",
    "a <> 1",
    "a + b * c - d / e % f",
    "a - b - c",
    "a - (b - c)",
    "a < b == c",
    "a == b + 1",
    "a * b contains \"x\"",
    "-a contains \"x\"",
    "a + 1 > 2 and b",
    "x == 5 or y in (1, 2) and z",
    // Signs.
    "-3",
    "- 3",
    "-(3)",
    "--3",
    "-a",
    "+a",
    "+3 - -4",
    "a -1",
    "-1.5e3",
    "-1h",
    "-a[0]",
    "-3[0]",
    "long(-9223372036854775808)",
    "-9223372036854775808",
    "18446744073709551615 > -18446744073709551615",
    "-(00018446744073709551616)",
    // Tests of texts.
    "a =~ \"x\"",
    "a !~ \"x\"",
    "a contains \"x\"",
    "a !contains \"x\"",
    "a contains_cs \"x\"",
    "a !contains_cs \"x\"",
    "a startswith \"x\"",
    "a !startswith_cs \"x\"",
    "a endswith \"x\"",
    "a !endswith_cs \"x\"",
    "a has \"x\"",
    "a !has \"x\"",
    "a has_cs \"x\"",
    "a hasprefix \"x\" and b hasprefix_cs \"x\"",
    "a !hassuffix \"x\" or b hassuffix_cs \"x\"",
    "a matches regex \"^x\"",
    "a !matches regex @'\\d+'",
    // Lists and ranges.
    "a in (1, 2, 3)",
    "a !in (\"x\")",
    "a in~ (\"x\", \"y\")",
    "a !in~ (\"x\")",
    "a in (dynamic([1, 2]))",
    "a in dynamic([1, 2])",
    "a has_any (\"x\", \"y\")",
    "a has_any_cs (\"x\")",
    "a between (1 .. 5)",
    "a between (1..5)",
    "a !between (ago(1h) .. now())",
    "a + 1 between (b .. c + 1)",
    // Negation.
    "not(a)",
    "not (a == 1)",
    "not(a) and b",
    // Fields and members.
    "a.b.c",
    "_time",
    "$left.x",
    "['geo.city']",
    "[\"geo city\"]",
    "['geo.city'].x",
    "['geo.city']['x y'][0]",
    "a.b[0].c",
    "a[\"b\"]",
    "a.['b']",
    "a[b + 1]",
    "a[-1]",
    "parse_json(a).b.c[0]",
    "(a).b",
    "['in'] in (1)",
    "a.in",
    "has_x",
    "h",
    "['kubernetes.labels.app\\\\.kubernetes\\\\.io/name']",
    "größe > 3",
    // Calls.
    "now()",
    "strcat(\"a\", 1, b)",
    "iff(a > 1, \"x\", iff(b, \"y\", \"z\"))",
    "toint (a)",
    "case(a, 1, b, 2, 3)",
    // Blanks and comments.
    " a\n\t== // the first\n 1 // the last",
    "a//b",
];

const LITERALS: &[&str] = &[
    "true",
    "False",
    "TRUE",
    "null",
    "0",
    "123",
    "9223372036854775807",
    "0x1F",
    "0Xff",
    "0xffffffffffffffff",
    "1.5",
    "1e5",
    "1.5E-3",
    "2e+2",
    "\"text\"",
    "'text'",
    "'it\\'s'",
    "\"a\\\\b\\\"c\\'d\\te\\nf\\rg\"",
    "\"\\u00e4\\ud83d\\ude00\"",
    "@\"C:\\dir\"",
    "@'it''s'",
    "@\"say \"\"x\"\"\"",
    "h\"secret\"",
    "H@'secret\\d'",
    "```two\nlines```",
    "~~~a 'b' \"c\"~~~",
    "\"one \" 'two'\n@\"\\three\"",
    "\"日本語 🎉\"",
    "2d",
    "1.5h",
    "30m",
    "10s",
    "0.1s",
    "100ms",
    "1w",
    "10min",
    "1sec",
    "5microseconds",
    "3ticks",
    "7nanos",
    "2us",
    "1h30m",
    "timespan(15s)",
    "time(1h)",
    "timespan(0.12:34:56.7)",
    "timespan('1d')",
    "timespan(-90m)",
    "timespan(null)",
    "datetime(2019-11-30 23:59:59.9)",
    "datetime(2015-12-31)",
    "datetime('2022-09-16')",
    "datetime(2026-07-01T10:00:00.123456789Z)",
    "datetime(2026-07-01T12:00:00+02:00)",
    "date(2026-07-01T10:00)",
    "datetime (1970-01-01)",
    "datetime(0001-01-01)",
    "datetime(null)",
    "bool(true)",
    "bool(0)",
    "boolean(null)",
    "int(5)",
    "long(-3)",
    "long(0x10)",
    "int(null)",
    "real(1)",
    "real(-1.5e3)",
    "double(+inf)",
    "real(-inf)",
    "real(nan)",
    "string(null)",
    "dynamic(null)",
    "dynamic(6)",
    "dynamic(-1.5e3)",
    "dynamic(\"x\")",
    "dynamic([3, 4, \"bye\"])",
    "dynamic(['GET', 'PO\"ST', @'a\\b'])",
    "dynamic({\"a\": 1, \"b\": {\"a\": [true, null]}})",
    "dynamic( { 'id' : 1 } )",
    "dynamic([])",
    "dynamic({})",
    "dynamic([100ms, 200ms])",
    "dynamic([datetime(2026-07-01), null])",
    "dynamic([\"a)b\", \"(\"])",
];

/// Each text with the shape of its tree and the text that the tree is printed as.
fn shapes(texts: &[&str]) -> String {
    let mut lines = String::new();
    for text in texts {
        let (expr, _) = tidegauge_lang::parse_expression(text);
        let printed = print_expression(&expr);
        lines.push_str(&format!("{}\n    {}\n    {printed}\n", text.replace('\n', "⏎"), read(text)));
        assert_eq!(read(&printed), read(text), "{text} is printed as {printed}");
    }
    lines
}

#[test]
fn expressions_have_these_trees() {
    insta::assert_snapshot!(shapes(EXPRESSIONS));
}

#[test]
fn literals_have_these_values() {
    insta::assert_snapshot!(shapes(LITERALS));
}

#[test]
fn spans_are_the_places_of_the_parts() {
    let text = "a and strlen( ['b c'] ) == -1";
    let (expr, _) = tidegauge_lang::parse_expression(text);
    let mut found = Vec::new();
    crate::properties::walk(&expr, &mut |part| found.push(&text[part.span.range()]));
    assert_eq!(found, [text, "a", "strlen( ['b c'] ) == -1", "strlen( ['b c'] )", "['b c']", "-1"]);
}
