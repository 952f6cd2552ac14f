//! Rule: tests are run. Cargo leaves out those of a library or program whose manifest says `test = false`, without a word;
//! tests that stand beside its code would then be read by people and compiled, and prove nothing.

use crate::manifest;
use crate::report::{Violation, assert_none, problems};
use crate::repository;
use crate::source::{self, Source};

const REMEDY: &str = "take `test = false` out of the manifest, or move the test to a library that is tested";

#[test]
fn tests_are_run() {
    let sources = source::those(|path, text| path.contains("/src/") && has_test(text));
    let violations = manifest::all().0.into_iter().filter_map(|manifest| {
        let text = repository::read(&manifest.path).unwrap_or_default();
        check(&manifest.path, &text, &sources)
    });
    assert_none("tests that nothing runs", violations.collect());
}

/// The tests of some crates are packages of their own, in the crate's folder.
#[test]
fn packages_of_tests_are_members() {
    let root = repository::read("Cargo.toml").unwrap_or_default();
    let manifests: Vec<(String, String)> = repository::files_under("crates")
        .into_iter()
        .filter(|path| path.ends_with("Cargo.toml"))
        .filter_map(|path| repository::read(&path).map(|text| (path, text)))
        .collect();
    assert_none("packages of tests that nothing runs", check_members(&root, &manifests));
}

fn check_members(root: &str, manifests: &[(String, String)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in manifests {
        let folder = path.strip_suffix("/Cargo.toml").unwrap_or(path);
        if folder.ends_with("/tests") && !root.contains(&format!("\"{folder}\"")) {
            violations.push(Violation::in_file(
                path,
                "is no member of the workspace, so that nothing runs its tests",
                "name its folder in `members` of the root's Cargo.toml",
            ));
        }
        let tests = format!("{folder}/tests/Cargo.toml");
        if text.contains("autotests = false") && !manifests.iter().any(|(other, _)| *other == tests) {
            violations.push(Violation::in_file(
                path,
                "leaves out the files below tests",
                "take `autotests = false` out, or make tests a package of its own",
            ));
        }
    }
    violations
}

fn has_test(text: &str) -> bool {
    text.lines().any(|line| matches!(line.trim_start().get(..7), Some("#[test]" | "#[tokio")))
}

/// The files of a program are told from those of the library beside it by what declares them: here, by their own folder.
fn check(path: &str, text: &str, sources: &[Source]) -> Option<Violation> {
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{path} is not TOML: {error}"));
    let is_left_out =
        table.get("lib").and_then(|lib| lib.get("test")).and_then(toml::Value::as_bool) == Some(false);
    let folder = path.strip_suffix("Cargo.toml").unwrap_or(path);
    let source = sources.iter().find(|source| source.path.starts_with(&format!("{folder}src/")))?;
    let problem = format!("leaves out the tests of its library, and {} has some", source.path);
    is_left_out.then(|| Violation::in_file(path, problem, REMEDY))
}

#[test]
fn a_library_that_is_left_out_is_found() {
    let tested = [Source::parse("crates/x/src/y/tests.rs", "#[test]\nfn z() {}\n")];
    let left_out = "[package]\nname = \"x\"\n[lib]\ntest = false\n";
    let found = check("crates/x/Cargo.toml", left_out, &tested);
    let problem = "leaves out the tests of its library, and crates/x/src/y/tests.rs has some";
    assert_eq!(problems(found.as_slice()), [problem]);
    assert_eq!(check("crates/x/Cargo.toml", "[package]\nname = \"x\"\n[lib]\n", &tested), None);
    assert_eq!(check("crates/other/Cargo.toml", left_out, &tested), None);
    assert!(has_test("mod tests {\n    #[tokio::test]\n") && !has_test("// #[test]\n"));
}

#[test]
fn a_package_of_tests_that_is_no_member_is_found() {
    let manifests = |texts: &[(&str, &str)]| -> Vec<(String, String)> {
        texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let good = manifests(&[("crates/x/Cargo.toml", "autotests = false"), ("crates/x/tests/Cargo.toml", "")]);
    assert!(check_members("members = [\"crates/*\", \"crates/x/tests\"]", &good).is_empty());
    let problem = "is no member of the workspace, so that nothing runs its tests";
    assert_eq!(problems(&check_members("members = [\"crates/*\"]", &good)), [problem]);
    let left_out = manifests(&[("crates/x/Cargo.toml", "autotests = false")]);
    assert_eq!(problems(&check_members("", &left_out)), ["leaves out the files below tests"]);
}
