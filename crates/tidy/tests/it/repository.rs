//! Where the repository is, and which files are in it. Paths are written from its root, with `/`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Folders that hold what programs made, and are not looked into.
const MADE_AT_THE_ROOT: &[&str] = &[".git", "target", "data"];
const MADE_ANYWHERE: &[&str] = &["node_modules"];

/// The text of a file, or nothing when there is no such file.
pub(crate) fn read(path: &str) -> Option<String> {
    match fs::read_to_string(root().join(path)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => panic!("{path} cannot be read: {error}"),
    }
}

/// The bytes of a file that was listed; empty when it went away since.
pub(crate) fn read_bytes(path: &str) -> Vec<u8> {
    match fs::read(root().join(path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => panic!("{path} cannot be read: {error}"),
    }
}

/// Whether a file or folder is there.
pub(crate) fn has(path: &str) -> bool {
    root().join(path).try_exists().expect("a path of the repository can be looked up")
}

/// All files below a folder (`""` is the root), sorted.
pub(crate) fn files_under(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files
}

/// The folders of our crates, by name: `auth`, `catalog` and so on.
pub(crate) fn crate_folders() -> Vec<String> {
    let mut folders: Vec<String> =
        entries("crates").into_iter().filter(|(_, is_folder)| *is_folder).map(|(name, _)| name).collect();
    folders.sort();
    folders
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this crate is two folders below the root")
}

fn collect(folder: &str, files: &mut Vec<String>) {
    for (name, is_folder) in entries(folder) {
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !is_folder {
            files.push(path);
        } else if !is_made(folder, &name) {
            collect(&path, files);
        }
    }
}

fn is_made(parent: &str, name: &str) -> bool {
    MADE_ANYWHERE.contains(&name) || (parent.is_empty() && MADE_AT_THE_ROOT.contains(&name))
}

/// Names in a folder and whether each is a folder itself. A folder that is not there has none.
fn entries(folder: &str) -> Vec<(String, bool)> {
    let listing = match fs::read_dir(root().join(folder)) {
        Ok(listing) => listing,
        Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
        Err(error) => panic!("{folder} cannot be listed: {error}"),
    };
    listing
        .map(|entry| {
            let entry = entry.expect("a folder of the repository can be listed");
            let name = entry.file_name().into_string().expect("names in the repository are UTF-8");
            (name, entry.file_type().expect("an entry has a type").is_dir())
        })
        .collect()
}
