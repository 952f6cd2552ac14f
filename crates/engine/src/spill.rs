//! What queries put on the disk where their memory does not hold it. There is one bound for all, which DataFusion keeps;
//! of that one organisation has at most half while another one has queries, as of memory.

use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use datafusion_common::Result as DataFusionResult;
use datafusion_execution::disk_manager::{DiskManager, DiskManagerBuilder};
use datafusion_execution::{SpillFile, SpillWriter, TempFileFactory};
use futures_util::Stream;
use hashbrown::HashMap;

use crate::Result;

/// What was put on the disk, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpillFigures {
    /// Now.
    pub held: u64,
    /// Since the start.
    pub written: u64,
    /// How often a query was refused room, or could not write.
    pub refused: u64,
}

/// The disk for all queries.
#[derive(Debug)]
pub(crate) struct SpillSpace {
    disk: Arc<DiskManager>,
    written: AtomicU64,
    refused: AtomicU64,
    /// What each organisation has there that has queries.
    orgs: Mutex<HashMap<Arc<str>, Weak<OrgSpill>>>,
}

/// What the queries of an organisation have on the disk.
#[derive(Debug, Default)]
struct OrgSpill {
    held: AtomicU64,
}

impl SpillSpace {
    pub(crate) fn new(disk: Arc<DiskManager>) -> Self {
        Self { disk, written: AtomicU64::new(0), refused: AtomicU64::new(0), orgs: Mutex::default() }
    }

    /// What the operators of one query spill through. Its organisation has queries for as long as this is there.
    pub(crate) fn for_query(self: &Arc<Self>, org: &Arc<str>) -> Result<Arc<DiskManager>> {
        let files = OrgFiles { space: Arc::clone(self), org: self.of_org(org) };
        Ok(Arc::new(DiskManagerBuilder::default().with_temp_file_factory(Arc::new(files)).build()?))
    }

    pub(crate) fn figures(&self) -> SpillFigures {
        SpillFigures {
            held: self.disk.used_disk_space(),
            written: self.written.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    fn of_org(&self, name: &Arc<str>) -> Arc<OrgSpill> {
        let mut orgs = self.orgs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = orgs.get(name).and_then(Weak::upgrade) {
            return known;
        }
        orgs.retain(|_, org| org.strong_count() > 0);
        let org = Arc::<OrgSpill>::default();
        orgs.insert(Arc::clone(name), Arc::downgrade(&org));
        org
    }

    /// How much one organisation may have now.
    fn org_max(&self) -> u64 {
        let max = self.disk.max_temp_directory_size();
        let orgs = self.orgs.lock().unwrap_or_else(PoisonError::into_inner);
        match orgs.values().filter(|org| org.strong_count() > 0).nth(1) {
            Some(_) => max / 2,
            None => max,
        }
    }

    fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// Makes the files of one query.
struct OrgFiles {
    space: Arc<SpillSpace>,
    org: Arc<OrgSpill>,
}

impl TempFileFactory for OrgFiles {
    fn create_temp_file(&self, description: &str) -> DataFusionResult<Arc<dyn SpillFile>> {
        let file = self.space.disk.create_tmp_file(description)?;
        let (space, org) = (Arc::clone(&self.space), Arc::clone(&self.org));
        Ok(Arc::new(OrgFile { file, held: Arc::new(Held { space, org, bytes: AtomicU64::new(0) }) }))
    }
}

/// What one file takes of its organisation's share, until nobody has it any more.
struct Held {
    space: Arc<SpillSpace>,
    org: Arc<OrgSpill>,
    bytes: AtomicU64,
}

impl Held {
    fn take(&self, bytes: u64) -> io::Result<()> {
        let max = self.space.org_max();
        let add = |held: u64| held.checked_add(bytes).filter(|held| *held <= max);
        if self.org.held.try_update(Ordering::Relaxed, Ordering::Relaxed, add).is_err() {
            self.space.refuse();
            return Err(io::Error::other(
                "the share of its organisation for what queries put aside is used up",
            ));
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.org.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.org.held.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A file of a query.
struct OrgFile {
    file: Arc<dyn SpillFile>,
    held: Arc<Held>,
}

impl SpillFile for OrgFile {
    fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    fn size(&self) -> Option<u64> {
        self.file.size()
    }

    fn read_stream(&self) -> DataFusionResult<Pin<Box<dyn Stream<Item = DataFusionResult<Bytes>> + Send>>> {
        self.file.read_stream()
    }

    fn open_writer(&self) -> DataFusionResult<Box<dyn SpillWriter>> {
        Ok(Box::new(OrgWriter { writer: self.file.open_writer()?, held: Arc::clone(&self.held) }))
    }
}

/// Who writes to it.
struct OrgWriter {
    writer: Box<dyn SpillWriter>,
    held: Arc<Held>,
}

impl Write for OrgWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let asked = bytes.len() as u64;
        self.held.take(asked)?;
        let written = self.writer.write(bytes);
        match &written {
            Ok(written) => {
                let written = *written as u64;
                self.held.give_back(asked.saturating_sub(written));
                self.held.space.written.fetch_add(written, Ordering::Relaxed);
            }
            Err(_) => {
                self.held.give_back(asked);
                self.held.space.refuse();
            }
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl SpillWriter for OrgWriter {
    fn finish(&mut self) -> DataFusionResult<()> {
        self.writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use datafusion_execution::disk_manager::DiskManagerMode;

    use super::*;

    const MAX: u64 = 1_000;

    /// A file with so many bytes, if there is room for them.
    fn put(disk: &Arc<DiskManager>, bytes: usize) -> io::Result<Arc<dyn SpillFile>> {
        let file = disk.create_tmp_file("a test").unwrap();
        file.open_writer().unwrap().write_all(&vec![1; bytes])?;
        assert_eq!(file.size(), Some(bytes as u64));
        Ok(file)
    }

    #[test]
    fn an_organisation_has_half_of_the_disk_while_another_has_queries() {
        let folder = tempfile::tempdir().unwrap();
        let disk = DiskManagerBuilder::default()
            .with_mode(DiskManagerMode::Directories(vec![folder.path().to_owned()]))
            .with_max_temp_directory_size(MAX)
            .build()
            .unwrap();
        let space = Arc::new(SpillSpace::new(Arc::new(disk)));
        let loud = space.for_query(&Arc::from("loud")).unwrap();
        drop(put(&loud, 1_000).unwrap());
        assert_eq!(space.figures(), SpillFigures { held: 0, written: 1_000, refused: 0 });

        let quiet = space.for_query(&Arc::from("quiet")).unwrap();
        // Two queries of one organisation have one share.
        let other = space.for_query(&Arc::from("loud")).unwrap();
        let files = [put(&loud, 300).unwrap(), put(&other, 200).unwrap()];
        assert!(put(&other, 1).is_err());
        drop(put(&quiet, 500).unwrap());
        assert_eq!(space.figures(), SpillFigures { held: 500, written: 2_000, refused: 1 });

        drop(quiet);
        let more = put(&other, 500).unwrap();
        assert!(put(&loud, 1).is_err(), "there is no more for all");
        drop((files, more));
        assert_eq!(space.figures(), SpillFigures { held: 0, written: 2_500, refused: 2 });
        drop(put(&loud, 1_000).unwrap());
    }
}
