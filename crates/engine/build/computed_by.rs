//! A hash of all that decides what the states of groups are: the sources of the crates that compute them, and the
//! versions of the libraries that these use. Nobody has to remember a number when something is mended. The build and a
//! test use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The crate that computes states, and those of ours whose code it runs for that.
const CRATES: [&str; 8] = ["aggregates", "bind", "cache", "engine", "exec", "lang", "model", "store"];

/// The package whose libraries count.
const PACKAGE: &str = "tidegauge-engine";

/// What is read below the root of the repository.
pub(crate) fn sources(root: &Path) -> Vec<PathBuf> {
    let folders = CRATES.iter().map(|name| root.join("crates").join(name).join("src"));
    folders.chain([root.join("Cargo.lock")]).collect()
}

/// The hash, as text.
pub(crate) fn computed_by(root: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for source in sources(root) {
        if source.is_dir() {
            hash_folder(&source, &mut hasher)?;
        } else {
            libraries(&fs::read_to_string(&source)?).hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The names and contents of all files, in the order of their names.
fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        path.file_name().hash(hasher);
        if path.is_dir() {
            hash_folder(&path, hasher)?;
        } else {
            fs::read(&path)?.hash(hasher);
        }
    }
    // What follows lies in another folder.
    hasher.write_u8(0);
    Ok(())
}

/// The parts of a lock file that tell of the libraries that the package uses, in their order.
fn libraries(lock: &str) -> Vec<&str> {
    let mut packages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let name = package.lines().find_map(|line| line.strip_prefix("name = "));
        packages.entry(name.unwrap_or_default().trim_matches('"')).or_default().push(package);
    }
    let (mut used, mut left) = (BTreeSet::new(), vec![PACKAGE]);
    while let Some(name) = left.pop() {
        if used.insert(name) {
            left.extend(packages.get(name).into_iter().flatten().flat_map(|package| dependencies(package)));
        }
    }
    used.iter().filter_map(|name| packages.get(name)).flatten().copied().collect()
}

/// The names that stand in the list of dependencies of a package. Of several versions of one all count.
fn dependencies(package: &str) -> impl Iterator<Item = &str> {
    let listed = package.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
    listed.filter_map(|dependency| dependency.split(' ').next())
}
