//! What the callers of the WAL and the thread that writes it share: how the WAL is kept, what waits to be written, and
//! the files that are closed.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hashbrown::HashSet;
use tokio::sync::oneshot;

use super::record::DatasetKey;
use crate::Result;
use crate::disk::Disk;
use crate::trouble::LastFailure;
use crate::wal_batch::WalBatch;

/// How the WAL is kept.
#[derive(Clone, Debug)]
pub(crate) struct WalSettings {
    pub(crate) folder: PathBuf,
    /// Where damaged parts are moved to.
    pub(crate) quarantine: PathBuf,
    /// At which size a file is closed and the next begun.
    pub(crate) file_bytes: u64,
    pub(crate) disk: Arc<dyn Disk>,
}

/// Who takes events over once they are durable. Called in the order of the sequences, before the request is answered.
pub(crate) trait Accept: Send + Sync {
    fn accept(&self, sequence: u64, payload: WalBatch);
}

/// What the callers and the writing thread share.
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// Told when there is something to write, or when it is time to end.
    pub(super) wake: Condvar,
    pub(super) last_failure: LastFailure,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) queue: Vec<Append>,
    pub(super) is_closing: bool,
    /// Closed files, oldest first.
    pub(super) closed: VecDeque<ClosedFile>,
    /// Bytes in the file that is written to.
    pub(super) open_bytes: u64,
    pub(super) last_sequence: u64,
    /// How many groups of requests were synced.
    pub(super) syncs: u64,
}

pub(super) struct ClosedFile {
    pub(super) path: PathBuf,
    pub(super) last_sequence: u64,
    pub(super) bytes: u64,
    /// The sequences of events that nobody took over.
    pub(super) orphaned: HashSet<u64>,
}

/// One request on its way to the disk.
pub(super) struct Append {
    pub(super) dataset: DatasetKey,
    pub(super) payload: WalBatch,
    /// Checksum of the batch, computed by who asks so that the one writer does not have to.
    pub(super) checksum: u32,
    pub(super) accept: Arc<dyn Accept>,
    pub(super) answer: oneshot::Sender<Result<u64>>,
}

impl Shared {
    /// Waits until there is something to write; `false` at the end.
    pub(super) fn wait_for_work(&self) -> bool {
        let mut state = self.lock();
        while state.queue.is_empty() {
            if state.is_closing {
                return false;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the queue whole: every change of it is one push or one take.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
