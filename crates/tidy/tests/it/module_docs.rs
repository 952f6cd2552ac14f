//! Rule: every Rust file begins by saying what it is for, in a few lines.

use crate::report::{Violation, assert_none, problems};
use crate::repository;

const AIM: usize = 6;
const MOST: usize = 8;

#[test]
fn every_file_begins_with_a_short_module_doc() {
    let paths = repository::files_under("crates").into_iter().filter(|path| path.ends_with(".rs"));
    let violations =
        paths.filter_map(|path| repository::read(&path).and_then(|text| check(&path, &text))).collect();
    assert_none("module docs", violations);
}

fn check(path: &str, text: &str) -> Option<Violation> {
    let doc: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let remedy = format!(
        "begin the file with `//!`: what it is for, what it leaves to others, in at most {AIM} lines"
    );
    if doc.iter().all(|line| line.trim().is_empty()) {
        return Some(Violation::at(path, 1, "has no module doc on its first line", remedy));
    }
    if doc.len() > MOST {
        let problem = format!("has a module doc of {} lines", doc.len());
        return Some(Violation::at(path, 1, problem, remedy));
    }
    None
}

#[test]
fn absent_empty_late_and_long_docs_are_found() {
    let bad = [
        "",
        "fn f() {}",
        "//!\n//!\nfn f() {}",
        "\n//! Late.",
        "// Plain.\n//! Late.",
        "/// Of an item.\nfn f() {}",
    ];
    for text in bad {
        let found: Vec<Violation> = check("x.rs", text).into_iter().collect();
        assert_eq!(problems(&found), ["has no module doc on its first line"], "{text:?}");
    }
    let long = "//! Line.\n".repeat(MOST + 1);
    assert_eq!(problems(&[check("x.rs", &long).expect("too long")]), ["has a module doc of 9 lines"]);
    assert_eq!(check("x.rs", &"//! Line.\n".repeat(MOST)), None);
    assert_eq!(check("x.rs", "//! First block.\n\n//! A second one is not counted.\n"), None);
}
