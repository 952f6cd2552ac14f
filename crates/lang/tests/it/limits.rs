//! Hostile texts: they are refused with one clear diagnostic, and nothing overflows, in debug builds too.

use tidegauge_lang::{parse_expression, print_expression};

/// The only diagnostic of a text.
fn only(text: &str) -> String {
    let (_, diagnostics) = parse_expression(text);
    assert_eq!(diagnostics.len(), 1, "{:?}", diagnostics.iter().take(3).collect::<Vec<_>>());
    diagnostics[0].message.clone()
}

#[test]
fn long_texts_are_refused() {
    let text = format!("\"{}\"", "ä".repeat(40_000));
    assert_eq!(only(&text), "the text is longer than 64 KiB");
    assert_eq!(only(&"(".repeat(1_000_000)), "the text is longer than 64 KiB");
    let (_, diagnostics) = parse_expression(&format!("\"{}\"", "a".repeat(64 * 1024 - 2)));
    assert_eq!(diagnostics, []);
}

#[test]
fn many_tokens_are_refused() {
    assert_eq!(only(&"a,".repeat(15_000)), "the text has more than 20000 words and symbols");
}

#[test]
fn deep_texts_are_refused() {
    const MESSAGE: &str = "the expression is nested more than 200 deep";
    for text in [
        "(".repeat(19_000),
        format!("{}a{}", "(".repeat(201), ")".repeat(201)),
        "-".repeat(19_000),
        format!("{}a", "- ".repeat(9_000)),
        "[".repeat(19_000),
        "a[".repeat(9_000),
        "strlen(".repeat(8_000),
        "not(".repeat(9_000),
        "a in (".repeat(6_000),
        "a between (".repeat(5_000),
        format!("a{}", "[0]".repeat(201)),
        format!("a{}", " + a".repeat(201)),
        format!("['a']{}", ".b".repeat(9_000)),
        format!("a{}", " == a".repeat(201)),
        "!".repeat(19_000),
        "not ".repeat(9_000),
    ] {
        assert_eq!(only(&text), MESSAGE, "{}", &text[..20]);
    }
    let (_, diagnostics) = parse_expression(&format!("dynamic({}", "[".repeat(20_000)));
    assert_eq!(diagnostics[0].message, "the value is nested more than 100 deep");
}

/// Threads of servers have two megabytes, and the caller's frames stand on the same stack.
#[test]
fn the_deepest_texts_need_little_stack() {
    let read = || {
        for (open, close) in
            [("(", ")"), ("-(", ")"), ("not(", ")"), ("a in (", ")"), ("a between (1 .. ", ")")]
        {
            let (expr, _) = parse_expression(&format!("{}a{}", open.repeat(199), close.repeat(199)));
            print_expression(&expr);
            parse_expression(&open.repeat(2_000));
        }
        parse_expression(&format!("dynamic({}", "[".repeat(200)));
        parse_expression(&"-".repeat(2_000));
    };
    std::thread::Builder::new().stack_size(1024 * 1024).spawn(read).unwrap().join().unwrap();
}

#[test]
fn what_is_nested_a_little_less_is_read() {
    for text in [
        format!("{}a{}", "(".repeat(199), ")".repeat(199)),
        format!("{}a{}", "not(".repeat(190), ")".repeat(190)),
        format!("a{}", " + a".repeat(190)),
        format!("a{}", "[0]".repeat(190)),
    ] {
        let (_, diagnostics) = parse_expression(&text);
        assert_eq!(diagnostics, []);
    }
}

#[test]
fn long_chains_of_and_and_or_are_read() {
    let names: Vec<String> = (0..4_000).map(|number| format!("a{number}")).collect();
    for joint in [" or ", " and "] {
        let (expr, diagnostics) = parse_expression(&names.join(joint));
        assert_eq!(diagnostics, []);
        let mut found = Vec::new();
        crate::properties::walk(&expr, &mut |part| {
            if let tidegauge_lang::tree::ExprKind::Field(name) = &part.kind {
                found.push(name.clone());
            }
        });
        assert_eq!(found, names);
        let (again, diagnostics) = parse_expression(&print_expression(&expr));
        assert_eq!((crate::support::shape(&again), diagnostics), (crate::support::shape(&expr), Vec::new()));
    }
}

#[test]
fn the_number_of_diagnostics_is_limited() {
    let (_, diagnostics) = parse_expression(&"foo(1) + ".repeat(100));
    assert_eq!(diagnostics.len(), 20);
}
