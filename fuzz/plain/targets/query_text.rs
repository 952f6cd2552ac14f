//! Queries as text, through the language alone: mistakes have places in the text, what is printed or formatted is the same
//! query, and what could be written at a place is found wherever it is.

#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use tidegauge_lang::complete::{Existing, KnownField};
use tidegauge_lang::{Diagnostic, complete, format, parse_expression, parse_query};
use tidegauge_lang::{print_expression, print_query, resolve};

fn check_places(diagnostics: &[Diagnostic], text: &str) {
    for diagnostic in diagnostics {
        let range = diagnostic.span.range();
        assert!(text.get(range).is_some(), "{diagnostic:?} is not a part of {text:?}");
        let position = diagnostic.position(text);
        assert!((1..=text.matches('\n').count() + 1).contains(&position.line));
        assert!(diagnostic.render(text).contains(&diagnostic.message));
    }
}

fn check_completions(text: &str) {
    let fields = |_: &str| {
        let names = ["status", "user id", "größe"];
        names.map(|name| KnownField { name: name.to_owned(), kinds: Vec::new(), doc: String::new() }).to_vec()
    };
    let values = |_: &str, _: &str| vec!["200".to_owned(), "it's".to_owned()];
    let datasets = ["logs".to_owned(), "my logs".to_owned()];
    let known = Existing { datasets: &datasets, views: &[], fields: &fields, values: &values };
    for position in [text.len(), text.len() / 2] {
        let found = complete(text, position, &known);
        assert!(text.get(found.replace.range()).is_some());
    }
}

fuzz_target!(|text: &str| {
    let (program, diagnostics) = parse_query(text);
    check_places(&diagnostics, text);
    let printed = print_query(&program);
    check_completions(text);
    let (expression, mistakes) = parse_expression(text);
    check_places(&mistakes, text);
    if mistakes.is_empty() {
        let shown = print_expression(&expression);
        let (again, mistakes) = parse_expression(&shown);
        assert!(mistakes.is_empty(), "{text:?} is printed as {shown:?}");
        assert_eq!(print_expression(&again), shown);
    }
    if !diagnostics.is_empty() {
        return assert!(format(text).is_err());
    }
    let (again, diagnostics) = parse_query(&printed);
    assert!(diagnostics.is_empty(), "{text:?} is printed as {printed:?}");
    assert_eq!(print_query(&again), printed);
    let formatted = format(text).expect("it has no mistakes");
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatting twice changes more");
    assert_eq!(print_query(&parse_query(&formatted).0), printed, "formatting makes another query");
    if let Err(diagnostics) = resolve(program, &[], &HashMap::new()) {
        check_places(&diagnostics, text);
    }
});
