//! A place that breaks a rule, and the one failure that names all of them.

use std::fmt;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    file: String,
    line: Option<usize>,
    pub(crate) problem: String,
    remedy: String,
}

impl Violation {
    pub(crate) fn in_file(file: &str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into(), remedy: remedy.into() }
    }

    pub(crate) fn at(file: &str, line: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::in_file(file, problem, remedy) }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n    to do: {}", self.problem, self.remedy)
    }
}

/// Ends the test with every violation, in the order of the files, when there is one.
#[track_caller]
pub(crate) fn assert_none(rule: &str, mut violations: Vec<Violation>) {
    violations.sort();
    let list: Vec<String> = violations.iter().map(Violation::to_string).collect();
    let count = list.len();
    assert!(list.is_empty(), "rule \"{rule}\", places that break it: {count}\n\n{}\n", list.join("\n"));
}

/// The line, counted from one, of a place in a text.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}

/// The problems alone, for the tests of a rule.
pub(crate) fn problems(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|violation| violation.problem.as_str()).collect()
}

#[test]
fn the_failure_names_file_line_problem_and_remedy_of_all() {
    let violations = vec![
        Violation::in_file("b.md", "is empty", "write it"),
        Violation::at("a.rs", 7, "too long", "cut it"),
    ];
    let panic = std::panic::catch_unwind(|| assert_none("sample", violations)).expect_err("two violations");
    let message = panic.downcast_ref::<String>().expect("a message");
    let all = "a.rs:7: too long\n    to do: cut it\nb.md: is empty\n    to do: write it";
    assert!(message.contains(all), "{message}");
    assert_none("sample", Vec::new());
}
