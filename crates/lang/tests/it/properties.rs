//! Properties of reading and printing, over generated texts and trees.

use proptest::prelude::*;
use tidegauge_lang::functions;
use tidegauge_lang::tree::{BinaryOperator, Expr, ExprKind, Literal, TextTest};
use tidegauge_lang::{Diagnostic, Span, parse_expression, print_expression};

/// Calls a function with every part of a tree, from the root.
pub(crate) fn walk<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    visit(expr);
    for child in expr.children() {
        walk(child, visit);
    }
}

/// Reading a text holds its promises: all spans lie in it, and an error in the tree has a diagnostic.
fn check(text: &str) {
    let (expr, diagnostics) = parse_expression(text);
    let check_span = |span: Span| {
        assert!(text.get(span.range()).is_some(), "{span:?} of {text:?}");
    };
    let mut has_error = false;
    walk(&expr, &mut |part| {
        check_span(part.span);
        has_error |= part.kind == ExprKind::Error;
    });
    for diagnostic in &diagnostics {
        check_span(diagnostic.span);
        let Diagnostic { message, hint, .. } = diagnostic;
        assert!(!message.is_empty() && hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{message}");
        diagnostic.render(text);
    }
    assert!(!has_error || !diagnostics.is_empty(), "{text:?}");
    if diagnostics.is_empty() {
        let printed = print_expression(&expr);
        let (again, diagnostics) = parse_expression(&printed);
        assert_eq!(diagnostics, [], "{text:?} is printed as {printed:?}");
        assert_eq!(print_expression(&again), printed);
    }
}

/// The tree without its places.
fn unplaced(mut expr: Expr) -> Expr {
    fn clear(expr: &mut Expr) {
        expr.span = Span::default();
        expr.children_mut().into_iter().for_each(clear);
    }
    clear(&mut expr);
    expr
}

pub(crate) fn literals() -> impl Strategy<Value = Literal> {
    prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Boolean),
        any::<i64>().prop_map(Literal::Integer),
        (-10_i64..10).prop_map(Literal::Integer),
        "-?[1-9][0-9]{19,30}".prop_map(Literal::LongInteger),
        any::<f64>().prop_filter("is equal to itself", |number| !number.is_nan()).prop_map(Literal::Float),
        ".{0,12}".prop_map(Literal::String),
        any::<String>().prop_map(Literal::String),
        any::<i64>().prop_map(Literal::Datetime),
        any::<i64>().prop_map(Literal::Timespan),
        (-100_i64..100).prop_map(|seconds| Literal::Timespan(seconds * 1_000_000_000)),
        prop::sample::select(vec!["6", "[]", "{}", "[1,\"a\"]", "{\"a\":{\"b\":null}}", "\"ä\\n\""])
            .prop_map(|json| Literal::Dynamic(json.to_owned())),
    ]
}

pub(crate) fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_]{0,5}",
        "[a-z]{1,3}\\.[a-z]{1,3}",
        prop::sample::select(vec![
            "in", "and", "not", "true", "h", "datetime", "matches", "a-b", "1a", "a..b", "ä ö"
        ])
        .prop_map(str::to_owned),
        any::<String>().prop_filter("has a character", |name| !name.is_empty()),
    ]
}

fn binary_operators() -> impl Strategy<Value = BinaryOperator> {
    use BinaryOperator as Binary;
    prop::sample::select(vec![
        Binary::Or,
        Binary::And,
        Binary::Equal,
        Binary::NotEqual,
        Binary::Less,
        Binary::LessOrEqual,
        Binary::Greater,
        Binary::GreaterOrEqual,
        Binary::Add,
        Binary::Subtract,
        Binary::Multiply,
        Binary::Divide,
        Binary::Modulo,
    ])
}

/// Tests with their case rule, as far as they can be written.
fn text_tests() -> impl Strategy<Value = (TextTest, bool)> {
    let both = vec![
        TextTest::Contains,
        TextTest::StartsWith,
        TextTest::EndsWith,
        TextTest::Has,
        TextTest::HasPrefix,
        TextTest::HasSuffix,
    ];
    prop_oneof![
        (prop::sample::select(both), any::<bool>()),
        Just((TextTest::Equals, false)),
        Just((TextTest::Matches, true)),
    ]
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn calls(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = ExprKind> {
    // What is written as a call of `not` is read as its own kind of expression.
    let known: Vec<_> = functions::all().filter(|function| function.name != "not").collect();
    (prop::sample::select(known), 0_usize..4).prop_flat_map(move |(function, extra)| {
        let wanted = function.required + extra;
        let count = (function.required..=wanted).rev().find(|count| function.takes(*count)).unwrap();
        prop::collection::vec(inner.clone(), count)
            .prop_map(|arguments| ExprKind::Call { function: function.name.to_owned(), arguments })
    })
}

pub(crate) fn expressions() -> impl Strategy<Value = Expr> {
    let leaf =
        prop_oneof![literals().prop_map(ExprKind::Literal), names().prop_map(ExprKind::Field)].prop_map(expr);
    leaf.prop_recursive(6, 60, 4, |inner| {
        let inner = inner.boxed();
        let one = || inner.clone().prop_map(Box::new);
        let list = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (one(), one()).prop_map(|(of, key)| ExprKind::Member { of, key }),
            one().prop_map(ExprKind::Negate),
            one().prop_map(ExprKind::Not),
            (binary_operators(), one(), one()).prop_map(|(operator, left, right)| ExprKind::Binary {
                operator,
                left,
                right
            }),
            (text_tests(), any::<bool>(), one(), one()).prop_map(
                |((test, is_case_sensitive), is_negated, left, right)| ExprKind::Text {
                    test,
                    is_negated,
                    is_case_sensitive,
                    left,
                    right
                }
            ),
            (one(), list(), any::<bool>(), any::<bool>()).prop_map(
                |(value, list, is_negated, is_case_sensitive)| ExprKind::In {
                    value,
                    list,
                    is_negated,
                    is_case_sensitive
                }
            ),
            (one(), list(), any::<bool>()).prop_map(|(value, list, is_case_sensitive)| ExprKind::HasAny {
                value,
                list,
                is_case_sensitive
            }),
            (one(), one(), one(), any::<bool>()).prop_map(|(value, low, high, is_negated)| {
                ExprKind::Between { value, low, high, is_negated }
            }),
            calls(inner.clone()),
        ]
        .prop_map(expr)
    })
}

const WORDS: &[&str] = &[
    "a",
    "a.b",
    "1",
    "1.5",
    "2h",
    "\"x\"",
    "'y",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "..",
    "+",
    "-",
    "*",
    "/",
    "%",
    "=",
    "==",
    "!=",
    "=~",
    "!~",
    "!",
    "<",
    ">=",
    "and",
    "or",
    "not",
    "in",
    "in~",
    "!in",
    "between",
    "contains",
    "!has_cs",
    "matches regex",
    "has_any",
    "strlen(",
    "toitn(",
    "now()",
    "datetime(",
    "dynamic([",
    "true",
    "null",
    "|",
    ";",
    "{",
    "§",
    "&&",
    "||",
    "//",
    "\n",
    "@\"",
    "h'",
    "```",
    "0x",
    "['f g']",
    "ä",
    "in (",
    "\\",
    "\"\\u",
];

/// Words and symbols of the language in any order, which reach further into the parser than letters do.
fn word_salads() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..30).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_text_of_the_languages_letters_is_read(text in "[ a-z0-9()\\[\\]'\"@.,!=~<>+*/%|&\\\\-]{0,60}") {
        check(&text);
    }

    #[test]
    fn any_words_of_the_language_are_read(text in word_salads()) {
        check(&text);
        check(&text.replace(' ', ""));
    }

    #[test]
    fn what_is_printed_reads_back(tree in expressions()) {
        let printed = print_expression(&tree);
        let (again, diagnostics) = parse_expression(&printed);
        prop_assert_eq!(diagnostics, Vec::new(), "{}", printed);
        prop_assert_eq!(unplaced(again), tree, "{}", printed);
    }

    #[test]
    fn damaged_expressions_are_read(
        tree in expressions(),
        place in any::<prop::sample::Index>(),
        length in 0_usize..4,
        piece in prop::sample::select(vec!["", "(", ")", "'", "\"", "==", " ", "!", "[", ".", "ä", "\n", ",", "-"]),
    ) {
        let printed = print_expression(&tree);
        let characters: Vec<char> = printed.chars().collect();
        let start = place.index(characters.len() + 1);
        let end = (start + length).min(characters.len());
        let before: String = characters[..start].iter().collect();
        let after: String = characters[end..].iter().collect();
        check(&format!("{before}{piece}{after}"));
    }
}
