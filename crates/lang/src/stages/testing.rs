//! What the tests of stages share: a stage is read, printed, and read again.

use crate::diagnostic::render_all;
use crate::tree::{Program, Stage};
use crate::{parse_query, print_query};

/// The only stage of a text, which must be without mistakes, with no places in it.
pub(super) fn stage(text: &str) -> Stage {
    let query = format!("logs | {text}");
    let (program, diagnostics) = parse_query(&query);
    assert!(diagnostics.is_empty(), "{}", render_all(&diagnostics, &query));
    assert_eq!(program.query.stages.len(), 1, "{text}");
    check_print(&program);
    program.query.stages.into_iter().next().unwrap()
}

/// How a stage is printed, which reads back to the same tree.
pub(super) fn printed(text: &str) -> String {
    let mut printer = crate::print::Printer::default();
    super::print(&stage(text), &mut printer);
    printer.finish()
}

/// Each of these stages is printed as the text beside it.
pub(super) fn check_printed(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        assert_eq!(printed(text), *expected, "{text}");
        assert_eq!(printed(expected), *expected, "{text}");
    }
}

/// The first diagnostic of a wrong stage: message, hint, and the marked text.
pub(super) fn wrong(text: &str) -> (String, String, String) {
    let query = format!("logs | {text}");
    let (_, diagnostics) = parse_query(&query);
    let first = diagnostics.first().unwrap_or_else(|| panic!("{text:?} has no mistake"));
    let marked = query[first.span.range()].to_owned();
    (first.message.clone(), first.hint.clone().unwrap_or_default(), marked)
}

/// Each of these wrong stages has this message, marks this text and has a hint with this in it.
pub(super) fn check_wrong(cases: &[(&str, &str, &str, &str)]) {
    for (text, message, marked, hint) in cases {
        let found = wrong(text);
        assert_eq!((found.0.as_str(), found.2.as_str()), (*message, *marked), "{text}");
        assert!(found.1.contains(hint), "{text}: {}", found.1);
    }
}

fn check_print(program: &Program) {
    let text = print_query(program);
    let (again, diagnostics) = parse_query(&text);
    assert!(diagnostics.is_empty(), "{}", render_all(&diagnostics, &text));
    assert_eq!(unplaced(&again), unplaced(program), "{text}");
}

/// A tree as text without its places.
fn unplaced(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut parts = text.split("Span { ");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push_str(part.split_once('}').map_or("", |(_, after)| after));
    }
    rest
}
