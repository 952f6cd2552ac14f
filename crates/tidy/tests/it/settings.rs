//! Rule: `config/reference.toml` is the one list of settings. Each is explained where it stands and in the
//! documents, its name is free to be a flag and an environment variable, and its default is nowhere else: the
//! binary embeds the file and has no defaults in code.

use std::collections::BTreeMap;

use toml::de::DeTable;

use crate::report::{Violation, assert_none, line_of};
use crate::repository;
use crate::source::{self, Source, Word};

const REFERENCE: &str = "config/reference.toml";
const DOCUMENT: &str = "docs/reference/config.md";
const CODE: &str = "crates/tidegauge/src/config";

/// What stands in each table of a list that only the file has: no flags, no variables, and a page of its own, which a
/// test of the binary compares.
const LISTED: &str = "oauth.issuer";

#[test]
fn every_setting_is_explained_and_has_a_name_of_its_own() {
    let mut violations = Vec::new();
    let reference = repository::read(REFERENCE).unwrap_or_else(|| {
        violations.push(Violation::in_file(
            REFERENCE,
            "does not exist",
            "list every setting with its default",
        ));
        String::new()
    });
    let document = repository::read(DOCUMENT).unwrap_or_else(|| {
        violations.push(Violation::in_file(DOCUMENT, "does not exist", "explain every setting to its users"));
        String::new()
    });
    violations.extend(check_reference(&reference, &document));
    assert_none("settings", violations);
}

#[test]
fn defaults_are_in_the_reference_and_not_in_code() {
    let is_code =
        |path: &str| path.strip_prefix(CODE).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'));
    assert_none("defaults", check_code(&source::those(|path, _| is_code(path))));
}

struct Setting {
    section: String,
    key: String,
    line: usize,
}

fn check_reference(reference: &str, document: &str) -> Vec<Violation> {
    let table = match DeTable::parse(reference) {
        Ok(table) => table,
        Err(error) => {
            return vec![Violation::in_file(REFERENCE, format!("is not TOML: {error}"), "repair it")];
        }
    };
    let mut settings = Vec::new();
    list_settings(reference, "", table.get_ref(), &mut settings);
    settings.sort_by_key(|setting| setting.line);

    let mut violations = Vec::new();
    let mut first_lines = BTreeMap::new();
    for setting in &settings {
        violations.extend(check_setting(setting, reference, document));
        let first = *first_lines.entry(setting.key.as_str()).or_insert(setting.line);
        if first != setting.line {
            let problem = format!("`{}` is also the name of the setting in line {first}", setting.key);
            let remedy = "give it a name of its own: it is one flag and one environment variable";
            violations.push(Violation::at(REFERENCE, setting.line, problem, remedy));
        }
    }
    violations
}

fn list_settings(text: &str, section: &str, table: &DeTable<'_>, settings: &mut Vec<Setting>) {
    for (key, value) in table {
        let name = key.get_ref();
        match value.get_ref().as_table() {
            Some(inner) if section.is_empty() => list_settings(text, name, inner, settings),
            Some(inner) => list_settings(text, &format!("{section}.{name}"), inner, settings),
            None => settings.push(Setting {
                section: section.to_owned(),
                key: name.to_string(),
                line: line_of(text, key.span().start),
            }),
        }
    }
}

fn check_setting(setting: &Setting, reference: &str, document: &str) -> Vec<Violation> {
    let Setting { section, key, line } = setting;
    let mut violations = Vec::new();
    let mut add = |problem: String, remedy: &str| {
        violations.push(Violation::at(REFERENCE, *line, problem, remedy));
    };
    if section.is_empty() {
        add(format!("`{key}` is in no section"), "put it under the [section] that it belongs to");
    }
    if !is_snake_case(key) {
        add(
            format!("`{key}` is not snake_case"),
            "use small letters and digits, joined by single underscores",
        );
    }
    if !has_comment_above(reference, *line) {
        let remedy = "say directly above it what it does, in which unit, and when to change it";
        add(format!("`{key}` has no comment directly above it"), remedy);
    }
    let variable = format!("TIDEGAUGE_{}", key.to_uppercase());
    if section != LISTED && !names(document, &variable) {
        let remedy = format!("describe `{variable}` in {DOCUMENT}");
        add(format!("`{key}` is not described by its environment name"), &remedy);
    }
    violations
}

fn is_snake_case(key: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    key.starts_with(|it: char| it.is_ascii_lowercase()) && key.split('_').all(is_word)
}

/// Whether the line before `line` is a comment that says something.
fn has_comment_above(text: &str, line: usize) -> bool {
    let above = line.checked_sub(2).and_then(|index| text.lines().nth(index));
    above.is_some_and(|above| {
        let above = above.trim_start();
        above.starts_with('#') && above.contains(char::is_alphanumeric)
    })
}

/// Whether the text has the variable as a whole word.
fn names(text: &str, variable: &str) -> bool {
    text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_').any(|word| word == variable)
}

fn check_code(sources: &[Source]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut embeds = false;
    for source in sources {
        let words = source.production_words();
        embeds |= embeds_reference(&words);
        violations.extend(second_truths(&source.path, &words));
    }
    if !embeds {
        violations.push(Violation::in_file(
            &format!("{CODE}.rs"),
            format!("neither it nor a file in {CODE}/ embeds {REFERENCE}"),
            format!("read the defaults from include_str! of {REFERENCE}"),
        ));
    }
    violations
}

fn embeds_reference(words: &[Word]) -> bool {
    (0..words.len()).any(|start| {
        let rest = &words[start..];
        begins(rest, &["include_str", "!", "("])
            && rest.iter().take_while(|word| word.text != ";").any(|word| word.text.contains(REFERENCE))
    })
}

/// The places where code has a default of its own.
fn second_truths(path: &str, words: &[Word]) -> Vec<Violation> {
    let found = (0..words.len()).filter_map(|start| {
        let rest = &words[start..];
        let what = if begins(rest, &["Default", "for"]) {
            "impl Default"
        } else if begins(rest, &["unwrap_or", "("]) {
            "unwrap_or("
        } else if begins(rest, &["#", "[", "serde", "("]) && attribute_has(rest, "default") {
            "#[serde(default)]"
        } else {
            return None;
        };
        let problem = format!("`{what}` makes a second truth about a default");
        let remedy = format!("put the default into {REFERENCE}, which the code embeds");
        Some(Violation::at(path, rest[0].line, problem, remedy))
    });
    found.collect()
}

fn attribute_has(words: &[Word], part: &str) -> bool {
    words.iter().take_while(|word| word.text != "]").any(|word| word.text == part)
}

fn begins(words: &[Word], start: &[&str]) -> bool {
    words.len() >= start.len() && words.iter().zip(start).all(|(word, expected)| word.text == *expected)
}

mod samples {
    use super::*;
    use crate::report::problems;

    fn found(reference: &str, document: &str) -> Vec<String> {
        let violations = check_reference(reference, document);
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_good_reference_passes() {
        let reference = "\
# The service.
[server]
# Where to listen.
# More words.
listen_address = \"0.0.0.0:8000\"

# Hosts that may
# connect.
allowed_hosts = [
    \"a\",
    \"b\",
]
[storage.cache]
# In bytes.
cache_bytes = 1
";
        let document = "`TIDEGAUGE_LISTEN_ADDRESS`, TIDEGAUGE_ALLOWED_HOSTS, TIDEGAUGE_CACHE_BYTES.";
        assert_eq!(found(reference, document), Vec::<String>::new());
    }

    #[test]
    fn keys_without_a_comment_directly_above_are_found() {
        let comment = ["`a` has no comment directly above it"];
        for above in ["", "# Far.\n\n", "#\n", "# ---\n", "x = [\"# not a comment\"]\n"] {
            let reference = format!("[s]\n{above}a = 1\n");
            let violations = found(&reference, "TIDEGAUGE_A TIDEGAUGE_X");
            let about_a: Vec<&String> = violations.iter().filter(|it| it.starts_with("`a`")).collect();
            assert_eq!(about_a, comment, "{above:?}");
        }
        let shared = "[s]\n# For both.\nb = 1\na = 2\n";
        assert_eq!(found(shared, "TIDEGAUGE_A TIDEGAUGE_B"), comment);
        assert_eq!(found("[s]\n# Its own.\na = 1 # and beside\n", "TIDEGAUGE_A"), Vec::<String>::new());
    }

    #[test]
    fn names_are_unique_snake_case_documented_and_in_a_section() {
        let twice = "[s]\n# A.\na = 1\n[t]\n# A.\na = 1\n";
        assert_eq!(found(twice, "TIDEGAUGE_A"), ["`a` is also the name of the setting in line 3"]);
        assert_eq!(found("# A.\na = 1\n", "TIDEGAUGE_A"), ["`a` is in no section"]);
        for key in ["aB", "a-b", "a__b", "_a", "a_", "1a"] {
            assert!(!is_snake_case(key), "{key}");
        }
        assert!(is_snake_case("http2_window_kib"));
        assert_eq!(
            found("[s]\n# A.\na = 1\n", "TIDEGAUGE_AB and MY_TIDEGAUGE_A"),
            ["`a` is not described by its environment name"]
        );
    }

    #[test]
    fn defaults_in_code_are_found() {
        let embed = "const DEFAULTS: &str = include_str!(\"../../../config/reference.toml\");\n";
        let check = |code: &str| {
            let violations = check_code(&[Source::parse("crates/tidegauge/src/config.rs", code)]);
            problems(&violations).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(check(embed), Vec::<String>::new());
        let joined = "const D: &str = include_str!(concat!(env!(\"X\"), \"/../../config/reference.toml\"));";
        assert_eq!(check(joined), Vec::<String>::new());
        assert_eq!(check("// include_str!(\"config/reference.toml\")").len(), 1);
        assert_eq!(
            check("#[cfg(test)] mod tests { const D: &str = include_str!(\"config/reference.toml\"); }")
                .len(),
            1
        );

        let second = |what: &str| vec![format!("`{what}` makes a second truth about a default")];
        let with = |code: &str| check(&format!("{embed}{code}"));
        assert_eq!(with("impl Default for Config { }"), second("impl Default"));
        assert_eq!(with("impl<T> std::default::Default for Config<T> { }"), second("impl Default"));
        assert_eq!(
            with("struct C { #[serde(rename = \"y\", default = \"f\")] x: u8 }"),
            second("#[serde(default)]")
        );
        assert_eq!(with("fn f() { g!(x.unwrap_or(1)); }"), second("unwrap_or("));
        let tests = "#[cfg(test)]\nmod tests {\n impl Default for C { }\n fn f() { x.unwrap_or(1) }\n}";
        assert_eq!(with(tests), Vec::<String>::new());
    }
}
