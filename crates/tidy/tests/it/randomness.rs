//! Rule: chance comes from the system (decision 0027). The build leaves the jitter of the clock out of what the cryptography
//! library is seeded with, ids and secrets are read from the operating system in one file, and no code of the service
//! has a generator of its own. A test of the service would see none of that.

use crate::manifest::{self, Kind, Manifest};
use crate::report::{Violation, assert_none, problems};
use crate::repository;
use crate::source::{self, Source};

const BUILD: &str = ".cargo/config.toml";
const SWITCH: &str = "AWS_LC_SYS_NO_JITTER_ENTROPY";

/// Where the operating system is asked.
const FROM_THE_SYSTEM: &str = "crates/model/src/os_rng.rs";

/// Where the chance of tests is, which a seed decides.
const FOR_TESTS: &str = "crates/model/src/rng.rs";

/// Crates that make chance, or ask the system for it. `getrandom` has a home.
const GENERATORS: &[&str] = &["fastrand", "getrandom", "nanorand", "oorandom", "rand"];
const HOME: &str = "model";

const REMEDY: &str = "take it from the `Rng` that is handed in";

#[test]
fn chance_comes_from_the_system() {
    let mut violations = check_build(&repository::read(BUILD).unwrap_or_default());
    let scripts = ["scripts", ".ci", ".config"].into_iter().flat_map(repository::files_under);
    for path in scripts.chain(["Makefile".to_owned()]) {
        let text = String::from_utf8_lossy(&repository::read_bytes(&path)).into_owned();
        violations.extend(check_script(&path, &text));
    }
    violations.extend(manifest::all().0.iter().flat_map(check_manifest));
    let sources = source::those(|_, text| text.contains("Rng") || text.contains("getrandom"));
    // What is measured is no code of the service.
    let of_service = sources.iter().filter(|source| !source.path.contains("/benches/"));
    violations.extend(of_service.flat_map(check_source));
    if !sources.iter().any(|source| source.path == FROM_THE_SYSTEM && asks_the_system(source)) {
        let remedy = "fill the bytes by `getrandom::fill`, or change decision 0027 and this rule";
        violations.push(Violation::in_file(FROM_THE_SYSTEM, "does not ask the operating system", remedy));
    }
    assert_none("chance", violations);
}

fn check_build(config: &str) -> Vec<Violation> {
    let table: toml::Table = config.parse().expect(".cargo/config.toml is TOML");
    let value = table.get("env").and_then(|env| env.get(SWITCH)).and_then(toml::Value::as_str);
    if value == Some("1") {
        return Vec::new();
    }
    let problem = format!("sets {SWITCH} to {value:?} instead of \"1\"");
    vec![Violation::in_file(BUILD, problem, "set it back, or change decision 0027 and this rule")]
}

/// What is in the environment counts before the file.
fn check_script(path: &str, text: &str) -> Vec<Violation> {
    if !text.contains(SWITCH) {
        return Vec::new();
    }
    vec![Violation::in_file(path, format!("has {SWITCH}"), format!("leave that to {BUILD}"))]
}

fn check_manifest(manifest: &Manifest) -> Vec<Violation> {
    let mut violations = Vec::new();
    for dependency in manifest.dependencies.iter().filter(|dependency| dependency.kind != Kind::Dev) {
        let name = dependency.name.as_str();
        let is_generator = GENERATORS.contains(&name) || name.starts_with("rand_");
        if is_generator && !(name == "getrandom" && manifest.folder == HOME) {
            let problem = format!("imports `{name}`");
            violations.push(Violation::at(&manifest.path, dependency.line, problem, REMEDY));
        }
    }
    violations
}

fn check_source(source: &Source) -> Vec<Violation> {
    let words = source.production_words();
    let mut violations = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).map(|at| words[at].text.as_str());
        let problem = match word.text.as_str() {
            "getrandom" if source.path != FROM_THE_SYSTEM => "asks the operating system for chance",
            "SeededRng" if source.path != FOR_TESTS => "uses the chance of tests",
            "for" if before == Some("Rng") && ![FROM_THE_SYSTEM, FOR_TESTS].contains(&&*source.path) => {
                "is a source of chance of its own"
            }
            _ => continue,
        };
        violations.push(Violation::at(&source.path, word.line, problem, REMEDY));
    }
    violations
}

fn asks_the_system(source: &Source) -> bool {
    let words = source.production_words();
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.windows(4).any(|window| window == ["getrandom", ":", ":", "fill"])
}

mod samples {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_build_with_another_seed_is_found() {
        assert_eq!(check_build(&format!("[env]\n{SWITCH} = \"1\"\n")), []);
        for other in ["", "[env]\n", &format!("[env]\n{SWITCH} = \"0\"\n"), &format!("[env]\n{SWITCH} = 1\n")]
        {
            assert_eq!(check_build(other).len(), 1, "{other}");
        }
        assert_eq!(check_script("Makefile", &format!("\t{SWITCH}=0 cargo build\n")).len(), 1);
        assert_eq!(check_script("Makefile", "\tcargo build\n"), []);
    }

    #[test]
    fn generators_are_found_in_manifests() {
        let parse = |folder: &str, text: &str| {
            let text = format!("[package]\nname = \"x\"\n{text}");
            Manifest::parse(folder, &text, &BTreeMap::new())
        };
        let asked = "[dependencies]\ngetrandom.workspace = true\n";
        assert_eq!(check_manifest(&parse("model", asked)), []);
        assert_eq!(problems(&check_manifest(&parse("auth", asked))), ["imports `getrandom`"]);
        let made = "[dependencies]\nrand_chacha = \"1\"\nbrand = \"1\"\n[dev-dependencies]\nrand = \"1\"\n";
        assert_eq!(problems(&check_manifest(&parse("app", made))), ["imports `rand_chacha`"]);
    }

    #[test]
    fn generators_are_found_in_code() {
        let found = |path: &str, text: &str| {
            let violations = check_source(&Source::parse(path, text));
            problems(&violations).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let own = "struct Mine;\nimpl model::Rng for Mine {}";
        assert_eq!(found("crates/x/src/y.rs", own), ["is a source of chance of its own"]);
        assert_eq!(found(FROM_THE_SYSTEM, own), Vec::<String>::new());
        let asks = "fn f(bytes: &mut [u8]) { getrandom::fill(bytes).unwrap_or(()) }";
        assert_eq!(found("crates/x/src/y.rs", asks), ["asks the operating system for chance"]);
        assert_eq!(found(FROM_THE_SYSTEM, asks), Vec::<String>::new());
        assert!(asks_the_system(&Source::parse(FROM_THE_SYSTEM, asks)));
        assert!(!asks_the_system(&Source::parse(FROM_THE_SYSTEM, own)));
        let seeded = "fn f() -> SeededRng { SeededRng::new(1) }";
        assert_eq!(found("crates/x/src/y.rs", seeded).len(), 2);
        let in_tests = format!("#[cfg(test)]\nmod tests {{ {seeded} }}");
        assert_eq!(found("crates/x/src/y.rs", &in_tests), Vec::<String>::new());
    }
}
