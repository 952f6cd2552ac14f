//! The write-ahead log: where a request's events are made durable before it is answered. One thread writes, and no other waits
//! for the disk; what waits for it meanwhile shares its next disk sync up to a size, so many connections cost few syncs and
//! one connection waits for one. Which events still need the WAL is known to the caller, who says below which sequence files
//! may go.

mod file;
mod file_start;
mod group;
mod record;
mod recover;
mod shared;
mod writer;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use hashbrown::HashSet;
use tidegauge_model::ErrorKind;
use tokio::sync::oneshot;

use self::shared::{Append, ClosedFile, Shared, State};
use crate::disk::{Disk, make_folder_on, replace_file};
use crate::trouble::LastFailure;
use crate::wal_batch::WalBatch;
use crate::{Error, Result};

pub(crate) use record::DatasetKey;
pub use recover::Damage;
pub(crate) use recover::{
    COPY_EXTENSION, REPORT_EXTENSION, Recovered, UNKNOWN_DATASET, has_files, look_at, recover,
};
pub(crate) use shared::{Accept, WalSettings};
#[cfg(any(test, feature = "testing"))]
pub(crate) use writer::encode_file;

/// The open log.
pub(crate) struct Wal {
    shared: Arc<Shared>,
    quarantine: PathBuf,
    disk: Arc<dyn Disk>,
    writer: Arc<Mutex<writer::Writer>>,
    /// Files are deleted by one at a time, who knows whether a power cut can bring back the last that was.
    releasing: Mutex<bool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Wal {
    /// Goes on after what was recovered, above a sequence that is at least the last of those.
    pub(crate) fn open(settings: WalSettings, recovered: &Recovered, last_sequence: u64) -> Result<Self> {
        let mut state = State { last_sequence, ..State::default() };
        for file in &recovered.files {
            state.closed.push_back(ClosedFile {
                path: file.path.clone(),
                last_sequence: file.last_sequence,
                bytes: file.bytes,
                orphaned: file.orphaned.clone(),
            });
        }
        let last_failure = LastFailure::default();
        let shared = Arc::new(Shared { state: Mutex::new(state), wake: Condvar::new(), last_failure });
        let (quarantine, disk) = (settings.quarantine.clone(), Arc::clone(&settings.disk));
        let writer = Arc::new(Mutex::new(writer::Writer::new(
            settings,
            Arc::clone(&shared),
            last_sequence,
            // Not the last that was given away: it may have been refused, and nobody must miss it.
            recovered.last_found,
        )?));
        let thread = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn({
                let (shared, writer) = (Arc::clone(&shared), Arc::clone(&writer));
                move || run(&shared, &writer)
            })
            .map_err(|source| Error::disk("start the thread that writes the write-ahead log", source))?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { shared, quarantine, disk, writer, releasing: Mutex::default(), thread })
    }

    /// Queues events. The receiver hears the sequence once they are on disk and `accept` has them.
    pub(crate) fn append(
        &self,
        dataset: DatasetKey,
        payload: WalBatch,
        accept: Arc<dyn Accept>,
    ) -> Result<oneshot::Receiver<Result<u64>>> {
        let checksum = crc32fast::hash(payload.encoded());
        let (answer, receiver) = oneshot::channel();
        let append = Append { dataset, payload, checksum, accept, answer };
        let mut state = self.shared.lock();
        if state.is_closing {
            return Err(Error::new(ErrorKind::Unavailable, "the service is shutting down: try again"));
        }
        state.queue.push(append);
        drop(state);
        self.shared.wake.notify_one();
        Ok(receiver)
    }

    /// Deletes the files in which everything is below a sequence, oldest first: one that is missing between others would
    /// be taken for a loss. So if one cannot be deleted, those behind it stay too, until the next time.
    pub(crate) fn release(&self, below: u64) {
        let mut may_come_back = self.releasing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = VecDeque::new();
        let mut state = self.shared.lock();
        while state.closed.front().is_some_and(|file| file.last_sequence < below) {
            done.extend(state.closed.pop_front());
        }
        drop(state);
        while let Some(file) = done.front() {
            if let Err(error) = self.remove(file, &mut may_come_back) {
                tracing::warn!(path = %file.path.display(), %error, "cannot delete a file of the write-ahead log");
                break;
            }
            done.pop_front();
        }
        let mut state = self.shared.lock();
        done.into_iter().rev().for_each(|file| state.closed.push_front(file));
    }

    fn remove(&self, file: &ClosedFile, may_come_back: &mut bool) -> std::io::Result<()> {
        if !file.orphaned.is_empty() {
            put_aside(&*self.disk, &file.path, &self.quarantine, &file.orphaned)?;
        }
        if let Some(folder) = file.path.parent().filter(|_| *may_come_back) {
            // A power cut must not bring back the one before without this one: it would look like a loss.
            self.disk.sync_folder(folder)?;
            *may_come_back = false;
        }
        match self.disk.remove(&file.path) {
            // It went the last time, whatever was said of it then.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => {
                *may_come_back = true;
                Ok(())
            }
        }
    }

    /// Begins a new file if the present one may have this sequence or one before, so that it can be released.
    pub(crate) async fn end_file_of(&self, sequence: u64) -> Result<()> {
        self.with_writer(move |writer| writer.end_file_of(sequence)).await
    }

    /// After a fault, begins the next file, although nobody has anything to write.
    pub(crate) async fn mend(&self) -> Result<()> {
        if self.shared.last_failure.message().is_none() {
            return Ok(());
        }
        self.with_writer(|writer| writer.mend()).await
    }

    async fn with_writer(
        &self,
        work: impl FnOnce(&mut writer::Writer) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let writer = Arc::clone(&self.writer);
        let work = move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut writer)
        };
        tokio::task::spawn_blocking(work).await.map_err(|source| {
            Error::caused(ErrorKind::Internal, "the write-ahead log was interrupted", source)
        })?
    }

    /// What was wrong when it could not be written.
    pub(crate) fn last_failure(&self) -> &LastFailure {
        &self.shared.last_failure
    }

    /// How many bytes of log there are.
    pub(crate) fn bytes(&self) -> u64 {
        let state = self.shared.lock();
        state.open_bytes + state.closed.iter().map(|file| file.bytes).sum::<u64>()
    }

    pub(crate) fn last_sequence(&self) -> u64 {
        self.shared.lock().last_sequence
    }

    /// How often requests were synced, several with one sync.
    pub(crate) fn syncs(&self) -> u64 {
        self.shared.lock().syncs
    }

    /// Writes what waits, then ends the thread.
    pub(crate) fn close(&self) {
        self.shared.lock().is_closing = true;
        self.shared.wake.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes the write-ahead log ended by a panic");
        }
    }
}

impl Drop for Wal {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for Wal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Copies some events of a WAL file to where they are not read any more and can be put back from. The others are
/// in segments: a copy of them here would outlive their deletion.
fn put_aside(
    disk: &dyn Disk,
    file: &Path,
    quarantine: &Path,
    sequences: &HashSet<u64>,
) -> std::io::Result<()> {
    let kept = recover::with_only(&std::fs::read(file)?, sequences);
    make_folder_on(disk, quarantine)?;
    replace_file(disk, &quarantine.join(file.file_name().unwrap_or_default()), &kept)
}

/// The thread: writes what waits until the WAL is closed.
fn run(shared: &Shared, writer: &Mutex<writer::Writer>) {
    let lock = || writer.lock().unwrap_or_else(PoisonError::into_inner);
    let mut groups = group::Groups::default();
    while shared.wait_for_work() {
        let mut writer = lock();
        // Taken with the writer in hand: what came while somebody else wrote goes with this sync.
        let group = groups.take(&mut shared.lock().queue);
        writer.commit(group);
    }
    lock().end();
}

#[cfg(test)]
mod tests;
