//! The built-in reference: `config/reference.toml` holds every setting with its default and its description, and
//! drives the defaults, the flags, the environment variables and the help.

use toml::{Table, Value};

const REFERENCE: &str = include_str!("../../../../config/reference.toml");

/// One setting of the reference.
#[derive(Clone, Debug)]
pub struct Setting {
    pub key: String,
    pub default: Value,
    /// The comment above it.
    pub help: String,
}

impl Setting {
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
    let table = table();
    let mut settings = Vec::new();
    let mut section = String::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in REFERENCE.lines() {
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text.trim());
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.to_owned();
            comment.clear();
        } else if let Some((key, _)) = line.split_once(" = ") {
            if let Some(default) = table.get(&section).and_then(|section| section.get(key)) {
                let help = comment.join(" ");
                let key = key.to_owned();
                settings.push(Setting { key, default: default.clone(), help });
            }
            comment.clear();
        } else {
            comment.clear();
        }
    }
    settings
}
