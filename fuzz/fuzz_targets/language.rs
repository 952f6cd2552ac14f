//! Texts through the language alone: read, shown with their mistakes, printed, read again, and their names settled.

#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use tidegauge_lang::{parse_query, print_query, resolve};

fuzz_target!(|text: &str| {
    let (program, diagnostics) = parse_query(text);
    for diagnostic in &diagnostics {
        diagnostic.render(text);
    }
    let printed = print_query(&program);
    if !diagnostics.is_empty() {
        return;
    }
    let (again, diagnostics) = parse_query(&printed);
    assert!(diagnostics.is_empty(), "{text:?} is printed as {printed:?}");
    assert_eq!(print_query(&again), printed);
    let _ = resolve(program, &[], &HashMap::new());
});
