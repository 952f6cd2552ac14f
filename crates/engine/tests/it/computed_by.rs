//! Groups that are kept on the disk are kept under a hash of what has computed them: it is another one as soon as a
//! source or a library is, and the same for what computes nothing.

#[path = "../../build/computed_by.rs"]
mod hash;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use self::hash::computed_by;
use crate::support::house::{House, Placement, START, Way, block_on};

const LOCK: &str = r#"version = 4

[[package]]
name = "adder"
version = "1.0.0"

[[package]]
name = "server"
version = "3.0.0"
dependencies = [
 "adder",
]

[[package]]
name = "summer"
version = "2.0.0"
dependencies = [
 "adder 1.0.0",
]

[[package]]
name = "tidegauge-engine"
version = "0.1.0"
dependencies = [
 "summer",
]
"#;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository with a source in each crate.
fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["aggregates", "bind", "cache", "engine", "exec", "lang", "model", "store", "server"] {
        write(folder.path(), &format!("crates/{name}/src/lib.rs"), "pub fn one() -> u8 { 1 }\n");
    }
    write(folder.path(), "crates/engine/src/groups/dense.rs", "// Groups.\n");
    write(folder.path(), "Cargo.lock", LOCK);
    folder
}

#[test]
fn every_source_and_every_library_counts() {
    let whole = computed_by(repository().path()).unwrap();
    assert_eq!(computed_by(repository().path()).unwrap(), whole, "the same sources have the same hash");
    let changed = |path: &str, text: &str| {
        let repository = repository();
        write(repository.path(), path, text);
        computed_by(repository.path()).unwrap()
    };
    for name in ["aggregates", "bind", "cache", "engine", "exec", "lang", "model", "store"] {
        let path = format!("crates/{name}/src/lib.rs");
        assert_ne!(changed(&path, "pub fn one() -> u8 { 2 }\n"), whole, "{name} computes");
        assert_ne!(changed(&format!("crates/{name}/src/more.rs"), ""), whole, "a file more of {name}");
    }
    assert_ne!(changed("crates/engine/src/groups/dense.rs", "// Groups!\n"), whole);
    for (from, to) in [("\"1.0.0\"", "\"1.0.1\""), ("\"2.0.0\"", "\"2.1.0\"")] {
        assert_ne!(changed("Cargo.lock", &LOCK.replace(from, to)), whole, "a library in version {to}");
    }
    assert_eq!(changed("crates/http/src/lib.rs", "pub fn one() -> u8 { 2 }\n"), whole);
    assert_eq!(changed("Cargo.lock", &LOCK.replace("\"3.0.0\"", "\"3.0.1\"")), whole);
}

#[test]
fn kept_groups_lie_under_the_hash_of_what_has_computed_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let hash = computed_by(&root).unwrap();
    block_on(async {
        let mut house = House::new().await;
        let event = format!("{{\"_time\":{START},\"host\":\"a\"}}\n");
        let filled = house.filled(&[event], Placement::Segments).await;
        let folder = house.folder().join("groups-1");
        let names = || -> Vec<String> {
            let entries = fs::read_dir(&folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        for _ in 0..2 {
            let text = "logs | summarize count() by host";
            house.ask_text(&[("logs", &filled.state)], text, Way::Cached).await.unwrap();
        }
        let [name]: [String; 1] = names().try_into().unwrap();
        assert!(name.ends_with(&hash), "{name} is not of {hash}");
        assert_eq!(fs::read_dir(folder.join(&name)).unwrap().count(), 1, "the question has a folder");
        // What an engine before a change has left is not there for the one after it.
        fs::rename(folder.join(&name), folder.join("1-0.1.0")).unwrap();
        house.restart_engines(|settings| settings);
        assert_eq!(names(), std::slice::from_ref(&name));
        assert_eq!(fs::read_dir(folder.join(&name)).unwrap().count(), 0, "nothing is taken over");
    });
}
