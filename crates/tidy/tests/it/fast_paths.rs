//! Rule: `docs/internals/fast-paths.md` is the one list of the limits of fast paths. Each row names a constant with the
//! value that it has in its file, and tests that exist or the reason why there is none; and every number that is a
//! constant in the files of fast paths stands in the document.

use std::collections::BTreeSet;

use crate::report::{Violation, assert_none, problems};
use crate::repository;

const DOCUMENT: &str = "docs/internals/fast-paths.md";

/// Where every constant that is a number must be in the list: files, and folders.
const LISTED: &[&str] = &[
    "crates/engine/src/groups",
    "crates/cache/src/partials",
    "crates/engine/src/scan",
    "crates/engine/src/stretches.rs",
    "crates/exec/src/expr",
    "crates/cache/src/columns",
    "crates/engine/src/own_rows.rs",
    "crates/cache/src/templates",
    "crates/store/src/segment/encoding.rs",
    "crates/store/src/blocks/",
    "crates/store/src/templates/",
];

/// What a test without a name begins with; the reason follows.
const NO_TEST: &str = "none: ";

/// No reason: what takes many rows or bytes is tested where it is decided.
const AT_SIZE: &str = "at size";

const NUMBERS: &[&str] = &["usize", "u8", "u16", "u32", "u64", "i32", "i64", "i128", "f64"];

#[test]
fn the_list_of_limits_is_that_of_the_code() {
    let document = repository::read(DOCUMENT).unwrap_or_default();
    let paths = repository::files_under("crates").into_iter().filter(|path| path.ends_with(".rs"));
    let sources: Vec<(String, String)> =
        paths.filter_map(|path| repository::read(&path).map(|text| (path, text))).collect();
    assert_none("fast paths", check(&document, &sources));
}

/// A row of a table of limits.
struct Row<'a> {
    line: usize,
    constant: &'a str,
    value: &'a str,
    file: String,
    tests: &'a str,
}

fn check(document: &str, sources: &[(String, String)]) -> Vec<Violation> {
    let rows = rows(document);
    if rows.is_empty() {
        return vec![Violation::in_file(DOCUMENT, "lists no limit", "name each with its value and its test")];
    }
    let tests = tests_of(sources);
    let mut violations = Vec::new();
    for row in &rows {
        let mut tell = |problem: String, remedy: &str| {
            violations.push(Violation::at(DOCUMENT, row.line, problem, remedy));
        };
        let text = sources.iter().find(|(path, _)| *path == row.file).map(|(_, text)| text);
        let values: Vec<&str> = text
            .into_iter()
            .flat_map(|text| constants(text))
            .filter(|(_, name, _)| *name == row.constant)
            .map(|(_, _, value)| value)
            .collect();
        if !values.contains(&row.value) {
            let problem = format!("{} is {values:?} in {} and not {}", row.constant, row.file, row.value);
            tell(problem, "write what the code has, and look at the test again");
        }
        let is_reason = |reason: &str| !reason.trim().is_empty() && !reason.starts_with(AT_SIZE);
        if row.tests.strip_prefix(NO_TEST).is_some_and(is_reason) {
            continue;
        }
        let named: Vec<&str> = row.tests.split(", ").map(|name| name.trim_matches('`')).collect();
        for name in named.iter().filter(|name| !tests.contains(**name)) {
            tell(
                format!("there is no test {name:?}"),
                "name a test by its module, or write `none: ` and why",
            );
        }
    }
    for (path, text) in sources.iter().filter(|(path, _)| is_listed(path)) {
        for (line, name, _) in constants(text) {
            let is_row = rows.iter().any(|row| row.constant == name && row.file == *path);
            if !is_row && !is_told(document, name) {
                let remedy = format!("list it in {DOCUMENT}: what happens on both sides, and the test");
                violations.push(Violation::at(path, line, format!("the limit {name} is not listed"), remedy));
            }
        }
    }
    violations
}

fn rows(document: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (number, line) in document.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", constant, value, file, _, _, tests, ""] = cells.as_slice()
            && let Some(constant) = quoted(constant)
        {
            rows.push(Row {
                line: number + 1,
                constant,
                value: quoted(value).unwrap_or_default(),
                file: format!("crates/{}", quoted(file).unwrap_or_default()),
                tests,
            });
        }
    }
    rows
}

fn quoted(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

/// The constants of a file that are numbers: line, name and value.
fn constants(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.lines().enumerate().filter_map(|(number, line)| {
        let (_, rest) = line.split_once("const ").filter(|(before, _)| {
            let before = before.trim();
            before.is_empty() || before.starts_with("pub")
        })?;
        let (name, rest) = rest.split_once(": ")?;
        let (kind, value) = rest.split_once(" = ")?;
        NUMBERS.contains(&kind).then_some((number + 1, name, value.trim_end_matches(';')))
    })
}

/// The tests of all crates, by the last module that they are in and their name.
fn tests_of(sources: &[(String, String)]) -> BTreeSet<String> {
    let mut tests = BTreeSet::new();
    for (path, text) in sources.iter().filter(|(path, _)| path.contains("/tests")) {
        let module = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        let names = text.lines().filter_map(|line| line.split_once("fn ")?.1.split_once('('));
        tests.extend(names.map(|(name, _)| format!("{module}::{name}")));
    }
    tests
}

fn is_listed(path: &str) -> bool {
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/') || rest == ".rs";
    let is_it = |listed: &&str| {
        path.strip_prefix(*listed).is_some_and(|rest| listed.ends_with('/') || is_below(rest))
    };
    !path.contains("/tests") && LISTED.iter().any(is_it)
}

/// Whether the document names a constant outside of its tables.
fn is_told(document: &str, name: &str) -> bool {
    let plain = document.lines().filter(|line| !line.starts_with('|'));
    plain.into_iter().any(|line| line.contains(&format!("`{name}`")))
}

#[test]
fn other_values_missing_tests_and_unlisted_limits_are_found() {
    let source = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let sources = [
        source("crates/engine/src/groups/a.rs", "const A_MAX: usize = 1 << 4;\n    const B: u8 = 7;\n"),
        source("crates/engine/src/groups.rs", "pub(crate) const C: u64 = 3;\nconst NAME: &str = \"x\";\n"),
        source("crates/engine/tests/it/wide.rs", "#[test]\nfn it_is() {}\n"),
    ];
    let row = |value: &str, tests: &str| {
        format!("| `A_MAX` | `{value}` | `engine/src/groups/a.rs` | x | y | {tests} |\n")
    };
    let found = |document: String| {
        let violations = check(&document, &sources);
        problems(&violations).iter().map(|problem| (*problem).to_owned()).collect::<Vec<String>>()
    };
    let told = "`B` and `C` are no limits.\n";
    assert_eq!(found(row("1 << 4", "`wide::it_is`") + told), [""; 0]);
    assert_eq!(found(row("1 << 4", "none: too large") + told), [""; 0]);
    assert_eq!(found(String::new()), ["lists no limit"]);
    assert_eq!(
        found(row("1 << 5", "`wide::it_was`, `wide::it_is`") + "`B` is no limit.\n"),
        [
            "A_MAX is [\"1 << 4\"] in crates/engine/src/groups/a.rs and not 1 << 5",
            "there is no test \"wide::it_was\"",
            "the limit C is not listed",
        ]
    );
    assert_eq!(found(row("1 << 4", "none: ") + told), ["there is no test \"none:\""]);
    assert_eq!(found(row("1 << 4", "none: at size") + told), ["there is no test \"none: at size\""]);
}
