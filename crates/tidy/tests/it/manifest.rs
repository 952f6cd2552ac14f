//! The manifests of our crates: who they are and what they depend on, whichever table says so. A dependency
//! is known by the name of its package, also when the root gives it another name.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::report::line_of;
use crate::repository;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

pub(crate) struct Manifest {
    pub(crate) path: String,
    pub(crate) folder: String,
    pub(crate) package: String,
    pub(crate) inherits_version: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) line: usize,
    pub(crate) inherited: bool,
    /// What the crate says about the dependency beyond `workspace = true`.
    pub(crate) keys: Vec<String>,
}

const TABLES: &[(&str, Kind)] =
    &[("dependencies", Kind::Normal), ("dev-dependencies", Kind::Dev), ("build-dependencies", Kind::Build)];

impl Manifest {
    pub(crate) fn parse(folder: &str, text: &str, renamed: &BTreeMap<String, String>) -> Self {
        let path = format!("crates/{folder}/Cargo.toml");
        let document = DeTable::parse(text).unwrap_or_else(|error| panic!("{path} is not TOML: {error}"));
        let document = document.get_ref();
        let package = table(document, "package").unwrap_or_else(|| panic!("{path} has no [package]"));
        let name =
            package.get("name").and_then(|name| name.get_ref().as_str()).unwrap_or_default().to_owned();
        let inherits_version = table(package, "version").is_some_and(is_inherited);

        let mut dependencies = Vec::new();
        let targets = table(document, "target").into_iter().flat_map(DeTable::values);
        let targets = targets.filter_map(|target| target.get_ref().as_table());
        for owner in std::iter::once(document).chain(targets) {
            for (table_name, kind) in TABLES {
                for (key, value) in table(owner, table_name).into_iter().flatten() {
                    let line = line_of(text, key.span().start);
                    let mut dependency = read_dependency(key.get_ref(), *kind, line, value.get_ref());
                    if let Some(package) = renamed.get(&dependency.name) {
                        dependency.name.clone_from(package);
                    }
                    dependencies.push(dependency);
                }
            }
        }
        Self { path, folder: folder.to_owned(), package: name, inherits_version, dependencies }
    }
}

/// The manifests of all crates. A folder without one is named in the second list.
pub(crate) fn all() -> (Vec<Manifest>, Vec<String>) {
    let root = repository::read("Cargo.toml").expect("the repository has a Cargo.toml");
    let renamed = renamed_in(&root);
    let mut manifests = Vec::new();
    let mut without = Vec::new();
    for folder in repository::crate_folders() {
        match repository::read(&format!("crates/{folder}/Cargo.toml")) {
            Some(text) => manifests.push(Manifest::parse(&folder, &text, &renamed)),
            None => without.push(folder),
        }
    }
    (manifests, without)
}

/// The dependencies of the workspace that are called something else than their package.
pub(crate) fn renamed_in(root: &str) -> BTreeMap<String, String> {
    let document = DeTable::parse(root).unwrap_or_else(|error| panic!("Cargo.toml is not TOML: {error}"));
    let dependencies = table(document.get_ref(), "workspace").and_then(|it| table(it, "dependencies"));
    let named = dependencies.into_iter().flatten().filter_map(|(key, value)| {
        let package = value.get_ref().as_table()?.get("package")?.get_ref().as_str()?;
        Some((key.get_ref().to_string(), package.to_owned()))
    });
    named.collect()
}

fn read_dependency(name: &str, kind: Kind, line: usize, value: &DeValue<'_>) -> Dependency {
    let mut dependency = Dependency { name: name.to_owned(), kind, line, inherited: false, keys: Vec::new() };
    match value {
        DeValue::Table(details) => {
            dependency.inherited = is_inherited(details);
            let keys = details.keys().map(|key| key.get_ref().to_string());
            dependency.keys = keys.filter(|key| key != "workspace").collect();
        }
        _ => dependency.keys.push("version".to_owned()),
    }
    dependency
}

fn table<'t, 'i>(owner: &'t DeTable<'i>, key: &str) -> Option<&'t DeTable<'i>> {
    owner.get(key)?.get_ref().as_table()
}

fn is_inherited(details: &DeTable<'_>) -> bool {
    details.get("workspace").and_then(|value| value.get_ref().as_bool()) == Some(true)
}

#[test]
fn dependencies_of_every_table_are_read() {
    let text = r#"
[package]
name = "tidegauge-sample"
version.workspace = true
[dependencies]
serde.workspace = true
web = { workspace = true, features = ["x"] }
[dev-dependencies]
tempfile = "3"
[build-dependencies]
cc = { version = "1" }
[target.'cfg(unix)'.dependencies]
libc = { path = "../libc" }
"#;
    let renamed = renamed_in(
        "[workspace.dependencies]\nweb = { package = \"axum\", version = \"0.8\" }\nserde = \"1\"",
    );
    let manifest = Manifest::parse("sample", text, &renamed);
    assert_eq!(manifest.package, "tidegauge-sample");
    assert!(manifest.inherits_version);
    let mut read: Vec<String> = manifest
        .dependencies
        .iter()
        .map(|it| format!("{}: {} {:?} {} {:?}", it.line, it.name, it.kind, it.inherited, it.keys))
        .collect();
    read.sort();
    let expected = [
        r#"11: cc Build false ["version"]"#,
        r#"13: libc Normal false ["path"]"#,
        r#"6: serde Normal true []"#,
        r#"7: axum Normal true ["features"]"#,
        r#"9: tempfile Dev false ["version"]"#,
    ];
    assert_eq!(read, expected);
}
