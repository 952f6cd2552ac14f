//! Rule: a crate imports only what the tables here allow, of our crates and of those that have one home. Its
//! package is named after its folder, and every version is chosen in the root manifest.

use crate::manifest::{self, Dependency, Kind, Manifest};
use crate::report::{Violation, assert_none};

const PREFIX: &str = "tidegauge-";

/// The crate of the binary, whose package is named as the binary is.
const BINARY: &str = "tidegauge";

/// Which crates of ours each crate may import, for its code, its tests and its build script alike. The order is that of
/// the layers: a crate stands behind all that it imports.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("lang", &["model"]),
    ("auth", &["model"]),
    ("ingest", &["model"]),
    ("protocols", &["model", "ingest"]),
    ("catalog", &["model"]),
    ("heap", &[]),
    ("store", &["heap", "model", "catalog"]),
    ("egress", &[]),
    ("notify", &["model", "catalog", "egress"]),
    ("alerting", &["model"]),
    ("exec", &["model", "lang"]),
    ("aggregates", &["exec"]),
    ("bind", &["model", "lang", "exec", "store"]),
    ("cache", &["heap", "model", "lang", "exec", "store"]),
    ("engine", &["heap", "model", "lang", "exec", "aggregates", "bind", "cache", "store"]),
    ("eventgen", &["model"]),
    ("cli", &["model", "lang", "auth", "eventgen"]),
    ("metrics", &["model", "catalog", "store", "notify", "engine"]),
    ("admission", &["model", "auth", "catalog", "egress"]),
    (
        "app",
        &[
            "model",
            "lang",
            "auth",
            "ingest",
            "protocols",
            "catalog",
            "store",
            "egress",
            "notify",
            "alerting",
            "engine",
            "eventgen",
            "metrics",
            "admission",
        ],
    ),
    ("webui", &[]),
    ("listeners", &["model", "auth", "ingest", "protocols", "egress", "metrics", "app"]),
    ("connections", &["metrics", "admission"]),
    ("web", &["model", "auth", "protocols", "catalog", "admission", "app"]),
    ("formats", &["model", "lang", "store", "engine", "app"]),
    (
        "http",
        &[
            "model",
            "lang",
            "auth",
            "ingest",
            "protocols",
            "catalog",
            "store",
            "engine",
            "admission",
            "app",
            "webui",
            "connections",
            "web",
            "formats",
        ],
    ),
    (
        BINARY,
        &[
            "heap",
            "model",
            "lang",
            "auth",
            "ingest",
            "protocols",
            "catalog",
            "store",
            "egress",
            "notify",
            "alerting",
            "engine",
            "admission",
            "app",
            "connections",
            "http",
            "listeners",
            "cli",
            "webui",
        ],
    ),
    ("cluster-model", &["model"]),
    ("tidy", &[]),
];

/// What the tests of a crate may import beyond that, to come to what the crate is asked of.
const TEST_ARROWS: &[(&str, &[&str])] =
    &[("engine", &["ingest", "catalog"]), ("http", &["notify", "egress"])];

const ANY: &[Kind] = &[Kind::Normal, Kind::Dev, Kind::Build];
const TESTS: &[Kind] = &[Kind::Dev];

/// Foreign crates that have a home: nobody else may import them. A `*` at the end stands for any rest.
struct Home {
    crates: &'static [&'static str],
    folders: &'static [(&'static str, &'static [Kind])],
}

const HOMES: &[Home] = &[
    Home { crates: &["datafusion*"], folders: &[("aggregates", ANY), ("engine", ANY)] },
    Home {
        crates: &["axum*", "http", "hyper*", "tower*", "utoipa*"],
        folders: &[("connections", ANY), ("web", ANY), ("http", ANY), ("cli", TESTS), (BINARY, TESTS)],
    },
    Home { crates: &["sqlx"], folders: &[("catalog", ANY)] },
    Home { crates: &["object_store"], folders: &[("store", ANY)] },
    Home {
        crates: &["reqwest"],
        folders: &[("egress", ANY), ("auth", ANY), ("admission", ANY), ("cli", ANY), (BINARY, TESTS)],
    },
    Home { crates: &["lettre"], folders: &[("notify", ANY)] },
];

/// A foreign crate that some crates must do without in their code; their tests may use it.
struct KeptOut {
    name: &'static str,
    folders: &'static [&'static str],
    instead: &'static str,
}

const KEPT_OUT: &[KeptOut] = &[
    KeptOut {
        name: "serde_json",
        folders: &["model"],
        instead: "words have no encoding: encode them where they are stored or sent",
    },
    KeptOut {
        name: "tokio*",
        folders: &["model", "lang", "auth", "exec", "aggregates", "bind", "cache"],
        instead: "these crates start and wait for nothing: do it in their caller",
    },
];

#[test]
fn crates_import_only_what_the_tables_allow() {
    let (manifests, without) = manifest::all();
    let mut violations: Vec<Violation> = manifests.iter().flat_map(check).collect();
    violations.extend(without.iter().map(|folder| {
        let folder = format!("crates/{folder}");
        Violation::in_file(&folder, "has no Cargo.toml", "make it a crate or move it out of crates/")
    }));
    assert_none("arrows", violations);
}

#[test]
fn crates_import_only_from_the_layers_below() {
    assert_eq!(above(ARROWS), Vec::<String>::new(), "move the crate behind what it imports");
}

/// The arrows that do not lead to a crate further up in the table, which is a lower layer.
fn above(arrows: &[(&str, &[&str])]) -> Vec<String> {
    let is_below = |place: usize, to: &str| arrows[..place].iter().any(|(below, _)| *below == to);
    let of_crate = |(place, (from, to)): (usize, &(&str, &[&str]))| {
        let wrong = to.iter().filter(|to| !is_below(place, to));
        wrong.map(|to| format!("`{from}` → `{to}`")).collect::<Vec<String>>()
    };
    arrows.iter().enumerate().flat_map(of_crate).collect()
}

fn check(manifest: &Manifest) -> Vec<Violation> {
    let mut violations = check_package(manifest);
    for dependency in &manifest.dependencies {
        violations.extend(check_arrow(manifest, dependency));
        violations.extend(check_home(manifest, dependency));
        violations.extend(check_kept_out(manifest, dependency));
        violations.extend(check_version(manifest, dependency));
    }
    violations
}

fn check_package(manifest: &Manifest) -> Vec<Violation> {
    let Manifest { path, folder, package, .. } = manifest;
    let mut violations = Vec::new();
    if allowed_imports(folder).is_none() {
        violations.push(Violation::in_file(
            path,
            format!("crate `{folder}` is not in the table of arrows"),
            "add it to ARROWS in crates/tidy/tests/it/arrows.rs and to ARCHITECTURE.md",
        ));
    }
    let expected = if folder == BINARY { BINARY.to_owned() } else { format!("{PREFIX}{folder}") };
    if *package != expected {
        let problem = format!("package is named `{package}`");
        violations.push(Violation::in_file(path, problem, format!("name it `{expected}`, after its folder")));
    }
    if !manifest.inherits_version {
        violations.push(Violation::in_file(
            path,
            "package has a version of its own",
            "write `version.workspace = true`",
        ));
    }
    violations
}

fn allowed_imports(folder: &str) -> Option<&'static [&'static str]> {
    ARROWS.iter().find(|(from, _)| *from == folder).map(|(_, to)| *to)
}

fn check_arrow(manifest: &Manifest, dependency: &Dependency) -> Option<Violation> {
    let is_binary = dependency.name == BINARY;
    let imported = if is_binary { BINARY } else { dependency.name.strip_prefix(PREFIX)? };
    let allowed = allowed_imports(&manifest.folder)?; // Not in the table: check_package says so.
    if allowed.contains(&imported) || is_for_tests(&manifest.folder, imported, dependency.kind) {
        return None;
    }
    let problem = format!("`{}` may not import `{imported}`", manifest.folder);
    let remedy = if allowed.is_empty() {
        "it stands alone: let the caller hand in what is needed".to_owned()
    } else {
        format!(
            "it may import {}: move what is shared down to one of them, or let the caller hand it in",
            allowed.join(", ")
        )
    };
    Some(Violation::at(&manifest.path, dependency.line, problem, remedy))
}

fn is_for_tests(folder: &str, imported: &str, kind: Kind) -> bool {
    kind == Kind::Dev && TEST_ARROWS.iter().any(|(from, to)| *from == folder && to.contains(&imported))
}

fn check_home(manifest: &Manifest, dependency: &Dependency) -> Option<Violation> {
    let is_meant = |home: &&Home| home.crates.iter().any(|pattern| matches(pattern, &dependency.name));
    let home = HOMES.iter().find(is_meant)?;
    let mut folders = home.folders.iter();
    if folders.any(|(folder, kinds)| *folder == manifest.folder && kinds.contains(&dependency.kind)) {
        return None;
    }
    let homes: Vec<String> =
        home.folders.iter().map(|(folder, kinds)| describe_home(folder, kinds)).collect();
    let problem =
        format!("`{}` may not import `{}` ({:?})", manifest.folder, dependency.name, dependency.kind);
    let remedy = format!("its home is {}: put the code that needs it there", homes.join(", "));
    Some(Violation::at(&manifest.path, dependency.line, problem, remedy))
}

fn describe_home(folder: &str, kinds: &[Kind]) -> String {
    if kinds == ANY { format!("crates/{folder}") } else { format!("crates/{folder} (only as {kinds:?})") }
}

fn check_kept_out(manifest: &Manifest, dependency: &Dependency) -> Option<Violation> {
    let folder = manifest.folder.as_str();
    let is_meant = |rule: &&KeptOut| matches(rule.name, &dependency.name) && rule.folders.contains(&folder);
    let rule = KEPT_OUT.iter().find(is_meant)?;
    if dependency.kind != Kind::Normal {
        return None;
    }
    let problem = format!("the code of `{folder}` may not import `{}`", dependency.name);
    Some(Violation::at(&manifest.path, dependency.line, problem, rule.instead))
}

fn check_version(manifest: &Manifest, dependency: &Dependency) -> Option<Violation> {
    let own: Vec<&str> = dependency
        .keys
        .iter()
        .map(String::as_str)
        .filter(|key| !["features", "optional", "default-features"].contains(key))
        .collect();
    if dependency.inherited && own.is_empty() {
        return None;
    }
    let problem = format!("`{}` is chosen here ({})", dependency.name, own.join(", "));
    let remedy = "choose it in [workspace.dependencies] of the root and write `workspace = true` here";
    Some(Violation::at(&manifest.path, dependency.line, problem, remedy))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

mod samples {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::problems;

    fn found(folder: &str, tables: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"tidegauge-{folder}\"\nversion.workspace = true\n{tables}");
        let violations = check(&Manifest::parse(folder, &text, &BTreeMap::new()));
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn arrows_against_the_table_are_found_in_every_kind_of_dependency() {
        let nothing: [String; 0] = [];
        assert_eq!(found("store", "[dependencies]\ntidegauge-catalog.workspace = true"), nothing);
        for table in
            ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
        {
            let tables = format!("[{table}]\ntidegauge-store.workspace = true");
            assert_eq!(found("catalog", &tables), ["`catalog` may not import `store`"], "{table}");
        }
        assert_eq!(found("http", "[dev-dependencies]\ntidegauge-tidy.workspace = true").len(), 1);
        assert_eq!(found("shared", ""), ["crate `shared` is not in the table of arrows"]);
    }

    #[test]
    fn an_arrow_to_a_layer_that_is_not_below_is_found() {
        assert_eq!(above(&[("model", &[]), ("store", &["model"])]), [""; 0]);
        assert_eq!(above(&[("store", &["model"]), ("model", &[])]), ["`store` → `model`"]);
        assert_eq!(above(&[("a", &["b"]), ("b", &["a"]), ("c", &["c"])]), ["`a` → `b`", "`c` → `c`"]);
    }

    #[test]
    fn some_tests_may_import_more_than_the_code() {
        assert_eq!(found("engine", "[dev-dependencies]\ntidegauge-ingest.workspace = true"), [""; 0]);
        assert_eq!(found("engine", "[dependencies]\ntidegauge-ingest.workspace = true").len(), 1);
        assert_eq!(found("engine", "[dev-dependencies]\ntidegauge-http.workspace = true").len(), 1);
    }

    #[test]
    fn foreign_crates_stay_in_their_homes() {
        let nothing: [String; 0] = [];
        let import = |folder: &str, table: &str, name: &str| {
            found(folder, &format!("[{table}]\n{name}.workspace = true"))
        };
        assert_eq!(import("engine", "dependencies", "datafusion-functions"), nothing);
        assert_eq!(import("store", "dependencies", "datafusion-functions").len(), 1);
        assert_eq!(import("http", "dependencies", "tower-http"), nothing);
        assert_eq!(import("auth", "dev-dependencies", "http").len(), 1);
        assert_eq!(import("catalog", "dependencies", "httpdate"), nothing);
        assert_eq!(import("http", "dev-dependencies", "sqlx").len(), 1);
        assert_eq!(import("admission", "dependencies", "reqwest"), nothing);
        assert_eq!(import("store", "dependencies", "reqwest"), ["`store` may not import `reqwest` (Normal)"]);
        assert_eq!(import("model", "dependencies", "serde_json").len(), 1);
        assert_eq!(import("model", "dev-dependencies", "serde_json"), nothing);
        assert_eq!(import("auth", "dependencies", "tokio-util").len(), 1);
        assert_eq!(import("auth", "dev-dependencies", "tokio"), nothing);
        assert_eq!(import("exec", "dependencies", "tokio").len(), 1);
        assert_eq!(import("exec", "dependencies", "datafusion-common").len(), 1);
        assert_eq!(import("cache", "dependencies", "datafusion-common").len(), 1);
        assert_eq!(import("aggregates", "dependencies", "datafusion-expr"), nothing);
        assert_eq!(import("formats", "dependencies", "axum").len(), 1);
        assert_eq!(import("web", "dependencies", "axum"), nothing);
    }

    #[test]
    fn versions_paths_and_other_names_are_found() {
        assert_eq!(found("auth", "[dependencies]\nuuid = \"1\""), ["`uuid` is chosen here (version)"]);
        assert_eq!(
            found("auth", "[dependencies]\nuuid = { path = \"../uuid\", features = [] }"),
            ["`uuid` is chosen here (path)"]
        );
        let manifest =
            Manifest::parse("auth", "[package]\nname = \"auth\"\nversion = \"1\"", &BTreeMap::new());
        assert_eq!(
            problems(&check(&manifest)),
            ["package is named `auth`", "package has a version of its own"]
        );
    }
}
