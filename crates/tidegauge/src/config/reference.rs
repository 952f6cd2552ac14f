//! The built-in reference: `config/reference.toml` holds every setting with its default and its description, and
//! drives the defaults, the flags, the environment variables and the help.

use toml::{Table, Value};

const REFERENCE: &str = include_str!("../../../../config/reference.toml");

/// The section with what stands in each table of a list of issuers.
const ISSUER: &str = "oauth.issuer";

/// One setting of the reference.
#[derive(Clone, Debug)]
pub struct Setting {
    pub key: &'static str,
    /// As it is written: each command is asked for all settings, and TOML would be read for each of them.
    pub default: &'static str,
    /// The comment above it.
    pub help: String,
}

impl Setting {
    /// The default, unless it is an empty text.
    pub fn some_default(&self) -> Option<&'static str> {
        (self.default != "\"\"").then_some(self.default)
    }

    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    pub fn variable(&self) -> String {
        format!("TIDEGAUGE_{}", self.key.to_uppercase())
    }
}

/// The reference as a table, to lay others over.
pub fn table() -> Table {
    match REFERENCE.parse() {
        Ok(table) => table,
        Err(error) => unreachable!("the built-in reference is TOML, which a test proves: {error}"),
    }
}

/// Takes out what stands for one issuer, and leaves an empty list of issuers in its place: they are written in the
/// configuration file alone, and have no flags.
pub fn take_issuer(table: &mut Table) -> Table {
    let Some(Value::Table(oauth)) = table.get_mut("oauth") else {
        return Table::new();
    };
    let issuer = oauth.remove("issuer");
    oauth.insert("issuers".to_owned(), Value::Array(Vec::new()));
    match issuer {
        Some(Value::Table(issuer)) => issuer,
        _ => Table::new(),
    }
}

/// Every setting, in the order of the file.
pub fn settings() -> Vec<Setting> {
    written().into_iter().filter(|(section, _)| *section != ISSUER).map(|(_, setting)| setting).collect()
}

/// What stands in a table of `[[oauth.issuers]]`, in the order of the file.
pub fn issuer_settings() -> Vec<Setting> {
    written().into_iter().filter(|(section, _)| *section == ISSUER).map(|(_, setting)| setting).collect()
}

/// All that is written in the reference, each with its section.
fn written() -> Vec<(&'static str, Setting)> {
    let mut settings = Vec::new();
    let mut section = "";
    let mut comment: Vec<&str> = Vec::new();
    for line in REFERENCE.lines() {
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text.trim());
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        } else if let Some((key, default)) = line.split_once(" = ") {
            settings.push((section, Setting { key, default, help: comment.join(" ") }));
        }
        comment.clear();
    }
    settings
}
