//! Deletes objects whose writing was given up: a process ended, or somebody stopped waiting, before the catalogue named
//! them. What an earlier process gave up goes only while all its events are known to be elsewhere: a catalogue that was
//! restored from a backup does not know what was published since, and then the object may hold the only copy.

use hashbrown::{HashMap, HashSet};
use tidegauge_catalog::Catalog;
use tidegauge_model::DatasetId;

use crate::frame::Frame;
use crate::intents::{GivenUp, Intents, Planned, Source};
use crate::sweep::{UNPUBLISHED_AGE, dataset_of};
use crate::unclaimed::is_deletion;
use crate::{Result, Store};

/// What an earlier process gave up, while the log is read to see whether it still has the events.
#[derive(Debug)]
pub(crate) struct Inherited {
    given_up: Vec<GivenUp>,
    /// For each dataset with objects that are written from the log: from where to where, and how many requests were seen.
    seen: HashMap<DatasetId, Vec<Stretch>>,
    deleted: HashSet<DatasetId>,
}

#[derive(Debug)]
struct Stretch {
    first: u64,
    last: u64,
    requests: u64,
}

impl Inherited {
    pub(crate) fn of(intents: &Intents) -> Self {
        let given_up = intents.given_up();
        let mut seen: HashMap<DatasetId, Vec<Stretch>> = HashMap::new();
        for GivenUp { planned, .. } in &given_up {
            if let (Some(dataset), Source::Log { first, last, .. }) = (dataset(planned), &planned.source) {
                seen.entry(dataset).or_default().push(Stretch { first: *first, last: *last, requests: 0 });
            }
        }
        Self { given_up, seen, deleted: HashSet::new() }
    }

    /// Called for each record of the log.
    pub(crate) fn see(&mut self, dataset: &DatasetId, sequence: u64, frame: &Frame) {
        if self.given_up.is_empty() {
            return;
        }
        if is_deletion(frame) {
            self.deleted.insert(dataset.clone());
        } else if frame.rows() > 0 {
            let stretches = self.seen.get_mut(dataset).into_iter().flatten();
            stretches
                .filter(|stretch| (stretch.first..=stretch.last).contains(&sequence))
                .for_each(|stretch| stretch.requests += 1);
        }
    }

    /// Forgets what was published, and spares what the log does not vouch for, or what a newer catalogue may know: who
    /// restores that one finds it. `flushed` says up to which sequence of the log that one belongs to a dataset's events
    /// are in segments.
    pub(crate) async fn judge(
        self,
        intents: &Intents,
        catalog: &Catalog,
        flushed: impl Fn(&DatasetId, u64) -> Option<u64>,
    ) -> Result<()> {
        let newest_commit = catalog.commit_sequence().await?;
        for given_up in &self.given_up {
            let planned = &given_up.planned;
            if catalog.known_paths(&planned.objects).await?.len() == planned.objects.len() {
                intents.settle(given_up);
                continue;
            }
            let is_vouched_for = match &planned.source {
                Source::Anywhere => true,
                _ if planned.commit > newest_commit => false,
                // Looked at when they are to be deleted: the store that has them may be away now.
                Source::Objects(_) => true,
                Source::Log { first, last, requests } => dataset(planned).is_some_and(|dataset| {
                    let is_same = |seen: &&Stretch| (seen.first, seen.last) == (*first, *last);
                    let seen = self.seen.get(&dataset).and_then(|seen| seen.iter().find(is_same));
                    let is_logged = seen.is_some_and(|seen| seen.requests == *requests);
                    match flushed(&dataset, *first) {
                        // What is before the mark is not read from the log any more.
                        Some(flushed) => is_logged && flushed < *first,
                        None => self.deleted.contains(&dataset),
                    }
                }),
            };
            if !is_vouched_for {
                intents.spare(given_up);
            }
        }
        Ok(())
    }
}

impl Store {
    /// Deletes what an earlier process gave up, if that takes no long time. The rest goes with the first garbage; that
    /// the log vouched for it is written down before the log's events move on, because it will not do so again.
    pub(crate) async fn delete_inherited(&self) {
        let given_up = self.intents.given_up();
        if self.objects.is_local() {
            self.delete_given_up(given_up).await;
            return;
        }
        for given_up in given_up.iter().filter(|given_up| given_up.planned.source.is_log()) {
            if let Err(error) = self.intents.abandon(given_up).await {
                let objects = &given_up.planned.objects;
                tracing::warn!(?objects, %error, "cannot write down that objects were not published");
            }
        }
    }

    /// Deletes the objects of intents that were given up, unless the catalogue has taken them; by now every dataset has
    /// followed the catalogue. Says how many objects were deleted. What cannot be deleted now is, the next time.
    pub(crate) async fn delete_given_up(&self, given_up: Vec<GivenUp>) -> usize {
        let mut deleted = 0;
        for given_up in given_up {
            match self.delete_unpublished(&given_up).await {
                Ok(count) => deleted += count,
                Err(error) => {
                    let objects = &given_up.planned.objects;
                    tracing::warn!(?objects, %error, "cannot delete objects that were not published yet");
                }
            }
        }
        deleted
    }

    async fn delete_unpublished(&self, given_up: &GivenUp) -> Result<usize> {
        let planned = &given_up.planned;
        let known = self.catalog.known_paths(&planned.objects).await?;
        let unknown: Vec<&str> =
            planned.objects.iter().map(String::as_str).filter(|path| !known.contains(*path)).collect();
        if unknown.is_empty() {
            self.intents.settle(given_up);
            return Ok(0);
        }
        if given_up.is_inherited && !self.are_sources_there(planned).await? {
            tracing::warn!(objects = ?unknown, "not deleting objects that may be the only copy");
            self.intents.spare(given_up);
            return Ok(0);
        }
        // A request to a remote store may have ended for its sender alone, and be done there later.
        let is_over = self.objects.is_local() || planned.is_older_than(UNPUBLISHED_AGE, self.now());
        let deleted = if is_over { self.delete_all_of(&unknown).await } else { Ok(0) };
        match deleted {
            Ok(count) if count > 0 => self.intents.settle(given_up),
            // It is certain what is to become of them, and the log need not stay for them until it is done.
            _ => self.intents.abandon(given_up).await?,
        }
        deleted
    }

    /// Deletes what may be there of an object that could not be written, and that nothing is noted of.
    pub(crate) async fn delete_failed(&self, path: &str) {
        if let Err(error) = self.delete_all_of(&[path]).await {
            tracing::warn!(path, %error, "cannot delete an object that was not written whole");
        }
    }

    async fn delete_all_of(&self, objects: &[&str]) -> Result<usize> {
        self.objects.delete_unfinished(objects).await?;
        self.objects.delete(objects).await?;
        Ok(objects.len())
    }

    /// Whether the objects that these were to replace are there, and named by the catalogue.
    async fn are_sources_there(&self, planned: &Planned) -> Result<bool> {
        let Source::Objects(sources) = &planned.source else { return Ok(true) };
        let known = self.catalog.known_paths(sources).await?;
        Ok(known.len() == sources.len() && self.objects.has_all(sources).await?)
    }
}

/// The dataset that all objects of an intent are of.
fn dataset(planned: &Planned) -> Option<DatasetId> {
    planned.objects.first().and_then(|path| dataset_of(path))
}
