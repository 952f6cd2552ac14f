//! Files of objects that were never finished. The library writes an object under its name with a number behind it and
//! renames it; a process that ends before the rename leaves such a file, which the library's lists do not show.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hashbrown::HashSet;
use tidegauge_model::Timestamp;

use crate::disk::{Disk, sync_folder};
use crate::{Error, Result};

/// Deletes, in one folder, what was written of the objects with these names.
pub(super) fn delete(disk: &dyn Disk, folder: &Path, names: &HashSet<String>) -> Result<()> {
    let is_deleted = |name: &str| object_of(name).is_some_and(|object| names.contains(object));
    let delete = || -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_deleted) {
                match std::fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    };
    delete().map_err(|source| Error::disk("delete an unfinished segment", source))?;
    sync_folder(disk, folder)
}

/// The objects, in all folders below one, of which something was written and not touched since a time.
pub(super) fn find(root: &Path, before: Timestamp) -> Result<Vec<String>> {
    let micros = u64::try_from(before.as_micros()).unwrap_or(0);
    let border = SystemTime::UNIX_EPOCH + Duration::from_micros(micros);
    let find = || -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for folder in folders(&root.join("datasets"))? {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                let name = path.strip_prefix(root).ok().and_then(Path::to_str);
                let Some(object) = name.and_then(object_of) else { continue };
                // One that is gone meanwhile was finished.
                let modified = std::fs::metadata(&path).and_then(|metadata| metadata.modified());
                if modified.is_ok_and(|modified| modified < border) {
                    found.push(object.to_owned());
                }
            }
        }
        Ok(found)
    };
    find().map_err(|source| Error::disk("look for unfinished segments", source))
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
