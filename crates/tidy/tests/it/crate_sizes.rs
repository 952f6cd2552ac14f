//! Rule: no crate is larger than a person can hold in mind, or than is good to compile as one. Lines of its source are
//! counted, comments and blank ones too; tests are not.

use std::collections::BTreeMap;

use crate::report::{Violation, assert_none, problems};
use crate::source::{self, Source};

const CRATE: usize = 18_000;

#[test]
fn crates_stay_below_their_size() {
    let sources = source::those(|path, _| path.split('/').nth(2) == Some("src"));
    assert_none("crate sizes", check(&sources, CRATE));
}

fn check(sources: &[Source], lines_max: usize) -> Vec<Violation> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test) {
        let folder = source.path.match_indices('/').nth(1).map_or("", |(end, _)| &source.path[..end]);
        *lines.entry(folder).or_default() += source.counted_lines();
    }
    let large = lines.into_iter().filter(|(_, lines)| *lines > lines_max);
    large
        .map(|(folder, lines)| {
            let problem = format!("has {lines} lines without tests, at most {lines_max} are allowed");
            Violation::in_file(folder, problem, "make a layer of it a crate of its own")
        })
        .collect()
}

mod samples {
    use super::*;

    #[test]
    fn the_lines_of_a_crate_are_counted_without_those_of_tests() {
        let tests = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let files = [
            ("crates/x/src/lib.rs", tests),
            ("crates/x/src/y.rs", "//! Y.\nfn y() {}\n"),
            ("crates/x/tests/it/main.rs", "fn z() {}\nfn zz() {}\n"),
            ("crates/other/src/lib.rs", "fn a() {}\n"),
        ];
        let sources: Vec<Source> = files.iter().map(|(path, text)| Source::parse(path, text)).collect();
        assert_eq!(problems(&check(&sources, 4)), [""; 0]);
        let found = check(&sources, 3);
        assert_eq!(problems(&found), ["has 4 lines without tests, at most 3 are allowed"]);
    }
}
