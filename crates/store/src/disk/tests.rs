//! What is done to the disk, and in which order: a file that takes the place of another is whole before it does, and what
//! counts is durable when a call returns.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Mutex;

use super::{Disk, MachineDisk, make_folder_on, replace_file, write_file};

/// Notes what is done, by the names of files. Where it is told to fail, it fails in the middle.
#[derive(Debug, Default)]
struct Noting {
    done: Mutex<Vec<String>>,
    fails_at: Option<&'static str>,
}

impl Noting {
    fn failing_at(call: &'static str) -> Self {
        Self { fails_at: Some(call), ..Self::default() }
    }

    fn note(&self, call: &str, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.done.lock().unwrap().push(format!("{call} {name}"));
        match self.fails_at {
            Some(fails_at) if fails_at == call => Err(io::Error::other("the disk fails")),
            _ => Ok(()),
        }
    }

    fn done(&self) -> Vec<String> {
        std::mem::take(&mut self.done.lock().unwrap())
    }
}

impl Disk for Noting {
    fn create(&self, path: &Path, space: u64) -> io::Result<File> {
        self.note("create", path)?;
        MachineDisk.create(path, space)
    }

    fn write_at(&self, path: &Path, file: &File, slices: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        if let Err(error) = self.note("write", path) {
            let half = &slices[0][..slices[0].len() / 2];
            MachineDisk.write_at(path, file, &mut [IoSlice::new(half)], offset)?;
            return Err(error);
        }
        MachineDisk.write_at(path, file, slices, offset)
    }

    fn sync_all(&self, path: &Path, _: &File) -> io::Result<()> {
        self.note("sync", path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note("rename", from)?;
        MachineDisk.rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.note("sync folder", folder)
    }
}

#[test]
fn a_file_of_nothing_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    write_file(&MachineDisk, &path, b"").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"");
}

#[test]
fn a_file_is_whole_on_the_disk_before_it_gets_its_name_and_then_its_name_is() {
    let folder = tempfile::tempdir().unwrap();
    let (within, disk) = (folder.path().join("within"), Noting::default());
    std::fs::create_dir(&within).unwrap();
    replace_file(&disk, &within.join("a.json"), b"all of it").unwrap();
    let order = ["create a.new", "write a.new", "sync a.new", "rename a.new", "sync folder within"];
    assert_eq!(disk.done(), order);
    assert_eq!(std::fs::read(within.join("a.json")).unwrap(), b"all of it");
}

#[test]
fn what_stood_under_a_name_stays_when_the_next_cannot_be_written() {
    for call in ["create", "write", "sync", "rename"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace_file(&MachineDisk, &path, b"what was there before").unwrap();
        assert!(replace_file(&Noting::failing_at(call), &path, b"what comes next").is_err(), "{call}");
        assert_eq!(std::fs::read(&path).unwrap(), b"what was there before", "{call}");
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 1, "{call}: nothing half-written is left");
    }
}

#[test]
fn the_name_of_a_new_folder_and_of_those_above_is_made_durable() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Noting::default();
    make_folder_on(&disk, &folder.path().join("one/two/three")).unwrap();
    let above = format!("sync folder {}", folder.path().file_name().unwrap().to_string_lossy());
    assert_eq!(disk.done(), [above.as_str(), "sync folder one", "sync folder two"]);
    assert!(make_folder_on(&Noting::failing_at("sync folder"), &folder.path().join("four")).is_err());
}
