//! Idempotency keys: a request that is repeated with its key is answered as the first was and stored once. A key whose
//! events are in the buffer is known here; later the catalogue knows it, from the same commit as the segments. How a
//! request claims one is left to `claims`.

mod claims;

use std::sync::Arc;

use hashbrown::HashMap;
use tokio::sync::watch;

use crate::dataset::DatasetState;
use crate::key_state::KeyState;
use crate::wal::Accept;
use crate::wal_batch::WalBatch;

/// What a key means for a request.
#[derive(Debug)]
pub enum Claim {
    /// Nobody has used it: store the events, then drop this.
    First(KeyGuard),
    /// An earlier request with it was stored.
    Repeated(Repeated),
}

/// An earlier request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    pub fingerprint: u64,
    pub answer: String,
    pub sequence: u64,
}

/// Holds a key until its request has ended. Requests with the same key wait for that.
#[derive(Debug)]
pub struct KeyGuard {
    _hold: Hold,
}

/// A key that is taken until this is dropped, or until somebody else holds it.
#[derive(Debug)]
struct Hold {
    dataset: Arc<DatasetState>,
    key: String,
    ended: watch::Receiver<()>,
    _ending: watch::Sender<()>,
}

impl Hold {
    fn new(dataset: &Arc<DatasetState>, key: &str, keys: &mut HashMap<String, KeyState>) -> Self {
        let (sender, ended) = watch::channel(());
        keys.insert(key.to_owned(), KeyState::InFlight(ended.clone()));
        Self { dataset: Arc::clone(dataset), key: key.to_owned(), ended, _ending: sender }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut inner = self.dataset.lock();
        // Stored requests have turned it to done; what is still in flight has failed, and the next may try.
        let is_own =
            |known: &KeyState| matches!(known, KeyState::InFlight(ended) if ended.same_channel(&self.ended));
        if inner.keys.get(&self.key).is_some_and(is_own) {
            inner.keys.remove(&self.key);
        }
    }
}

/// Takes over events that came with a key. Until the WAL has decided about them the key stays taken, even if the
/// request that brought them is not waited for any more: its repetition must not be stored beside it.
pub(crate) struct Keyed {
    hold: Hold,
}

impl Keyed {
    pub(crate) fn new(dataset: &Arc<DatasetState>, key: &str) -> Self {
        let mut inner = dataset.lock();
        Self { hold: Hold::new(dataset, key, &mut inner.keys) }
    }
}

impl Accept for Keyed {
    fn accept(&self, sequence: u64, payload: WalBatch) {
        self.hold.dataset.accept(sequence, payload);
    }
}
