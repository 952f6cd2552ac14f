//! Rule: the documents are there and true. Links lead somewhere, the map names every crate, the commands of
//! the README exist, every page is in the list of documents, and decisions are numbered without gaps.

use std::collections::{BTreeMap, BTreeSet};

use crate::markdown::Markdown;
use crate::report::{Violation, assert_none};
use crate::repository;

const REQUIRED: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"];
const ARCHITECTURE: &str = "ARCHITECTURE.md";
const ARCHITECTURE_LINES: usize = 300;
const DOCUMENTS: &str = "docs/README.md";
const DECISIONS: &str = "docs/decisions";

#[test]
fn the_documents_that_a_reader_looks_for_are_there() {
    let is_missing = |path: &&&str| repository::read(path).is_none_or(|text| text.trim().is_empty());
    let missing = REQUIRED.iter().filter(is_missing);
    let violations = missing.map(|path| Violation::in_file(path, "is missing or empty", "write it"));
    assert_none("documents", violations.collect());
}

#[test]
fn relative_links_lead_somewhere() {
    let paths = repository::files_under("").into_iter().filter(|path| path.ends_with(".md"));
    let documents: BTreeMap<String, Markdown> =
        paths.filter_map(|path| repository::read(&path).map(|text| (path, Markdown::parse(&text)))).collect();
    assert_none("links", broken_links(&documents, repository::has));
}

#[test]
fn the_map_is_short_and_names_every_crate() {
    let text = repository::read(ARCHITECTURE).unwrap_or_default();
    assert_none("architecture", check_architecture(&text, &repository::crate_folders()));
}

#[test]
fn commands_of_the_readme_exist() {
    let readme = repository::read("README.md").unwrap_or_default();
    let makefile = repository::read("Makefile").unwrap_or_default();
    assert_none("make targets", check_commands(&readme, &makefile));
}

#[test]
fn every_page_is_in_the_list_of_documents() {
    let list = repository::read(DOCUMENTS).unwrap_or_default();
    assert_none("list of documents", check_list(&list, &repository::files_under("docs")));
}

#[test]
fn decisions_are_numbered_without_gaps() {
    assert_none("decisions", check_decisions(&repository::files_under(DECISIONS)));
}

fn broken_links(documents: &BTreeMap<String, Markdown>, has: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, markdown) in documents {
        for link in markdown.links.iter().filter(|link| !is_external(&link.text)) {
            if let Some(reason) = why_broken(path, &link.text, documents, &has) {
                let problem = format!("link `{}` is broken: {reason}", link.text);
                violations.push(Violation::at(
                    path,
                    link.line,
                    problem,
                    "correct the link, or write its target",
                ));
            }
        }
    }
    violations
}

/// Whether the link names a scheme, such as `https:` or `mailto:`, or another host.
fn is_external(target: &str) -> bool {
    let is_scheme = |it: &str| !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '+');
    target.starts_with("//") || target.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
}

fn why_broken(
    from: &str,
    target: &str,
    documents: &BTreeMap<String, Markdown>,
    has: impl Fn(&str) -> bool,
) -> Option<String> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let Some(path) = resolve(from, path) else {
        return Some("it leads out of the repository".to_owned());
    };
    let document = documents.get(&path);
    if document.is_none() && !has(&path) {
        return Some(format!("there is no {path}"));
    }
    let (anchor, document) = (anchor?, document?);
    (!document.anchors.contains(anchor)).then(|| format!("{path} has no heading for #{anchor}"))
}

/// The path from the root of what `target` means in the file `from`, unless it is outside of the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(from.to_owned());
    }
    let folder = match target.starts_with('/') {
        true => "",
        false => from.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let mut parts = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn check_architecture(text: &str, crates: &[String]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let lines = text.lines().count();
    if lines > ARCHITECTURE_LINES {
        let problem = format!("has {lines} lines, at most {ARCHITECTURE_LINES} are allowed");
        violations.push(Violation::in_file(ARCHITECTURE, problem, "move details to docs/internals"));
    }
    for folder in crates.iter().filter(|folder| !names_crate(text, folder)) {
        let problem = format!("does not name crates/{folder}");
        let remedy =
            format!("say what it is for and what it leaves to others, as `crates/{folder}` or `{folder}`");
        violations.push(Violation::in_file(ARCHITECTURE, problem, remedy));
    }
    violations
}

/// Whether the text has the folder as a name and not only as an English word: with its path or its package,
/// in backticks, or as a folder of a tree.
fn names_crate(text: &str, folder: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    text.match_indices(folder).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + folder.len()..]);
        if after.starts_with(is_part) {
            return false;
        }
        let is_whole = !before.ends_with(is_part) && !before.ends_with('/');
        before.ends_with("crates/")
            || before.ends_with("tidegauge-")
            || (before.ends_with('`') && after.starts_with(['`', '/']))
            || (is_whole && after.starts_with('/'))
    })
}

fn check_commands(readme: &str, makefile: &str) -> Vec<Violation> {
    let targets = make_targets(makefile);
    let mut violations = Vec::new();
    for piece in Markdown::parse(readme).code {
        for target in wanted_targets(&piece.text).into_iter().filter(|target| !targets.contains(target)) {
            let problem = format!("`make {target}` is not a target of the Makefile");
            violations.push(Violation::at(
                "README.md",
                piece.line,
                problem,
                "add the target or correct the command",
            ));
        }
    }
    violations
}

fn make_targets(makefile: &str) -> BTreeSet<&str> {
    let is_rule = |line: &&str| !line.starts_with(['\t', ' ', '#', '.']);
    let rules = makefile.lines().filter(is_rule).filter_map(|line| line.split_once(':'));
    let rules = rules.filter(|(_, rest)| !rest.trim_start_matches(':').starts_with('='));
    rules.flat_map(|(names, _)| names.split_whitespace()).collect()
}

/// The targets that the `make` commands in a piece of code ask for.
fn wanted_targets(code: &str) -> Vec<&str> {
    let code = code.split(" #").next().unwrap_or(code);
    let commands = code.split("&&").flat_map(|part| part.split([';', '|']));
    let mut wanted = Vec::new();
    for command in commands {
        let is_setting = |word: &&str| word.contains('=');
        let mut words = command.split_whitespace().skip_while(|word| *word == "$" || is_setting(word));
        if words.next() == Some("make") {
            wanted.extend(words.filter(|word| !word.starts_with('-') && !is_setting(word)));
        }
    }
    wanted
}

/// The pages that the list does not lead to. Of decisions it names the folder alone.
fn check_list(list: &str, paths: &[String]) -> Vec<Violation> {
    let pages = paths.iter().filter(|path| path.ends_with(".md") && *path != DOCUMENTS);
    let unlisted = pages.filter(|path| {
        let link = format!("]({})", path.trim_start_matches("docs/"));
        !path.starts_with(DECISIONS) && !list.contains(&link)
    });
    let remedy = format!("give it a line in {DOCUMENTS}");
    unlisted.map(|path| Violation::in_file(path, "is in no list of documents", remedy.as_str())).collect()
}

fn check_decisions(paths: &[String]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut expected = 1;
    for path in paths {
        let name = path.strip_prefix(DECISIONS).unwrap_or(path).trim_start_matches('/');
        match decision_number(name) {
            None => violations.push(Violation::in_file(
                path,
                "is not named like a decision",
                "name it NNNN-title.md, the title in small letters with hyphens",
            )),
            Some(number) => {
                if number != expected {
                    let problem = format!("has the number {number:04}, the next one is {expected:04}");
                    violations.push(Violation::in_file(
                        path,
                        problem,
                        "number decisions from 0001 without gaps",
                    ));
                }
                expected = number + 1;
            }
        }
    }
    violations
}

fn decision_number(name: &str) -> Option<usize> {
    let (number, title) = name.strip_suffix(".md")?.split_once('-')?;
    let is_number = number.len() == 4 && number.chars().all(|it| it.is_ascii_digit());
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    (is_number && title.split('-').all(is_word)).then(|| number.parse().ok()).flatten()
}

mod samples {
    use super::*;
    use crate::report::problems;

    fn links(files: &[(&str, &str)]) -> Vec<String> {
        let documents =
            files.iter().map(|(path, text)| ((*path).to_owned(), Markdown::parse(text))).collect();
        let violations = broken_links(&documents, |path| ["docs", "Makefile", "docs/x.png"].contains(&path));
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn good_links_pass() {
        let readme = "# Top\n[a](docs/guide.md#first-step) [b](#top) [c](docs/) [d](Makefile)\n\
            [e](./docs/x.png) [f](https://example.org/no.md) [g](mailto:a@b.c)";
        let guide = "## First step\n[a](../README.md#top) [b](x.png) [c](/Makefile) [d](guide.md)";
        assert_eq!(links(&[("README.md", readme), ("docs/guide.md", guide)]), Vec::<String>::new());
    }

    #[test]
    fn broken_links_are_found() {
        let readme = "# Top\n[a](docs/none.md)\n[b](#bottom)\n[c](docs/guide.md#none)\n[d](../out.md)";
        let expected = [
            "link `docs/none.md` is broken: there is no docs/none.md",
            "link `#bottom` is broken: README.md has no heading for #bottom",
            "link `docs/guide.md#none` is broken: docs/guide.md has no heading for #none",
            "link `../out.md` is broken: it leads out of the repository",
            "link `Makefile` is broken: there is no docs/Makefile",
        ];
        assert_eq!(links(&[("README.md", readme), ("docs/guide.md", "[x](Makefile)")]), expected);
    }

    #[test]
    fn a_crate_is_named_when_it_is_meant() {
        let named = [
            "see crates/model.",
            "`model`",
            "`model/`",
            "  model/  the words",
            "tidegauge-model",
            "`crates/model/src`",
        ];
        for text in named {
            assert!(names_crate(text, "model"), "{text}");
        }
        for text in ["the model of", "crates/models", "a data-model/x", "`remodel`", "crates/store/model/x"] {
            assert!(!names_crate(text, "model"), "{text}");
        }
        let long = "`model`\n".repeat(301);
        let crates = ["model".to_owned(), "store".to_owned()];
        assert_eq!(
            problems(&check_architecture(&long, &crates)),
            ["has 301 lines, at most 300 are allowed", "does not name crates/store"]
        );
    }

    #[test]
    fn commands_without_a_target_are_found() {
        let makefile =
            ".PHONY: run\nX := 1\nY ::= 2\nrun test: deps ## a: b\n\tmake inner: x\nui/dist: ; npm\n";
        assert_eq!(make_targets(makefile), BTreeSet::from(["run", "test", "ui/dist"]));
        let readme = "\
You can make sure with `make run` or `make X=1 run lost`.
```sh
$ git clone x && make -j2 test   # make none
make gone
A=1 make ui/dist; make away
```
";
        let violations = check_commands(readme, makefile);
        let missing = |name: &str| format!("`make {name}` is not a target of the Makefile");
        assert_eq!(problems(&violations), [missing("lost"), missing("gone"), missing("away")]);
    }

    #[test]
    fn pages_that_no_list_names_are_found() {
        let paths =
            ["docs/README.md", "docs/a/b.md", "docs/a/c.md", "docs/a/d.svg", "docs/decisions/0001-x.md"];
        let unlisted = check_list("- [b](a/b.md)", &paths.map(str::to_owned));
        assert_eq!(unlisted.len(), 1);
        assert!(check_list("- [b](a/b.md), [c](a/c.md)", &paths.map(str::to_owned)).is_empty());
    }

    #[test]
    fn decisions_with_gaps_or_other_names_are_found() {
        let found = |names: &[&str]| {
            let paths: Vec<String> = names.iter().map(|name| format!("{DECISIONS}/{name}")).collect();
            check_decisions(&paths).len()
        };
        assert_eq!(found(&["0001-one.md", "0002-two-more.md", "0003-v2.md"]), 0);
        assert_eq!(found(&["0002-two.md"]), 1);
        assert_eq!(found(&["0001-one.md", "0003-three.md"]), 1);
        assert_eq!(found(&["0001-one.md", "0001-two.md"]), 1);
        for name in [
            "README.md",
            "01-one.md",
            "0001-One.md",
            "0001_one.md",
            "0001-.md",
            "0001-one.txt",
            "old/0001-one.md",
        ] {
            assert_eq!(found(&[name]), 1, "{name}");
        }
    }
}
