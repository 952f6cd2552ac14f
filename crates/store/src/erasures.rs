//! Which datasets have lost events for good since this process started. Who writes down what a query has read asks here
//! first: what it read may be gone by then, and nothing would take it out of what is written later. While it writes,
//! nobody erases; while somebody erases, nobody writes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use tidegauge_model::OrgId;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// Of an erasure that may have been committed while readers still see the events.
const OPEN: u64 = u64::MAX;

/// So many datasets are told apart. Beyond them all count as erased at the last moment of any.
const DATASETS_MAX: usize = 10_000;

/// The erasures of a process.
#[derive(Debug, Default)]
pub struct Erasures {
    gate: Arc<RwLock<()>>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// How many erasures there were.
    count: u64,
    /// The number of the last of each dataset.
    last: HashMap<(OrgId, String), u64>,
    /// Up to here datasets were forgotten that had erasures.
    forgotten: u64,
}

/// An erasure. One of events that is dropped before it is done may have been committed: nobody keeps anything of the
/// dataset until its readers follow the catalogue.
#[derive(Debug)]
#[must_use = "nobody else erases or keeps anything meanwhile"]
pub struct Erasing<'a> {
    erasures: &'a Erasures,
    dataset: (OrgId, String),
    _gate: OwnedRwLockWriteGuard<()>,
}

/// As long as it is held, nothing is erased.
#[derive(Debug)]
#[must_use = "what was read can be erased when it is dropped"]
pub struct Keeping {
    _gate: OwnedRwLockReadGuard<()>,
}

impl Erasures {
    /// The moment before a query, for [`Self::keep`] after it.
    pub fn mark(&self) -> u64 {
        self.known().count
    }

    /// Keeps what was read of the datasets since a moment from being erased, or says that some of it may have been.
    pub async fn keep(&self, org: &OrgId, names: &[String], since: u64) -> Option<Keeping> {
        let gate = Arc::clone(&self.gate).read_owned().await;
        let known = self.known();
        let is_erased = |name: &String| {
            let last = known.last.get(&(org.clone(), name.clone())).copied().unwrap_or(known.forgotten);
            last > since
        };
        (!names.iter().any(is_erased)).then_some(Keeping { _gate: gate })
    }

    /// Begins to erase events of a dataset. It is done when no reader that begins can see them.
    pub(crate) async fn begin(&self, org: &OrgId, name: &str) -> Erasing<'_> {
        let erasing = self.wait(org, name).await;
        self.known().set(erasing.dataset.clone(), OPEN);
        erasing
    }

    /// Begins to delete a dataset. Whether it is gone the catalogue tells, so that one that is given up leaves nothing open.
    pub async fn begin_deletion(&self, org: &OrgId, name: &str) -> Erasing<'_> {
        let erasing = self.wait(org, name).await;
        self.known().done(erasing.dataset.clone());
        erasing
    }

    async fn wait(&self, org: &OrgId, name: &str) -> Erasing<'_> {
        let gate = Arc::clone(&self.gate).write_owned().await;
        Erasing { erasures: self, dataset: (org.clone(), name.to_owned()), _gate: gate }
    }

    /// Readers of a dataset have followed the catalogue: what was left open is done, or was never committed.
    pub(crate) fn settle(&self, org: &OrgId, name: &str) {
        let mut known = self.known();
        let dataset = (org.clone(), name.to_owned());
        if known.last.get(&dataset) == Some(&OPEN) {
            known.done(dataset);
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Every change under the lock is whole before anything in it can panic.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Erasing<'_> {
    /// No reader that begins from now on sees the events.
    pub fn done(self) {
        self.erasures.known().done(self.dataset);
    }
}

impl Known {
    fn set(&mut self, dataset: (OrgId, String), number: u64) {
        if self.last.len() >= DATASETS_MAX && !self.last.contains_key(&dataset) {
            self.last.retain(|_, last| *last == OPEN);
            self.forgotten = self.count;
        }
        self.last.insert(dataset, number);
    }

    fn done(&mut self, dataset: (OrgId, String)) {
        self.count += 1;
        self.set(dataset, self.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn may_keep(erasures: &Erasures, name: &str, since: u64) -> bool {
        erasures.keep(&"org".into(), &["other".to_owned(), name.to_owned()], since).await.is_some()
    }

    #[tokio::test]
    async fn what_was_read_before_an_erasure_is_not_kept() {
        let erasures = Erasures::default();
        let before = erasures.mark();
        assert!(may_keep(&erasures, "logs", before).await);
        erasures.begin(&"org".into(), "logs").await.done();
        assert!(!may_keep(&erasures, "logs", before).await);
        assert!(may_keep(&erasures, "logs", erasures.mark()).await);
        assert!(may_keep(&erasures, "log", before).await, "another dataset");
        assert!(erasures.keep(&"their".into(), &["logs".to_owned()], before).await.is_some());
    }

    #[tokio::test]
    async fn an_erasure_whose_end_is_not_known_lets_nothing_be_kept_until_readers_follow() {
        let erasures = Erasures::default();
        drop(erasures.begin(&"org".into(), "logs").await);
        assert!(!may_keep(&erasures, "logs", erasures.mark()).await);
        let during = erasures.mark();
        erasures.settle(&"org".into(), "logs");
        assert!(!may_keep(&erasures, "logs", during).await);
        assert!(may_keep(&erasures, "logs", erasures.mark()).await);
        erasures.settle(&"org".into(), "logs");
        assert_eq!(erasures.mark(), during + 1, "nothing was open");
    }

    #[tokio::test]
    async fn a_deletion_of_a_dataset_that_is_given_up_leaves_nothing_open() {
        let erasures = Erasures::default();
        let before = erasures.mark();
        drop(erasures.begin_deletion(&"org".into(), "logs").await);
        assert!(!may_keep(&erasures, "logs", before).await);
        let during = erasures.mark();
        assert!(may_keep(&erasures, "logs", during).await);
        erasures.begin_deletion(&"org".into(), "logs").await.done();
        assert!(!may_keep(&erasures, "logs", during).await);
    }

    #[tokio::test]
    async fn nothing_is_erased_while_somebody_keeps_what_was_read() {
        let erasures = Erasures::default();
        let keeping = erasures.keep(&"org".into(), &["logs".to_owned()], 0).await.unwrap();
        let (org, name) = (OrgId::from("org"), "logs");
        let mut erasing = std::pin::pin!(erasures.begin(&org, name));
        assert!(futures_util::poll!(erasing.as_mut()).is_pending());
        drop(keeping);
        erasing.await.done();
    }

    #[tokio::test]
    async fn beyond_so_many_datasets_all_count_as_erased() {
        let erasures = Erasures::default();
        for number in 0..DATASETS_MAX {
            erasures.begin(&"org".into(), &number.to_string()).await.done();
        }
        let before = erasures.mark();
        assert!(may_keep(&erasures, "logs", 0).await);
        erasures.begin(&"org".into(), "one more").await.done();
        assert!(!may_keep(&erasures, "logs", before - 1).await);
        assert!(may_keep(&erasures, "logs", before).await);
        assert!(!may_keep(&erasures, "one more", before).await);
    }
}
