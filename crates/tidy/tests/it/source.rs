//! Rust files, parsed, with the answer to one question: which lines are production code and which are tests.
//! Tests are the files in a crate's `tests/`, the inline modules under `#[cfg(test)]`, and the files of
//! modules that are declared under `#[cfg(test)]`.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, Meta, Token};

use crate::repository;

pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) syntax: syn::File,
    pub(crate) is_test: bool,
    test_lines: Vec<RangeInclusive<usize>>,
}

/// A token as it is written, with its line.
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Source {
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let syntax = syn::parse_file(text).unwrap_or_else(|error| {
            panic!("{path}:{}: is not Rust: {error}", error.span().start().line);
        });
        let mut modules = TestModules::default();
        modules.visit_file(&syntax);
        let is_test = path.split('/').nth(2) == Some("tests");
        Self { path: path.to_owned(), text: text.to_owned(), syntax, is_test, test_lines: modules.lines }
    }

    /// The number of lines without the inline test modules; all lines of a test file.
    pub(crate) fn counted_lines(&self) -> usize {
        let all = self.text.lines().count();
        if self.is_test {
            return all;
        }
        all - self.test_lines.iter().map(|lines| lines.end() - lines.start() + 1).sum::<usize>()
    }

    /// The tokens outside tests, groups opened up, comments left out.
    pub(crate) fn production_words(&self) -> Vec<Word> {
        if self.is_test {
            return Vec::new();
        }
        let tokens: TokenStream = self.text.parse().expect("what syn parsed has tokens");
        let mut words = Vec::new();
        spell(tokens, &mut words);
        words.retain(|word| !self.test_lines.iter().any(|lines| lines.contains(&word.line)));
        words
    }

    /// The paths, without `.rs`, of the modules that this file declares under `#[cfg(test)]`.
    fn declared_test_modules(&self) -> Vec<String> {
        let (folder, name) = self.path.rsplit_once('/').expect("a source file is in a folder");
        let home = match name {
            "lib.rs" | "main.rs" | "build.rs" => folder.to_owned(),
            _ => self.path.trim_end_matches(".rs").to_owned(),
        };
        let modules = self.syntax.items.iter().filter_map(|item| match item {
            Item::Mod(module) if module.content.is_none() && is_for_tests(&module.attrs) => Some(module),
            _ => None,
        });
        modules.map(|module| format!("{home}/{}", module.ident)).collect()
    }
}

/// Every Rust file of our crates.
pub(crate) fn all() -> Vec<Source> {
    those(|_, _| true)
}

/// The Rust files of our crates whose path and text are wanted. To parse all of them takes long.
pub(crate) fn those(are_wanted: impl Fn(&str, &str) -> bool) -> Vec<Source> {
    let paths = repository::files_under("crates").into_iter().filter(|path| path.ends_with(".rs"));
    let files = paths.filter_map(|path| repository::read(&path).map(|text| (path, text)));
    chosen(&files.collect::<Vec<_>>(), are_wanted)
}

fn chosen(files: &[(String, String)], are_wanted: impl Fn(&str, &str) -> bool) -> Vec<Source> {
    let is_wanted = |(path, text): &&(String, String)| are_wanted(path, text);
    let wanted: BTreeSet<&str> = files.iter().filter(is_wanted).map(|(path, _)| path.as_str()).collect();
    // Whether a file is a test may stand in one of those above it.
    let above: Vec<String> = wanted.iter().flat_map(|path| above(path)).collect();
    let needed = |path: &String| wanted.contains(path.as_str()) || above.contains(path);
    let needed = files.iter().filter(|(path, _)| needed(path));
    let mut sources: Vec<Source> = needed.map(|(path, text)| Source::parse(path, text)).collect();
    mark_declared_tests(&mut sources);
    sources.retain(|source| wanted.contains(source.path.as_str()));
    sources
}

/// The files that may declare the module of this file or one that it is in.
fn above(path: &str) -> Vec<String> {
    let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
    folders.flat_map(|folder| [".rs", "/lib.rs", "/main.rs"].map(|rest| format!("{folder}{rest}"))).collect()
}

fn mark_declared_tests(sources: &mut [Source]) {
    let modules: Vec<String> = sources.iter().flat_map(Source::declared_test_modules).collect();
    for source in sources {
        let declared = |module: &String| {
            source
                .path
                .strip_prefix(module.as_str())
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        source.is_test |= modules.iter().any(declared);
    }
}

#[derive(Default)]
struct TestModules {
    lines: Vec<RangeInclusive<usize>>,
}

impl<'ast> Visit<'ast> for TestModules {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if module.content.is_some() && is_for_tests(&module.attrs) {
            let span = module.span();
            self.lines.push(span.start().line..=span.end().line);
        } else {
            visit::visit_item_mod(self, module);
        }
    }
}

/// Whether one of the attributes is `#[cfg(test)]` or `#[cfg(all(test, ...))]`.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    conditions.filter_map(|attribute| attribute.parse_args::<Meta>().ok()).any(|meta| needs_test(&meta))
}

fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|parts| parts.iter().any(needs_test)),
        _ => false,
    }
}

fn spell(tokens: TokenStream, words: &mut Vec<Word>) {
    for token in tokens {
        let TokenTree::Group(group) = token else {
            words.push(Word { text: token.to_string(), line: token.span().start().line });
            continue;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::None => ("", ""),
        };
        words.push(Word { text: open.to_owned(), line: group.span_open().start().line });
        spell(group.stream(), words);
        words.push(Word { text: close.to_owned(), line: group.span_close().start().line });
    }
}

#[test]
fn inline_test_modules_are_not_counted() {
    let text = "\
//! Sample.
fn kept() {}

/// Documented.
#[cfg(test)]
mod tests {
    fn not_kept() {}
}
#[cfg(not(test))]
mod real {
    fn also_kept() {}
}
#[cfg(all(test, unix))]
mod more {}
";
    let source = Source::parse("crates/x/src/y.rs", text);
    assert_eq!(source.counted_lines(), 14 - 5 - 2);
    let words: Vec<String> = source.production_words().into_iter().map(|word| word.text).collect();
    assert!(words.contains(&"kept".to_owned()) && words.contains(&"also_kept".to_owned()));
    assert!(!words.contains(&"not_kept".to_owned()));

    let source = Source::parse("crates/x/tests/it/y.rs", text);
    assert!(source.is_test);
    assert_eq!(source.counted_lines(), 14);
}

#[test]
fn files_of_declared_test_modules_are_tests() {
    let mut sources = [
        Source::parse("crates/x/src/y.rs", "#[cfg(test)]\nmod tests;\nmod z;"),
        Source::parse("crates/x/src/y/tests.rs", ""),
        Source::parse("crates/x/src/y/tests/deep.rs", ""),
        Source::parse("crates/x/src/y/tests_of_others.rs", ""),
        Source::parse("crates/x/src/y/z.rs", ""),
        Source::parse("crates/x/src/lib.rs", "#[cfg(test)]\nmod samples;"),
        Source::parse("crates/x/src/samples.rs", ""),
    ];
    mark_declared_tests(&mut sources);
    let tests: Vec<&str> =
        sources.iter().filter(|source| source.is_test).map(|source| source.path.as_str()).collect();
    assert_eq!(tests, ["crates/x/src/y/tests.rs", "crates/x/src/y/tests/deep.rs", "crates/x/src/samples.rs"]);
}

#[test]
fn a_few_files_are_told_apart_as_all_of_them_are() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = [
        file("crates/x/src/lib.rs", "#[cfg(test)]\nmod samples;\nmod y;"),
        file("crates/x/src/samples.rs", ""),
        file("crates/x/src/y.rs", "mod z;"),
        file("crates/x/src/y/z.rs", "#[cfg(test)]\nmod tests;"),
        file("crates/x/src/y/z/tests.rs", ""),
        file("crates/x/src/y/z/deep.rs", ""),
    ];
    for (path, _) in &files {
        let alone = chosen(&files, |other, _| other == path);
        let among_all = chosen(&files, |_, _| true).into_iter().find(|source| source.path == *path);
        assert_eq!(alone.iter().map(|source| source.path.as_str()).collect::<Vec<_>>(), [path]);
        assert_eq!(Some(alone[0].is_test), among_all.map(|source| source.is_test), "{path}");
    }
}
