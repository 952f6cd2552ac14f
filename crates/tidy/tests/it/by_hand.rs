//! Rule: what is run by hand names what is there. Commands that `make test` leaves out would else be found broken by
//! whoever needs them: the limits that `make oracle` counts, the crates of `make mutants`, and the kinds of file that the
//! two halves of `make diskfaults` speak of.

use crate::report::{Violation, assert_none, problems};
use crate::repository;

const LIMITS: &str = "tests/oracle/limits.py";
const PLAN: &str = "tests/mutants/plan.toml";
const RECORDER: &str = "tests/powercut/faults.h";
const CONTROL: &str = "tests/powercut/control.py";

fn text(path: &str) -> String {
    repository::read(path).expect("a file that this rule is about is there")
}

#[test]
fn limits_that_the_oracle_counts_are_in_the_code() {
    assert_none("limits of the oracle", missing_limits(&text(LIMITS), repository::read));
}

#[test]
fn crates_of_the_mutants_are_there() {
    assert_none("mutants", missing_crates(&text(PLAN), &repository::crate_folders()));
}

#[test]
fn kinds_of_file_have_one_name_in_both_halves_of_the_disk_faults() {
    let recorder = text(RECORDER);
    let names = recorder.split_once("CLASS_NAMES[CLASSES] = {").expect("the recorder names its classes").1;
    let control = text(CONTROL);
    let listed = control.split_once("\nCLASSES = (").expect("the control names its classes").1;
    let quoted = |text: &str, end: char| -> Vec<String> {
        let (text, _) = text.split_once(end).expect("the list of classes ends");
        text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    assert_eq!(quoted(names, '}'), quoted(listed, ')'), "{RECORDER} and {CONTROL} name other classes");
}

/// Lines of the list are `("what is counted", "CONSTANT", "file below crates", events)`.
fn missing_limits(limits: &str, read: impl Fn(&str) -> Option<String>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (number, line) in limits.lines().enumerate() {
        let cells: Vec<&str> = line.split('"').collect();
        if let ["    (", _, ", ", constant, ", ", file, _] = cells.as_slice() {
            let source = read(&format!("crates/{file}")).unwrap_or_default();
            if !source.contains(&format!("const {constant}: ")) {
                let problem = format!("crates/{file} has no constant {constant}");
                let remedy = "name it as it is now, or take the line away with the limit";
                violations.push(Violation::at(LIMITS, number + 1, problem, remedy));
            }
        }
    }
    violations
}

fn missing_crates(plan: &str, crates: &[String]) -> Vec<Violation> {
    let table: toml::Table = plan.parse().expect("the plan of the mutants is TOML");
    let parts = table["part"].as_array().expect("a list of parts");
    let mut violations = Vec::new();
    for part in parts {
        let name = part.get("crate").and_then(toml::Value::as_str).unwrap_or_default();
        if !crates.iter().any(|folder| folder == name) {
            let problem = format!("there is no crate `{name}`");
            violations.push(Violation::in_file(PLAN, problem, "name it by its folder"));
        }
        for file in part.get("files").and_then(toml::Value::as_array).into_iter().flatten() {
            let file = file.as_str().unwrap_or_default();
            if !file.starts_with(&format!("crates/{name}/")) {
                let problem = format!("`{file}` is no file of the crate `{name}`");
                violations.push(Violation::in_file(PLAN, problem, "list each crate's files in its own part"));
            }
        }
    }
    violations
}

mod samples {
    use super::*;

    #[test]
    fn a_limit_that_was_renamed_is_found() {
        let limits = "LIMITS = (\n    (\"rows\", \"ROWS_MAX\", \"store/src/a.rs\", 0),\n    (\"keys\", \"KEYS\", \"store/src/a.rs\", 0),\n    (\"sizes\", \"a 32-bit number\", 2**32, 0),\n)\n";
        let read =
            |path: &str| (path == "crates/store/src/a.rs").then(|| "const ROWS_MAX: usize = 7;".to_owned());
        assert_eq!(problems(&missing_limits(limits, read)), ["crates/store/src/a.rs has no constant KEYS"]);
    }

    #[test]
    fn a_crate_that_was_renamed_is_found() {
        let plan = "[[part]]\ncrate = 'watch'\nfiles = ['crates/alerting/src/**/*.rs']\n";
        let expected =
            ["there is no crate `watch`", "`crates/alerting/src/**/*.rs` is no file of the crate `watch`"];
        assert_eq!(problems(&missing_crates(plan, &["alerting".to_owned()])), expected);
        let plan = plan.replace("watch", "alerting");
        assert_eq!(problems(&missing_crates(&plan, &["alerting".to_owned()])), Vec::<&str>::new());
    }
}
