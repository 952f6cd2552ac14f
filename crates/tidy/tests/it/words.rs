//! Rule: no word that marks unfinished work, no file named after nothing, no state in a `static`, and no word of our
//! own in the place of the field's.

use crate::report::{Violation, assert_none};
use crate::repository;
use crate::source::{self, Source, Word};

/// This file, which has to name the words that it forbids.
const THIS_FILE: &str = "crates/tidy/tests/it/words.rs";

const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!", "TODO", "FIXME", "XXX"];
const NAMES_OF_NOTHING: &[&str] = &["utils.rs", "util.rs", "common.rs", "helpers.rs", "misc.rs"];

/// Names of modules, types and parts of settings that have given way to the field's words, with those.
const REPLACED: &[(&str, &str)] = &[
    ("any_case", "case_insensitive"),
    ("bearers", "token_cache"),
    ("blanks", "spacing"),
    ("care", "maintenance"),
    ("chance", "rng"),
    ("doomed", "delete_set"),
    ("flights", "single_flight"),
    ("footers", "footer_cache"),
    ("frame_bytes", "payload_bytes"),
    ("given_up", "abandoned"),
    ("groups_bytes", "partials_bytes"),
    ("kept_groups", "partials"),
    ("letter", "webhook_request"),
    ("moment", "datetime"),
    ("os_chance", "os_rng"),
    ("outgoing", "egress"),
    ("outlines", "signatures"),
    ("readings", "samples"),
    ("retain", "retention"),
    ("scene", "cursor_context"),
    ("surroundings", "context"),
    ("sweep", "gc"),
    ("tiles", "window_partials"),
    ("unclaimed", "orphaned_wal"),
    ("unpublished", "pending_commit"),
    ("unread", "drain_body"),
    ("watch", "alerting"),
    ("Bearers", "TokenCache"),
    ("Flights", "SingleFlight"),
    ("Footers", "FooterCache"),
    ("Logged", "BufferedBatch"),
    ("OsChance", "OsRng"),
    ("Outgoing", "Fetcher"),
    ("Readings", "Samples"),
    ("SeededChance", "SeededRng"),
    ("StoreFigures", "StoreStats"),
    ("Unclaimed", "OrphanedWal"),
    ("Unpublished", "PendingCommit"),
];

/// The settings, whose names are checked with those of modules and types.
const REFERENCE: &str = "config/reference.toml";

/// Types that make a `static` into state, and macros that declare one.
const STATE: &[&str] = &[
    "OnceLock",
    "OnceCell",
    "LazyLock",
    "LazyCell",
    "Lazy",
    "Mutex",
    "RwLock",
    "Cell",
    "RefCell",
    "UnsafeCell",
];
const STATE_MACROS: &[&str] = &["thread_local", "lazy_static"];

/// An allocator is asked by every thread and has nowhere else to count.
const COUNTING: &str = "crates/heap/src/lib.rs";

#[test]
fn no_unfinished_work_is_left_behind() {
    let mut violations = Vec::new();
    for path in repository::files_under("crates").into_iter().filter(|path| path != THIS_FILE) {
        if let Ok(text) = String::from_utf8(repository::read_bytes(&path)) {
            violations.extend(unfinished(&path, &text));
        }
    }
    assert_none("unfinished work", violations);
}

#[test]
fn files_are_named_after_what_is_in_them() {
    let files = repository::files_under("crates");
    assert_none("file names", files.iter().filter_map(|path| check_name(path)).collect());
}

#[test]
fn things_are_called_by_the_words_of_the_field() {
    let files = repository::files_under("crates");
    let mut violations: Vec<Violation> = files.iter().filter_map(|path| check_module(path)).collect();
    let sources = source::those(|_, text| REPLACED.iter().any(|(word, _)| text.contains(word)));
    violations.extend(sources.iter().flat_map(check_types));
    violations.extend(check_settings(&repository::read(REFERENCE).unwrap_or_default()));
    assert_none("words of our own", violations);
}

#[test]
fn no_static_holds_state() {
    let sources = source::those(|path, text| path != COUNTING && may_have_state(text));
    assert_none("static state", sources.iter().flat_map(static_state).collect());
}

/// Whether the text has a word that `static_state` looks for; lifetimes, which nearly all files have, are none.
fn may_have_state(text: &str) -> bool {
    let is_static = |(start, _): (usize, &str)| !text[..start].ends_with('\'');
    text.match_indices("static").any(is_static) || STATE_MACROS.iter().any(|word| text.contains(word))
}

fn unfinished(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for word in UNFINISHED.iter().filter(|word| contains_word(line, word)) {
            let remedy = "finish it now, or write it down as an issue and take the word away";
            violations.push(Violation::at(path, index + 1, format!("contains `{word}`"), remedy));
        }
    }
    violations
}

/// Whether `word` stands alone: no letter, digit or underscore touches it.
fn contains_word(line: &str, word: &str) -> bool {
    let touches = |neighbour: Option<char>| neighbour.is_some_and(|it| it.is_alphanumeric() || it == '_');
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !touches(before) && (word.ends_with('!') || !touches(after))
    })
}

fn check_name(path: &str) -> Option<Violation> {
    let name = path.rsplit('/').next()?;
    if NAMES_OF_NOTHING.contains(&name) {
        let remedy =
            "put each function with its first user, or name the file after what its content is about";
        return Some(Violation::in_file(path, format!("`{name}` says nothing about its content"), remedy));
    }
    if name == "mod.rs" {
        let remedy = "name it after its folder and put it next to that: x.rs and x/";
        return Some(Violation::in_file(path, "is a module file named mod.rs", remedy));
    }
    None
}

fn replaced(name: &str) -> Option<&'static str> {
    REPLACED.iter().find(|(word, _)| *word == name).map(|(_, instead)| *instead)
}

fn check_module(path: &str) -> Option<Violation> {
    let instead = replaced(path.strip_suffix(".rs")?.rsplit('/').next()?)?;
    let is_test = path.split('/').nth(2) == Some("tests");
    let problem = "is named by a word of our own".to_owned();
    (!is_test).then(|| Violation::in_file(path, problem, format!("name it by the field's: `{instead}`")))
}

fn check_types(source: &Source) -> Vec<Violation> {
    let words = source.production_words();
    let is_type = |word: &Word| matches!(word.text.as_str(), "struct" | "enum" | "trait" | "type");
    let named = words.windows(2).filter(|pair| is_type(&pair[0])).map(|pair| &pair[1]);
    let found = named.filter_map(|name| Some((name, replaced(&name.text)?)));
    found
        .map(|(name, instead)| {
            let problem = format!("`{}` is a word of our own", name.text);
            Violation::at(&source.path, name.line, problem, format!("use the field's: `{instead}`"))
        })
        .collect()
}

/// A setting may have a word as a part of its name.
fn check_settings(reference: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in reference.lines().enumerate() {
        let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else { continue };
        for (word, instead) in REPLACED.iter().filter(|(word, _)| key.contains(word)) {
            let problem = format!("`{key}` has `{word}`, a word of our own");
            violations.push(Violation::at(
                REFERENCE,
                index + 1,
                problem,
                format!("use the field's: `{instead}`"),
            ));
        }
    }
    violations
}

fn static_state(source: &Source) -> Vec<Violation> {
    let words = source.production_words();
    let mut violations = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let Some(state) = state_declared(&words[..index], word, &words[index + 1..]) else { continue };
        let remedy =
            "keep the state in a value that App owns: two of them must be able to live in one process";
        violations.push(Violation::at(&source.path, word.line, format!("has global state: {state}"), remedy));
    }
    violations
}

fn state_declared(before: &[Word], word: &Word, after: &[Word]) -> Option<String> {
    let next = after.first()?.text.as_str();
    if STATE_MACROS.contains(&word.text.as_str()) && next == "!" {
        return Some(format!("`{}!`", word.text));
    }
    let is_lifetime = before.last().is_some_and(|it| it.text == "'");
    if word.text != "static" || is_lifetime {
        return None;
    }
    if next == "mut" {
        return Some("`static mut`".to_owned());
    }
    let kind = after.iter().take_while(|it| it.text != "=" && it.text != ";");
    let state = kind.map(|it| it.text.as_str()).find(|it| STATE.contains(it) || it.starts_with("Atomic"))?;
    Some(format!("a `static` with a `{state}`"))
}

mod samples {
    use super::*;
    use crate::report::problems;

    #[test]
    fn unfinished_work_is_found_as_whole_words() {
        for line in [
            "    todo!()",
            "// TODO later",
            "a(dbg!(x))",
            "//FIXME: y",
            "x = 1; // XXX",
            "unimplemented!(\"y\")",
        ] {
            assert_eq!(unfinished("x.rs", line).len(), 1, "{line}");
        }
        for line in ["todos", "let TODOS = 1;", "MAXXXX", "mytodo!()", "a fixme in small letters", "XXXX"] {
            assert_eq!(unfinished("x.rs", line), [], "{line}");
        }
    }

    #[test]
    fn empty_names_are_found() {
        assert!(check_name("crates/x/src/utils.rs").is_some());
        assert!(check_name("crates/x/tests/it/common.rs").is_some());
        assert!(check_name("crates/x/src/y/mod.rs").is_some());
        assert!(check_name("crates/x/tests/it/main.rs").is_none());
        assert!(check_name("crates/x/src/commons.rs").is_none());
    }

    #[test]
    fn words_of_our_own_are_found_in_names_alone() {
        assert!(check_module("crates/x/src/surroundings.rs").is_some());
        assert!(check_module("crates/x/tests/it/surroundings.rs").is_none());
        let types = |text: &str| check_types(&Source::parse("crates/x/src/y.rs", text)).len();
        assert_eq!(types("struct Logged; enum Readings {} struct Log; fn f(readings: u8) {}"), 2);
        assert_eq!(types("#[cfg(test)] mod tests { struct Logged; }"), 0);
        assert_eq!(check_settings("# query_groups_bytes = 1\nquery_groups_bytes = 1\n").len(), 1);
    }

    #[test]
    fn statics_with_state_are_found_outside_tests() {
        let found = |text: &str| {
            assert!(may_have_state(text), "{text}");
            let violations = static_state(&Source::parse("crates/x/src/y.rs", text));
            problems(&violations).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found("static mut A: u8 = 1;"), ["has global state: `static mut`"]);
        assert_eq!(
            found("fn f() { static A: std::sync::OnceLock<u8> = std::sync::OnceLock::new(); }"),
            ["has global state: a `static` with a `OnceLock`"]
        );
        assert_eq!(
            found("pub static A: AtomicU64 = AtomicU64::new(0);"),
            ["has global state: a `static` with a `AtomicU64`"]
        );
        assert_eq!(found("thread_local! { static A: u8 = 1; }"), ["has global state: `thread_local!`"]);
        let fine = "\
            static NAMES: &[&'static str] = &[\"a\"];\n\
            struct Cache { cell: OnceLock<u8>, name: &'static str }\n\
            #[cfg(test)] mod tests { static A: Mutex<u8> = Mutex::new(1); }\n";
        assert_eq!(found(fine), Vec::<String>::new());
    }
}
