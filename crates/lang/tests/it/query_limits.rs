//! Hostile queries: they are refused with one clear diagnostic, and nothing overflows, in debug builds too.

use std::collections::HashMap;

use tidegauge_lang::{Diagnostic, Resolved, parse_query, print_query, resolve, resolve_view};

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

fn settled(text: &str) -> Result<Resolved, String> {
    assert!(text.len() <= 256 * 1024, "{} bytes", text.len());
    let (program, diagnostics) = parse_query(text);
    assert_eq!(diagnostics, [], "{}", &text[..60]);
    resolve(program, &[], &HashMap::new()).map_err(|problems| problems[0].message.clone())
}

fn listed(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// Tens of thousands of names: none is found by looking at all others, and a table that has many is not copied for each.
#[test]
fn as_many_names_as_a_text_can_have_are_settled() {
    let tables = listed(999, |at| format!("t{at},"));
    for (text, constants) in [
        (format!("{}t | count", listed(15_000, |at| format!("let a{at}=1;"))), 15_000),
        (format!("{}t | count", listed(9_000, |_| "let a=1;let a=t;".to_owned())), 0),
        (format!("let a=1;{}t | where x > a", listed(13_000, |_| "let a=a+1;".to_owned())), 13_001),
        (format!("{}a | count", listed(7_000, |at| format!("let a=1;let b{at}=x;"))), 7_000),
        (format!("let a=union {tables}t;{}t | count", listed(15_000, |at| format!("let b{at}=a;"))), 0),
        (
            format!("declare query_parameters({}z:long=1);t", listed(14_000, |at| format!("p{at}:long=1,"))),
            14_001,
        ),
    ] {
        let resolved = settled(&text).unwrap();
        assert_eq!(resolved.constants.len(), constants, "{}", &text[..60]);
    }
    let columns = listed(14_000, |at| format!("c{at}:long,"));
    assert_eq!(parse_query(&format!("datatable({columns}z:long)[]")).1, []);
    let counts = listed(20_000, |_| "count(),".to_owned());
    let (program, diagnostics) = parse_query(&format!("t | summarize {counts}count()"));
    assert_eq!(diagnostics, []);
    assert!(print_query(&program).contains("count_19999 = count()"), "the last has a number of its own");
}

/// A name that is used a thousand times brings a thousand times what it stands for.
#[test]
fn tables_that_are_too_large_together_are_refused() {
    const MESSAGE: &str = "the tables that names stand for are too large together";
    let list = |count: usize| listed(count, |at| format!("{at},"));
    let names = |count: usize| listed(count, |_| "a,".to_owned());
    let used = |values: usize, times: usize| {
        format!("let a=t|where x in ({}1);union {}t", list(values), names(times))
    };
    assert!(settled(&used(30_000, 5)).is_ok());
    assert!(settled(&used(10, 900)).is_ok());
    for text in [
        used(30_000, 900),
        format!("let a=t|where x in ({}1);t|where y in ({}1)", list(30_000), names(900)),
        format!("let a=t|project-away {}z;union {}t", listed(20_000, |at| format!("n{at},")), names(900)),
        format!("let a=print x='{}';union {}t", "x".repeat(200_000), names(900)),
        format!(
            "let a=datatable({}z:long)[];union {}t",
            listed(10_000, |at| format!("c{at}:long,")),
            names(900)
        ),
        // As before: stages that double.
        format!("let a0=t|count;{}a12", listed(12, |at| format!("let a{}=union a{at},a{at};", at + 1))),
    ] {
        assert_eq!(settled(&text).unwrap_err(), MESSAGE, "{}", &text[..60]);
    }
}

/// The line and the column of the first problem, and what is marked there.
fn marked(text: &str, problems: Vec<Diagnostic>) -> (usize, usize, &str) {
    let place = problems[0].position(text);
    (place.line, place.column, &text[problems[0].span.range()])
}

#[test]
fn what_is_too_large_is_told_where_it_stands() {
    let refused = |text: &str, views: &HashMap<String, _>| {
        let (program, diagnostics) = parse_query(text);
        assert_eq!(diagnostics, [], "{text:.60}");
        resolve(program, &[], views).unwrap_err()
    };
    let none = HashMap::new();
    let list = listed(30_000, |at| format!("{at},"));
    let names = |name: &str| listed(900, |_| format!("{name},"));
    let table = format!("let a=t|where x in ({list}1)");
    for text in [
        format!("let b=1;\n  {table};\nunion {}t", names("a")),
        format!("let b=1;\n  {table};\nt | where y in ({}1)", names("a")),
        // Another name for it is no other table.
        format!("let b=1;\n  {table};\nlet c=a;\nunion {}t", names("c")),
        // Nor is it another one where it is used by one.
        format!("let b=1;\n  {table};\nlet c=union {}t;\nc", names("a")),
    ] {
        assert_eq!(marked(&text, refused(&text, &none)), (2, 3, table.as_str()), "{text:.60}");
    }
    // A view stands elsewhere; it is marked where it is used.
    let (view, _) = parse_query(&format!("t|where x in ({list}1)"));
    let views = HashMap::from([("v".to_owned(), view.query)]);
    let text = format!("union t,\n{}t", names("v"));
    let (line, _, name) = marked(&text, refused(&text, &views));
    assert_eq!((line, name), (2, "v"));
    // So is a table that is nested too deep, and the `let` that it is in.
    let nested = format!("{}b{}", "a | join (".repeat(40), ") on c".repeat(40));
    let (line, _, name) = marked(&nested, refused(&nested, &none));
    assert_eq!((line, name), (1, "a"));
    let text = format!("let b=1;\nlet n={nested};\nn");
    let (line, column, _) = marked(&text, refused(&text, &none));
    assert_eq!((line, column), (2, 1));
}

#[test]
fn a_value_that_is_too_large_for_a_view_is_told_where_it_stands() {
    let large = format!("{}1", "1 + ".repeat(150));
    let text = format!("let b = 1;\nlet a = {large};\nt | where x in ({}1)", "a, ".repeat(2_000));
    let (program, diagnostics) = parse_query(&text);
    assert_eq!(diagnostics, []);
    assert_eq!(marked(&text, resolve_view(program).unwrap_err()), (2, 9, large.as_str()));
}

#[test]
fn a_parameter_without_a_value_is_told_where_it_stands() {
    let text = "declare query_parameters(a:long = 1,\n  host:string);\nt | where h == host";
    let (program, diagnostics) = parse_query(text);
    assert_eq!(diagnostics, []);
    assert_eq!(marked(text, resolve(program, &[], &HashMap::new()).unwrap_err()), (2, 3, "host"));
}
