//! How events are kept: where, how much at once, and for how long what is not needed any more.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::{Disk, MachineDisk};
use crate::objects::ObjectLocation;

/// How events are kept.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The folder of the WAL, of quarantined parts, and of the lock.
    pub folder: PathBuf,
    /// What that folder is on.
    pub disk: Arc<dyn Disk>,
    pub objects: ObjectLocation,
    pub wal_file_bytes: u64,
    /// When a dataset's events are written as a segment: bytes or rows in the buffer, or age of the oldest.
    pub flush_bytes: usize,
    pub flush_rows: usize,
    pub flush_age: Duration,
    /// How much all buffers together may hold before requests have to wait.
    pub buffer_bytes_max: usize,
    /// How long a request waits for room in the buffer at most before it is told to come back.
    pub buffer_wait: Duration,
    pub segment_rows_max: usize,
    /// How much a compaction may read at once.
    pub compact_bytes_max: u64,
    /// How long replaced segments stay for readers that began before.
    pub grace: Duration,
    /// How long idempotency keys are remembered.
    pub key_age: Duration,
    /// How long this process may be silent before another one can take the catalogue over.
    pub lease: Duration,
    /// Where this process is reached, to be told to others that want to write.
    pub address: String,
    /// How much memory the footers of segments may take, with the filters and shared columns that were read for them.
    pub footer_cache_bytes: usize,
    /// How much of the disk cached ranges of objects may take that are not on this machine; 0 for no cache.
    pub object_cache_bytes: u64,
}

impl StoreSettings {
    pub fn new(folder: PathBuf) -> Self {
        Self {
            objects: ObjectLocation::Folder(folder.join("segments")),
            folder,
            disk: Arc::new(MachineDisk),
            wal_file_bytes: 64 << 20,
            flush_bytes: 80 << 20,
            flush_rows: 256 * 1024,
            flush_age: Duration::from_secs(600),
            buffer_bytes_max: 160 << 20,
            buffer_wait: Duration::from_secs(10),
            segment_rows_max: 512 * 1024,
            compact_bytes_max: 32 << 20,
            grace: Duration::from_secs(3600),
            key_age: Duration::from_secs(24 * 3600),
            lease: Duration::from_secs(30),
            address: String::new(),
            footer_cache_bytes: 64 << 20,
            object_cache_bytes: 0,
        }
    }
}
