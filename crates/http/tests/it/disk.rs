//! A disk that a test can fill up: then it takes the first half of what is written to the log, and no new file. Its syncs
//! can fail too.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tidegauge_store::{Disk, MachineDisk};

#[derive(Debug, Default)]
pub(crate) struct TestDisk {
    is_full: AtomicBool,
    is_failing: AtomicBool,
}

impl TestDisk {
    pub(crate) fn fill(&self, is_full: bool) {
        self.is_full.store(is_full, Ordering::SeqCst);
    }

    pub(crate) fn fail_syncs(&self, is_failing: bool) {
        self.is_failing.store(is_failing, Ordering::SeqCst);
    }

    fn is_full(&self) -> bool {
        self.is_full.load(Ordering::SeqCst)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        match self.is_failing.load(Ordering::SeqCst) {
            true => Err(io::Error::other(format!("{} is not synced", path.display()))),
            false => Ok(()),
        }
    }
}

fn full<T>() -> io::Result<T> {
    Err(io::ErrorKind::StorageFull.into())
}

impl Disk for TestDisk {
    fn create(&self, path: &Path, space: u64) -> io::Result<File> {
        if self.is_full() { full() } else { MachineDisk.create(path, space) }
    }

    fn write_at(&self, path: &Path, file: &File, slices: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        if !self.is_full() {
            return MachineDisk.write_at(path, file, slices, offset);
        }
        let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        MachineDisk.write_at(path, file, &mut [IoSlice::new(&all[..all.len() / 2])], offset)?;
        full()
    }

    fn sync_data(&self, path: &Path, file: &File) -> io::Result<()> {
        self.sync(path)?;
        MachineDisk.sync_data(path, file)
    }

    fn sync_all(&self, path: &Path, file: &File) -> io::Result<()> {
        self.sync(path)?;
        MachineDisk.sync_all(path, file)
    }
}
