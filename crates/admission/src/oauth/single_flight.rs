//! One question at a time about one thing: who asks while the same question is under way waits for its answer. The
//! question goes on when the request that asked it ends, so that nobody can prevent an answer by hanging up.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, watch};
use tokio_util::task::TaskTracker;

/// So many requests may wait for one issuer. More would hold the places of requests that have nothing to do with it.
const WAITING_MAX: usize = 32;

/// Questions that are under way, by what they are about.
pub struct SingleFlight<Key> {
    in_flight: Mutex<HashMap<Key, watch::Receiver<()>>>,
    slots: Semaphore,
    tasks: TaskTracker,
}

/// As many requests wait as may.
#[derive(Debug)]
pub struct Full;

impl<Key> fmt::Debug for SingleFlight<Key> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flights").finish_non_exhaustive()
    }
}

impl<Key: Clone + Eq + Hash + Send + 'static> SingleFlight<Key> {
    pub fn new(tasks: TaskTracker) -> Arc<Self> {
        let (in_flight, slots) = (Mutex::default(), Semaphore::new(WAITING_MAX));
        Arc::new(Self { in_flight, slots, tasks })
    }

    /// Waits until the question was answered; begins to ask it if nobody does.
    pub async fn join<Work>(self: &Arc<Self>, key: Key, work: impl FnOnce() -> Work) -> Result<(), Full>
    where
        Work: Future<Output = ()> + Send + 'static,
    {
        let Ok(_slot) = self.slots.try_acquire() else {
            return Err(Full);
        };
        let mut ended = self.started(key, work);
        // The other end is dropped when the work has ended, in whatever way.
        while ended.changed().await.is_ok() {}
        Ok(())
    }

    /// Begins to ask, if nobody does, without waiting for the answer.
    pub fn start<Work>(self: &Arc<Self>, key: Key, work: impl FnOnce() -> Work)
    where
        Work: Future<Output = ()> + Send + 'static,
    {
        self.started(key, work);
    }

    fn started<Work>(self: &Arc<Self>, key: Key, work: impl FnOnce() -> Work) -> watch::Receiver<()>
    where
        Work: Future<Output = ()> + Send + 'static,
    {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = in_flight.get(&key) {
            return running.clone();
        }
        let (sender, receiver) = watch::channel(());
        in_flight.insert(key.clone(), receiver.clone());
        let landing = InFlight { single_flight: Arc::clone(self), key, _sender: sender };
        let work = work();
        self.tasks.spawn(async move {
            work.await;
            drop(landing);
        });
        receiver
    }
}

/// Takes the question out of those under way when it is dropped, also by a panic.
struct InFlight<Key: Eq + Hash> {
    single_flight: Arc<SingleFlight<Key>>,
    key: Key,
    _sender: watch::Sender<()>,
}

impl<Key: Eq + Hash> Drop for InFlight<Key> {
    fn drop(&mut self) {
        let mut in_flight = self.single_flight.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        in_flight.remove(&self.key);
    }
}
