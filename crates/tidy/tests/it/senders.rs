//! Rule: the table of `docs/reference/senders.md` tells the truth about what runs each sender. Each page of senders has a
//! row, and each row names scenarios, or programs of `tests/senders` that are run; where no program sends as the sender
//! does, it says so. And each scenario of senders is named, so that none is left that nobody knows the use of.

use std::collections::BTreeSet;

use crate::report::{Violation, assert_none, problems};
use crate::repository;

const PAGE: &str = "docs/reference/senders.md";
const PAGES: &str = "docs/reference/senders/";
const HEAD: &str = "| sender | page | addresses | success | run by |";
const PROGRAMS: &str = "tests/senders/";
const SCENARIOS: &str = "tests/http/";

/// What `scripts/senders.sh` starts.
const STARTED: [&str; 2] = ["tests/senders/python/main.py", "tests/senders/node/main.js"];

/// What a row says whose senders cannot be had.
const NOT_RUN: &str = "not run";

#[test]
fn the_table_of_senders_says_what_runs_them() {
    let page = repository::read(PAGE).unwrap_or_default();
    let programs = repository::files_under(PROGRAMS.trim_end_matches('/'));
    let programs: Vec<(String, String)> = programs
        .into_iter()
        .filter(|path| path.ends_with(".py") || path.ends_with(".js"))
        .filter_map(|path| repository::read(&path).map(|text| (path, text)))
        .collect();
    let those = |folder: &str| repository::files_under(folder.trim_end_matches('/'));
    let world = World { run: run(&programs), pages: those(PAGES), scenarios: those(SCENARIOS) };
    assert_none("senders", check(&page, &world, repository::read));
}

/// What there is to name.
struct World {
    /// The programs that are run.
    run: BTreeSet<String>,
    pages: Vec<String>,
    scenarios: Vec<String>,
}

/// The programs that are started, and those that they name.
fn run(programs: &[(String, String)]) -> BTreeSet<String> {
    let mut run: BTreeSet<String> = STARTED.map(str::to_owned).into();
    loop {
        let running: Vec<_> = programs.iter().filter(|(path, _)| run.contains(path)).collect();
        let others = programs.iter().map(|(path, _)| path).filter(|path| !run.contains(*path));
        let found: Vec<String> =
            others.filter(|path| running.iter().any(|(own, text)| names(own, text, path))).cloned().collect();
        if found.is_empty() {
            return run;
        }
        run.extend(found);
    }
}

/// Whether a program, with its text, imports another or starts it.
fn names(own: &str, text: &str, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    match file.strip_suffix(".py") {
        Some(module) => text.lines().any(|line| {
            let mut words = line.split_whitespace();
            let imports = own.ends_with(".py") && matches!(words.next(), Some("from" | "import"));
            imports && words.next() == Some(module)
        }),
        None => text.contains(&format!("/{file}'")) || text.contains(&format!("\"{file}\"")),
    }
}

/// A row of the table: its line, the page that it leads to, and what it says of tests.
struct Row<'a> {
    line: usize,
    page: String,
    tests: &'a str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let lines = page.lines().enumerate().skip_while(|(_, line)| *line != HEAD).skip(2);
    let rows = lines.take_while(|(_, line)| line.starts_with('|')).filter_map(|(index, line)| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [_, page, _, _, tests] = cells.as_slice() else { return None };
        let (_, link) = page.split_once("](senders/")?;
        let page = format!("{PAGES}{}", link.split([')', '#']).next().unwrap_or_default());
        Some(Row { line: index + 1, page, tests })
    });
    rows.collect()
}

/// What stands between backticks.
fn code_of(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn check(page: &str, world: &World, read: impl Fn(&str) -> Option<String>) -> Vec<Violation> {
    let rows = rows(page);
    let mut violations = Vec::new();
    let mut missing =
        |problem: String, remedy: &str| violations.push(Violation::in_file(PAGE, problem, remedy));
    for known in &world.pages {
        if !rows.iter().any(|row| row.page == *known) {
            missing(format!("{known} has no row"), "add one to the table, with what runs its sender");
        }
    }
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| code_of(row.tests)).collect();
    for scenario in &world.scenarios {
        let file = scenario.strip_prefix(SCENARIOS).unwrap_or(scenario);
        let is_of_senders = file.starts_with("sender_") || file.starts_with("recorded_");
        if is_of_senders && !named.contains(file) {
            missing(format!("no row names {file}"), "name it where its sender stands");
        }
    }
    for row in &rows {
        let mut tell = |problem: String, remedy: &str| {
            violations.push(Violation::at(PAGE, row.line, problem, remedy));
        };
        let tests = code_of(row.tests);
        if tests.is_empty() {
            tell(
                "the row names no test".to_owned(),
                "name what runs the sender, or a scenario of its requests",
            );
        }
        for test in &tests {
            if let Some(problem) = problem_of(test, world, &read) {
                tell(problem, "name the test as it is now, or write one");
            }
        }
        let has_program = tests.iter().any(|test| world.run.contains(&format!("{PROGRAMS}{test}")));
        if !has_program && !row.tests.contains(NOT_RUN) {
            let problem = "no program of tests/senders runs the sender";
            tell(problem.to_owned(), "say that it is not run, or have a program send as it does");
        }
    }
    violations
}

/// What is wrong with the name of a test.
fn problem_of(test: &str, world: &World, read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if test.ends_with(".http") {
        let path = format!("{SCENARIOS}{test}");
        return (!world.scenarios.contains(&path)).then(|| format!("there is no scenario {test}"));
    }
    if test.ends_with(".md") {
        let has_example = read(&format!("{PAGES}{test}")).is_some_and(|text| text.contains("\n```http\n"));
        return (!has_example).then(|| format!("the page {test} has no example that runs"));
    }
    (!world.run.contains(&format!("{PROGRAMS}{test}"))).then(|| format!("nothing runs the program {test}"))
}

mod samples {
    use super::*;

    fn world() -> World {
        let programs = [
            (STARTED[0], "from loki import send\nsend('other.js')"),
            (STARTED[1], "import x from './families/splunk.js';"),
            ("tests/senders/python/loki.py", "    import late"),
            ("tests/senders/python/late.py", "command = [\"node\", folder / \"fluent.js\"]"),
            ("tests/senders/python/alone.py", "import alone"),
            ("tests/senders/node/fluent.js", ""),
            ("tests/senders/node/families/splunk.js", ""),
        ];
        let programs = programs.map(|(path, text)| (path.to_owned(), text.to_owned()));
        World {
            run: run(&programs),
            pages: ["docs/reference/senders/a.md", "docs/reference/senders/b.md"].map(str::to_owned).into(),
            scenarios: ["tests/http/sender_a.http", "tests/http/grafana.http"].map(str::to_owned).into(),
        }
    }

    fn found(rows: &str) -> Vec<String> {
        let page = format!("Text.\n\n{HEAD}\n|---|---|---|---|---|\n{rows}\nMore.\n");
        let read = |path: &str| (path == "docs/reference/senders/b.md").then(|| "x\n```http\n".to_owned());
        let violations = check(&page, &world(), read);
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn programs_are_run_that_others_name() {
        let run = world().run;
        for program in ["python/loki.py", "python/late.py", "node/fluent.js", "node/families/splunk.js"] {
            assert!(run.contains(&format!("{PROGRAMS}{program}")), "{program}");
        }
        assert!(!run.contains("tests/senders/python/alone.py"), "{run:?}");
    }

    #[test]
    fn a_row_names_what_runs_its_sender() {
        let good = "| A | [A](senders/a.md#x) | `/a` | 200 | `python/loki.py`, `sender_a.http` |\n\
            | B | [B](senders/b.md) | `/b` | 200 | not run; `b.md` |";
        assert_eq!(found(good), Vec::<String>::new());
        let bad = "| A | [A](senders/a.md) | `/a` | 200 | `python/alone.py`, `sender_b.http`, `a.md` |\n\
            | A | [A](senders/a.md) | `/a` | 200 | not run |";
        let expected = [
            "docs/reference/senders/b.md has no row",
            "no row names sender_a.http",
            "nothing runs the program python/alone.py",
            "there is no scenario sender_b.http",
            "the page a.md has no example that runs",
            "no program of tests/senders runs the sender",
            "the row names no test",
        ];
        assert_eq!(found(bad), expected);
    }
}
