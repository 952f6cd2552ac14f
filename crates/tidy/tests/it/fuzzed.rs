//! Rule: what reads the bytes of senders is tried with bytes that nobody would send. Each module of `crates/protocols` has
//! a row in `fuzz/README.md`, with fuzz targets or with why it needs none; each target that is named is there, is built,
//! and has an input to begin with. And each entry for a target is called by one.

use std::collections::BTreeSet;

use crate::report::{Violation, assert_none, problems};
use crate::repository;

const TABLE: &str = "fuzz/README.md";
const HEAD: &str = "| module | targets |";
const LIB: &str = "crates/protocols/src/lib.rs";
const ENTRIES: &str = "crates/protocols/src/testing.rs";
const PACKAGES: [&str; 2] = ["fuzz/plain", "fuzz/whole"];

/// The module that the targets call, which reads nothing by itself.
const TESTING: &str = "testing";

/// What a row says of modules that need no target.
const NONE: &str = "none: ";

#[test]
fn what_reads_bytes_of_senders_has_a_fuzz_target() {
    let read = |path: &str| repository::read(path).unwrap_or_default();
    let table = read(TABLE);
    let modules = modules(&read(LIB));
    assert!(!modules.is_empty(), "{LIB} declares modules");
    let has_input = |target: &str| !repository::files_under(&format!("fuzz/corpus/{target}")).is_empty();
    let targets = targets();
    let mut violations = check_rows(&modules, &rows(&table), &targets, has_input);
    violations.extend(check_entries(&read(ENTRIES), &targets));
    assert_none("fuzz targets", violations);
}

/// A fuzz target: its name, and the text of its file.
struct Target {
    name: String,
    text: String,
    /// Whether the manifest of its package has it.
    is_built: bool,
}

fn targets() -> Vec<Target> {
    let mut targets = Vec::new();
    for package in PACKAGES {
        let manifest = repository::read(&format!("{package}/Cargo.toml")).unwrap_or_default();
        for path in repository::files_under(&format!("{package}/targets")) {
            let file = path.rsplit('/').next().unwrap_or_default();
            let Some(name) = file.strip_suffix(".rs") else { continue };
            let is_built = manifest.contains(&format!("name = \"{name}\"\npath = \"targets/{file}\"\n"));
            let text = repository::read(&path).unwrap_or_default();
            targets.push(Target { name: name.to_owned(), text, is_built });
        }
    }
    targets
}

/// The modules that a file declares, but for that of the targets.
fn modules(text: &str) -> BTreeSet<String> {
    let declared = text.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    declared.filter(|name| *name != TESTING).map(str::to_owned).collect()
}

/// A row of the table: its line, its modules, and what it says of targets.
struct Row<'a> {
    line: usize,
    modules: Vec<&'a str>,
    targets: &'a str,
}

fn rows(table: &str) -> Vec<Row<'_>> {
    let lines = table.lines().enumerate().skip_while(|(_, line)| *line != HEAD).skip(2);
    let rows = lines.take_while(|(_, line)| line.starts_with('|')).filter_map(|(index, line)| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let (modules, targets) = cells.split_once(" | ")?;
        Some(Row { line: index + 1, modules: code_of(modules), targets })
    });
    rows.collect()
}

/// What stands between backticks.
fn code_of(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn check_rows(
    modules: &BTreeSet<String>,
    rows: &[Row<'_>],
    targets: &[Target],
    has_input: impl Fn(&str) -> bool,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    for module in modules {
        if !rows.iter().any(|row| row.modules.contains(&module.as_str())) {
            let problem = format!("the module {module} of crates/protocols has no row");
            let remedy = "name its fuzz targets, or say behind `none: ` why it needs none";
            violations.push(Violation::in_file(TABLE, problem, remedy));
        }
    }
    for row in rows {
        let mut tell = |problem: String, remedy: &str| {
            violations.push(Violation::at(TABLE, row.line, problem, remedy));
        };
        for module in row.modules.iter().filter(|module| !modules.contains(**module)) {
            tell(format!("{LIB} declares no module {module}"), "take it out of the table");
        }
        let named = code_of(row.targets);
        if named.is_empty() && row.targets.strip_prefix(NONE).is_none_or(|reason| reason.trim().is_empty()) {
            tell("the row names no target".to_owned(), "name one, or say behind `none: ` why there is none");
        }
        for name in named {
            match targets.iter().find(|target| target.name == name) {
                None => tell(format!("there is no target {name}"), "write it in fuzz/plain/targets"),
                Some(target) if !target.is_built => {
                    tell(format!("the target {name} is not built"), "give it a [[bin]] in its manifest");
                }
                Some(_) if !has_input(name) => {
                    tell(format!("the target {name} has no input"), "put one into fuzz/corpus");
                }
                Some(_) => {}
            }
        }
    }
    violations
}

/// Each public function for the targets is called by one.
fn check_entries(entries: &str, targets: &[Target]) -> Vec<Violation> {
    let names = entries.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('(').next());
    let is_called = |name: &str| {
        let call = format!("{TESTING}::{name}(");
        targets.iter().any(|target| target.is_built && target.text.contains(&call))
    };
    let unused = names.filter(|name| !is_called(name));
    let tell = |name: &str| {
        let problem = format!("no target that is built calls {name}");
        Violation::in_file(ENTRIES, problem, "write a target that does, or take the function out")
    };
    unused.map(tell).collect()
}

mod samples {
    use super::*;

    const TEXT: &str = "mod answer;\npub mod loki;\n#[doc(hidden)]\npub mod testing;\nuse x;\n";

    fn target(name: &str, is_built: bool) -> Target {
        let text = format!("fuzz_target!(|data: &[u8]| testing::{name}(data));");
        Target { name: name.to_owned(), text, is_built }
    }

    fn found(table: &str, has_input: bool) -> Vec<String> {
        let targets = [target("loki", true), target("left_out", false)];
        let table = format!("Text.\n\n{HEAD}\n|---|---|\n{table}\nMore.\n| `x` | `y` |\n");
        let violations = check_rows(&modules(TEXT), &rows(&table), &targets, |_| has_input);
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn every_module_has_a_target_or_a_reason() {
        assert_eq!(modules(TEXT), BTreeSet::from(["answer", "loki"].map(str::to_owned)));
        let good = "| `answer` | none: it writes |\n| `loki` | `loki` |";
        assert_eq!(found(good, true), Vec::<String>::new());
        assert_eq!(found(good, false), ["the target loki has no input"]);
        assert_eq!(found("| `loki` | `loki` |", true), ["the module answer of crates/protocols has no row"]);
        let bad = "| `answer`, `gone` | none: |\n| `loki` | `left_out`, `missing` |";
        let expected = [
            format!("{LIB} declares no module gone"),
            "the row names no target".to_owned(),
            "the target left_out is not built".to_owned(),
            "there is no target missing".to_owned(),
        ];
        assert_eq!(found(bad, true), expected);
    }

    #[test]
    fn an_entry_that_no_target_calls_is_found() {
        let entries = "/// One.\npub fn loki(data: &[u8]) {}\nfn own() {}\npub fn left_out(data: &[u8]) {}\n";
        let targets = [target("loki", true), target("left_out", false)];
        assert_eq!(problems(&check_entries(entries, &targets)), ["no target that is built calls left_out"]);
    }
}
