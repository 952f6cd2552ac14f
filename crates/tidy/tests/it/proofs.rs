//! Rule: every test that `docs/internals/testing.md` and `threats.md` name is there. A row of their tables is a promise
//! or a threat with a link, and tests: a function of a test file in `crates`, a scenario, a page whose examples run, or
//! another file of `tests` or `scripts`. Whether a test proves its promise is for people to judge.

use crate::report::{Violation, assert_none, problems};
use crate::repository;

/// A page with such tables.
struct Page {
    path: &'static str,
    /// The first line of each table.
    head: &'static str,
    /// Where it is told what nothing proves.
    without: &'static str,
}

const PROMISES: Page = Page {
    path: "docs/internals/testing.md",
    head: "| promise | proved by |",
    without: "## Promises without a test",
};

const THREATS: Page = Page {
    path: "docs/internals/threats.md",
    head: "| threat | what stops it | proved by |",
    without: "## Not proved or not there yet",
};

#[test]
fn the_tests_that_prove_promises_are_there() {
    let paths = repository::files_under("crates").into_iter().filter(|path| path.ends_with(".rs"));
    let sources: Vec<(String, String)> =
        paths.filter_map(|path| repository::read(&path).map(|text| (path, text))).collect();
    for page in [&PROMISES, &THREATS] {
        let document = repository::read(page.path).unwrap_or_default();
        assert_none("promises", check(page, &document, &sources, repository::read));
    }
}

/// A row of a table: the promise, and what proves it.
struct Row<'a> {
    line: usize,
    promise: &'a str,
    tests: &'a str,
}

fn check(
    page: &Page,
    document: &str,
    sources: &[(String, String)],
    read: impl Fn(&str) -> Option<String>,
) -> Vec<Violation> {
    let rows = rows(page, document);
    let mut violations = Vec::new();
    if rows.is_empty() {
        let remedy = format!("begin a table with `{}`", page.head);
        violations.push(Violation::in_file(page.path, "lists no promise", remedy));
    }
    if !document.lines().any(|line| line == page.without) {
        let remedy = "say openly what no test proves";
        let problem = format!("has no part \"{}\"", page.without);
        violations.push(Violation::in_file(page.path, problem, remedy));
    }
    for row in &rows {
        let mut tell = |problem: String, remedy: &str| {
            violations.push(Violation::at(page.path, row.line, problem, remedy));
        };
        if !row.promise.contains("](") {
            tell("the promise has no link".to_owned(), "link to where it is made");
        }
        let named = code_of(row.tests);
        if named.is_empty() {
            tell("the promise has no test".to_owned(), "name one, or move the promise to those without");
        }
        for name in named {
            if let Some(problem) = problem_of(name, sources, &read) {
                tell(problem, "name the test as it is now, or write one");
            }
        }
    }
    violations
}

fn rows<'a>(page: &Page, document: &'a str) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut is_table = false;
    for (index, line) in document.lines().enumerate() {
        is_table = line == page.head || (is_table && line.starts_with('|'));
        let cells = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
        if let Some((promise, tests)) = cells.and_then(|cells| cells.rsplit_once(" | "))
            && is_table
            && line != page.head
        {
            rows.push(Row { line: index + 1, promise, tests });
        }
    }
    rows
}

/// What stands between backticks.
fn code_of(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with the name of a test.
fn problem_of(
    name: &str,
    sources: &[(String, String)],
    read: &impl Fn(&str) -> Option<String>,
) -> Option<String> {
    if let Some((file, function)) = name.split_once("::") {
        let path = format!("crates/{file}");
        let Some((_, text)) = sources.iter().find(|(known, _)| *known == path) else {
            return Some(format!("there is no file {path}"));
        };
        if is_marked(text, function) || is_listed(&path, text, function, sources) {
            return None;
        }
        return Some(format!("{path} has no test {function}"));
    }
    let is_test = ["tests/", "scripts/"].iter().any(|folder| name.starts_with(folder));
    let is_page = name.starts_with("docs/reference/");
    match read(name) {
        Some(_) if is_test => None,
        Some(text) if is_page && text.contains("\n```http\n") => None,
        Some(_) if is_page => Some(format!("{name} has no example that runs")),
        Some(_) => Some(format!("{name} is no test")),
        None => Some(format!("there is no file {name}")),
    }
}

/// Whether a function stands below an attribute that makes it a test.
fn is_marked(text: &str, function: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let Some(place) = lines.iter().position(|line| declares(line, function)) else { return false };
    let above =
        lines[..place].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    above.into_iter().any(|line| line.starts_with("#[test") || line.starts_with("#[tokio::test"))
}

/// Whether a harness of the crate's own runs a function of one of its test files.
fn is_listed(path: &str, text: &str, function: &str, sources: &[(String, String)]) -> bool {
    let Some((folder, _)) = path.split_once("/tests/") else { return false };
    let folder = format!("{folder}/tests/");
    let lists = |(path, line): (&str, &str)| {
        let is_list = line.contains("Box::pin(") || path.ends_with("/main.rs");
        is_list && has_word(line, function) && !declares(line.trim_start(), function)
    };
    let lines = sources.iter().filter(|(path, _)| path.starts_with(&folder));
    let mut lines = lines.flat_map(|(path, text)| text.lines().map(move |line| (path.as_str(), line)));
    text.lines().any(|line| declares(line.trim_start(), function)) && lines.any(lists)
}

fn declares(line: &str, function: &str) -> bool {
    let is_function =
        |before: &str| before.split_whitespace().all(|word| word == "async" || word.starts_with("pub"));
    let found = line.split_once("fn ").filter(|(before, _)| is_function(before));
    found
        .is_some_and(|(_, rest)| rest.strip_prefix(function).is_some_and(|rest| rest.starts_with(['(', '<'])))
}

/// Whether a word stands alone in a line.
fn has_word(line: &str, word: &str) -> bool {
    let touches = |it: char| it.is_alphanumeric() || it == '_';
    line.match_indices(word).any(|(start, _)| {
        !line[..start].ends_with(touches) && !line[start + word.len()..].starts_with(touches)
    })
}

mod samples {
    use super::*;

    fn sources() -> Vec<(String, String)> {
        let source = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        vec![
            source(
                "crates/store/tests/it/a.rs",
                "fn sent() {}\n\n#[tokio::test(flavor = \"multi_thread\")]\n/// Why.\nasync fn nothing_is_lost() {\n    sent();\n}\n\
                 mod inner {\n    #[test]\n    fn it_is() {}\n}\n",
            ),
            source(
                "crates/http/tests/it/cases.rs",
                "const ALL: &[Case] = &[(\"name\", |app| Box::pin(kept(app)))];\nasync fn kept(app: App) { made(); }\nfn made() {}\n",
            ),
            source("crates/http/tests/it/main.rs", "mod cases;\nfn main() { matrix::run(backend); }\n"),
            source("crates/http/tests/it/matrix.rs", "pub(crate) async fn run(backend: Backend) {}\n"),
        ]
    }

    fn read(path: &str) -> Option<String> {
        let text = match path {
            "docs/reference/query.md" => "# A page\n```http\nGET / as=owner\n>>> 200\n```\n",
            "tests/http/a.http" | "scripts/a.sh" | "docs/reference/plain.md" | "Makefile" => "text",
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn found(rows: &[&str]) -> Vec<String> {
        let document = format!(
            "{}\n|---|---|\n{}\n\n{}\n\n| not | a row |\n",
            PROMISES.head,
            rows.join("\n"),
            PROMISES.without
        );
        let violations = check(&PROMISES, &document, &sources(), read);
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn tests_that_are_there_pass() {
        let rows = [
            "| kept, with `a\\|b` ([where](../x.md)) | `store/tests/it/a.rs::nothing_is_lost`, `tests/http/a.http` |",
            "| [also](x.md) | `store/tests/it/a.rs::it_is`; each page: `docs/reference/query.md` |",
            "| [by a list](x.md) | `http/tests/it/cases.rs::kept`, `http/tests/it/matrix.rs::run` |",
            "| [by a script](x.md) | `scripts/a.sh` |",
        ];
        assert_eq!(found(&rows), [""; 0]);
    }

    #[test]
    fn tests_that_are_not_there_are_found() {
        let rows = [
            "| [gone](x.md) | `store/tests/it/a.rs::nothing_was_lost` |",
            "| [no test](x.md) | `store/tests/it/a.rs::sent`, `http/tests/it/cases.rs::made` |",
            "| [no file](x.md) | `store/tests/it/b.rs::it_is`, `tests/http/b.http` |",
            "| [no example](x.md) | `docs/reference/plain.md`, `Makefile` |",
            "| no link | `scripts/a.sh` |",
            "| [nothing](x.md) | all of them |",
        ];
        let expected = [
            "crates/store/tests/it/a.rs has no test nothing_was_lost",
            "crates/store/tests/it/a.rs has no test sent",
            "crates/http/tests/it/cases.rs has no test made",
            "there is no file crates/store/tests/it/b.rs",
            "there is no file tests/http/b.http",
            "docs/reference/plain.md has no example that runs",
            "Makefile is no test",
            "the promise has no link",
            "the promise has no test",
        ];
        assert_eq!(found(&rows), expected);
    }

    #[test]
    fn a_page_without_promises_is_found() {
        let violations = check(&PROMISES, "# Testing\n", &sources(), read);
        let expected = ["lists no promise", "has no part \"## Promises without a test\""];
        assert_eq!(problems(&violations), expected);
    }
}
