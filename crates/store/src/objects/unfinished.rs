//! Files of objects that were never finished. The library writes an object under its name with a number behind it and
//! renames it; a process that ends before the rename leaves such a file, which the library's lists do not show.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hashbrown::HashSet;
use tidegauge_model::Timestamp;

use crate::log::sync_folder;
use crate::{Error, Result};

/// Deletes, in one folder, what was written of the objects with these names.
pub(super) fn delete(folder: &Path, names: &HashSet<String>) -> Result<()> {
    remove(folder, |name, _| object_of(name).is_some_and(|object| names.contains(object)))
        .map(|_| ())
        .map_err(|source| Error::disk("delete an unfinished segment", source))
}

/// Deletes, in all folders below one, what was written of any object and not touched since a time. Says how many files.
pub(super) fn sweep(root: &Path, before: Timestamp) -> Result<usize> {
    let micros = u64::try_from(before.as_micros()).unwrap_or(0);
    let border = SystemTime::UNIX_EPOCH + Duration::from_micros(micros);
    let sweep = || -> io::Result<usize> {
        let mut removed = 0;
        for folder in folders(&root.join("datasets"))? {
            let is_old = |modified: SystemTime| modified < border;
            removed +=
                remove(&folder, |name, modified| object_of(name).is_some() && modified.is_some_and(is_old))?;
        }
        Ok(removed)
    };
    sweep().map_err(|source| Error::disk("delete unfinished segments", source))
}

/// The object that a file is an unfinished part of.
fn object_of(name: &str) -> Option<&str> {
    let (object, number) = name.rsplit_once('#')?;
    (object.ends_with(".parquet") && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(object)
}

fn folders(above: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let mut folders = Vec::new();
    if above.try_exists()? {
        for entry in std::fs::read_dir(above)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(folders)
}

fn remove(folder: &Path, is_doomed: impl Fn(&str, Option<SystemTime>) -> bool) -> io::Result<usize> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        if entry.file_name().to_str().is_some_and(|name| is_doomed(name, modified)) {
            std::fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    if removed > 0 {
        sync_folder(folder).map_err(io::Error::other)?;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::object_of;

    #[test]
    fn only_an_object_with_a_number_behind_it_is_unfinished() {
        assert_eq!(object_of("a.parquet#1"), Some("a.parquet"));
        assert_eq!(object_of("a.parquet#12"), Some("a.parquet"));
        for other in ["a.parquet", "a.parquet#x", "a#1", "a.parquet#1.txt", "#1", ""] {
            assert_eq!(object_of(other), None, "{other}");
        }
    }
}
