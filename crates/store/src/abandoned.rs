//! Deletes objects whose writing was given up: a process ended, or somebody stopped waiting, before the catalogue named
//! them. What an earlier process gave up goes only while all its events are known to be elsewhere: a catalogue that was
//! restored from a backup does not know what was published since, and then the object may hold the only copy.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use tidegauge_catalog::Catalog;
use tidegauge_model::DatasetId;

use crate::gc::{UNCOMMITTED_AGE, dataset_of};
use crate::intents::{GivenUp, Intents, Planned, Source};
use crate::orphaned_wal::is_deletion;
use crate::wal_batch::WalBatch;
use crate::{Result, Store};

/// What an earlier process gave up, while the WAL is read to see whether it still has the events.
#[derive(Debug)]
pub(crate) struct Inherited {
    given_up: Vec<GivenUp>,
    /// For each dataset with objects that are written from the WAL: from where to where, and how many requests were seen.
    seen: HashMap<DatasetId, Vec<SequenceRange>>,
    deleted: HashSet<DatasetId>,
}

#[derive(Debug)]
struct SequenceRange {
    first: u64,
    last: u64,
    requests: u64,
}

impl Inherited {
    pub(crate) fn of(intents: &Intents) -> Self {
        let given_up = intents.given_up();
        let mut seen: HashMap<DatasetId, Vec<SequenceRange>> = HashMap::new();
        for GivenUp { planned, .. } in &given_up {
            if let (Some(dataset), Source::Log { first, last, .. }) = (dataset(planned), &planned.source) {
                seen.entry(dataset).or_default().push(SequenceRange {
                    first: *first,
                    last: *last,
                    requests: 0,
                });
            }
        }
        Self { given_up, seen, deleted: HashSet::new() }
    }

    /// Called for each record of the WAL.
    pub(crate) fn see(&mut self, dataset: &DatasetId, sequence: u64, payload: &WalBatch) {
        if self.given_up.is_empty() {
            return;
        }
        if is_deletion(payload) {
            self.deleted.insert(dataset.clone());
        } else if payload.rows() > 0 {
            let ranges = self.seen.get_mut(dataset).into_iter().flatten();
            ranges
                .filter(|range| (range.first..=range.last).contains(&sequence))
                .for_each(|range| range.requests += 1);
        }
    }

    /// Forgets what was published, and spares what the WAL does not vouch for, or what a newer catalogue may know: who
    /// restores that one finds it. `flushed` says up to which sequence of the WAL that one belongs to a dataset's events
    /// are in segments.
    pub(crate) async fn judge(
        mut self,
        intents: &Intents,
        catalog: &Catalog,
        flushed: impl Fn(&DatasetId, u64) -> Option<u64>,
    ) -> Result<()> {
        let newest_commit = catalog.commit_sequence().await?;
        // Another process may have deleted them, of which this log says nothing.
        let named: BTreeSet<DatasetId> =
            self.given_up.iter().filter_map(|given_up| dataset(&given_up.planned)).collect();
        let named: Vec<DatasetId> = named.into_iter().collect();
        self.deleted.extend(catalog.deleted_datasets(&named).await?);
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
                    let is_same = |seen: &&SequenceRange| (seen.first, seen.last) == (*first, *last);
                    let seen = self.seen.get(&dataset).and_then(|seen| seen.iter().find(is_same));
                    let is_in_wal = seen.is_some_and(|seen| seen.requests == *requests);
                    match flushed(&dataset, *first) {
                        // What is before the mark is not read from the WAL any more.
                        Some(flushed) => is_in_wal && flushed < *first,
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
    /// the WAL vouched for it is written down before the WAL's events move on, because it will not do so again.
    pub(crate) async fn delete_inherited(&self) {
        let given_up = self.intents.given_up();
        if self.objects.is_local() {
            self.delete_given_up(given_up).await;
            self.settle_spared().await;
            return;
        }
        for given_up in given_up.iter().filter(|given_up| given_up.planned.source.is_wal()) {
            if let Err(error) = self.intents.abandon(given_up).await {
                let objects = &given_up.planned.objects;
                tracing::warn!(?objects, %error, "cannot write down that objects were not published");
            }
        }
    }

    /// Forgets the intents that were spared and whose objects are gone: nothing is left that may be the only copy.
    pub(crate) async fn settle_spared(&self) {
        for spared in self.intents.spared() {
            let planned = &spared.planned;
            let is_over = self.objects.is_local() || planned.is_older_than(UNCOMMITTED_AGE, self.now());
            // Where that cannot be told, it is told another time.
            if is_over && self.objects.has_any(&planned.objects).await.is_ok_and(|is_there| !is_there) {
                self.intents.settle(&spared);
            }
        }
    }

    /// Deletes the objects of intents that were given up, unless the catalogue has taken them; by now every dataset has
    /// followed the catalogue. Says how many objects were deleted. What cannot be deleted now is, the next time.
    pub(crate) async fn delete_given_up(&self, given_up: Vec<GivenUp>) -> usize {
        let mut deleted = 0;
        for given_up in given_up {
            match self.delete_uncommitted(&given_up).await {
                Ok(count) => deleted += count,
                Err(error) => {
                    let objects = &given_up.planned.objects;
                    tracing::warn!(?objects, %error, "cannot delete objects that were not published yet");
                }
            }
        }
        deleted
    }

    async fn delete_uncommitted(&self, given_up: &GivenUp) -> Result<usize> {
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
        let is_over = self.objects.is_local() || planned.is_older_than(UNCOMMITTED_AGE, self.now());
        let deleted = if is_over { self.delete_all_of(&unknown).await } else { Ok(0) };
        match deleted {
            Ok(count) if count > 0 => self.intents.settle(given_up),
            // It is certain what is to become of them, and the WAL need not stay for them until it is done.
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

    /// Whether the objects that these were to replace are there, and named by the catalogue, or nobody wants them.
    async fn are_sources_there(&self, planned: &Planned) -> Result<bool> {
        let Source::Objects(sources) = &planned.source else { return Ok(true) };
        let known = self.catalog.known_paths(sources).await?;
        if known.len() == sources.len() && self.objects.has_all(sources).await? {
            return Ok(true);
        }
        // Nor do they matter when their dataset is deleted.
        let gone = dataset(planned).filter(|dataset| self.dataset(dataset).is_none());
        Ok(!self.catalog.deleted_datasets(gone.as_slice()).await?.is_empty())
    }
}

/// The dataset that all objects of an intent are of.
fn dataset(planned: &Planned) -> Option<DatasetId> {
    planned.objects.first().and_then(|path| dataset_of(path))
}
