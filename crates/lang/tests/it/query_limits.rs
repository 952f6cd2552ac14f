//! Hostile queries: they are refused with one clear diagnostic, and nothing overflows, in debug builds too.

use tidegauge_lang::{parse_query, print_query};

fn only(text: &str) -> String {
    let (_, diagnostics) = parse_query(text);
    assert_eq!(diagnostics.len(), 1, "{:?}", diagnostics.iter().take(3).collect::<Vec<_>>());
    diagnostics[0].message.clone()
}

#[test]
fn long_queries_are_refused() {
    assert_eq!(
        only(&format!("logs | where a == \"{}\"", "ä".repeat(140_000))),
        "the text is longer than 256 KiB"
    );
    let text = format!("logs | where a == \"{}\"", "a".repeat(200_000));
    assert_eq!(parse_query(&text).1, []);
}

#[test]
fn many_tokens_and_stages_are_refused() {
    let values = "1,".repeat(60_000);
    let text = format!("datatable(a:long)[{values}]");
    assert_eq!(only(&text), "the text has more than 100000 words and symbols");
    assert_eq!(only(&format!("logs{}", " | count".repeat(501))), "there are more than 500 stages");
    assert_eq!(parse_query(&format!("logs{}", " | count".repeat(500))).1, []);
    let in_parts = "(a | count | count), ".repeat(300);
    assert_eq!(only(&format!("union {in_parts} b")), "there are more than 500 stages");
}

#[test]
fn many_tables_are_refused() {
    const MESSAGE: &str = "there are more than 1000 tables";
    let names = |count: usize| (0..count).map(|place| format!("t{place}")).collect::<Vec<_>>().join(", ");
    assert_eq!(parse_query(&format!("union {}", names(1_000))).1, []);
    for text in [
        format!("union {}", names(1_001)),
        format!("union {}", names(30_000)),
        format!("search in ({}) \"x\"", names(1_001)),
        format!("logs{} | union {}", " | where a in (b | count)".repeat(200), names(801)),
        format!("let a = union {}; a | union {}", names(600), names(600)),
        format!("union {} | join kind=inner b on c | lookup d on e", names(999)),
    ] {
        assert_eq!(only(&text), MESSAGE, "{}", &text[..20]);
    }
}

#[test]
fn deep_queries_are_refused() {
    const MESSAGE: &str = "the expression is nested more than 200 deep";
    for text in [
        "(".repeat(50_000),
        format!("{}logs{}", "(".repeat(300), ")".repeat(300)),
        "a | join (".repeat(300),
        "union (".repeat(300),
        "a | where b in (c | where d in (".repeat(300),
        format!("a | where {}", "b in (c | where ".repeat(300)),
        format!("a | where {}b", "(".repeat(300)),
        format!("let a = {}", "(b | join (".repeat(300)),
        "union ".repeat(300) + "(" + &"union (".repeat(300),
    ] {
        let (_, diagnostics) = parse_query(&text);
        assert!(diagnostics.iter().any(|diagnostic| diagnostic.message == MESSAGE), "{}", &text[..20]);
    }
}

/// Threads of servers have two megabytes, and the caller's frames stand on the same stack.
#[test]
fn the_deepest_queries_need_little_stack() {
    let read = || {
        for (open, close, count) in [
            ("(", ")", 49),
            ("a | join (", ") on b", 49),
            ("union (", ")", 49),
            ("a | where b in (", ")", 30),
            ("a | where not(", ")", 1),
        ] {
            let (program, _) = parse_query(&format!("{}x{}", open.repeat(count), close.repeat(count)));
            print_query(&program);
            drop(program.clone());
            parse_query(&open.repeat(2_000));
        }
    };
    std::thread::Builder::new().stack_size(1024 * 1024).spawn(read).unwrap().join().unwrap();
}

#[test]
fn many_mistakes_are_told_in_part() {
    let (_, diagnostics) = parse_query(&format!("logs{}", " | foo".repeat(400)));
    assert_eq!(diagnostics.len(), 20);
}
