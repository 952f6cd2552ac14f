//! Rule: what `make sabotage` takes out is there to be taken out, and so are the tests that must notice. It is run by hand,
//! so that without this rule an edit would be found too late to be outdated.

use crate::report::{Violation, assert_none, problems};
use crate::repository;

const EDITS: &str = "tests/sabotage/edits.toml";

/// Where the tests of the store are, by the key that names them.
const TESTS: [(&str, &str); 2] = [("lib", "crates/store/src"), ("it", "crates/store/tests/it")];

#[test]
fn what_is_taken_out_on_purpose_is_there() {
    let edits = repository::read(EDITS).expect("tests/sabotage/edits.toml is part of this rule");
    let sources: Vec<(String, String)> = repository::files_under("crates/store")
        .into_iter()
        .filter_map(|path| repository::read(&path).map(|text| (path, text)))
        .collect();
    assert_none("sabotage", check(&edits, &sources));
}

fn check(edits: &str, sources: &[(String, String)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut tell = |problem: String, remedy: &str| {
        violations.push(Violation::in_file(EDITS, problem, remedy));
    };
    let table: toml::Table = edits.parse().expect("tests/sabotage/edits.toml is TOML");
    let edits = table["edit"].as_array().expect("a list of edits");
    for edit in edits {
        let text = |key: &str| edit.get(key).and_then(toml::Value::as_str).unwrap_or_default();
        let (name, file, find) = (text("name"), text("file"), text("find"));
        let source = sources.iter().find(|(path, _)| path == file);
        let count = source.map_or(0, |(_, source)| source.matches(find).count());
        if count != 1 {
            let problem = format!("the text of `{name}` stands {count} times in {file}");
            tell(problem, "look at what has become of it, and write `find` and `put` anew");
        }
        let mut named = 0;
        for (key, folder) in TESTS {
            for test in edit.get(key).and_then(toml::Value::as_array).into_iter().flatten() {
                named += 1;
                let function = test.as_str().and_then(|test| test.rsplit("::").next()).unwrap_or_default();
                let declared = format!("fn {function}(");
                let mut own = sources.iter().filter(|(path, _)| path.starts_with(folder));
                if !own.any(|(_, text)| text.contains(&declared)) {
                    tell(
                        format!("`{name}`: {folder} has no test {function}"),
                        "name the test as it is now, or write one",
                    );
                }
            }
        }
        if named == 0 {
            tell(format!("`{name}` has no test"), "name one that must notice");
        }
    }
    violations
}

mod samples {
    use super::*;

    #[test]
    fn an_edit_without_its_place_or_its_test_is_found() {
        let sources = [
            ("crates/store/src/wal.rs".to_owned(), "sync();\nwrite();\nwrite();\nfn kept() {}".to_owned()),
            ("crates/store/tests/it/a.rs".to_owned(), "fn nothing_is_lost() {}".to_owned()),
        ];
        let edit = |name: &str, find: &str, tests: &str| {
            format!("[[edit]]\nname = '{name}'\nfile = 'crates/store/src/wal.rs'\nfind = '{find}'\n{tests}\n")
        };
        let good = edit("good", "sync();", "it = ['a::nothing_is_lost']\nlib = ['log::kept']");
        assert_eq!(problems(&check(&good, &sources)), Vec::<&str>::new());
        let bad = [
            edit("twice", "write();", "lib = ['log::kept']"),
            edit("gone", "rename();", "lib = ['log::kept']"),
            edit("elsewhere", "sync();", "lib = ['log::nothing_is_lost']"),
            edit("alone", "sync();", ""),
        ];
        let expected = [
            "the text of `twice` stands 2 times in crates/store/src/wal.rs",
            "the text of `gone` stands 0 times in crates/store/src/wal.rs",
            "`elsewhere`: crates/store/src has no test nothing_is_lost",
            "`alone` has no test",
        ];
        assert_eq!(problems(&check(&bad.concat(), &sources)), expected);
    }
}
