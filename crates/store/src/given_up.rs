//! Deletes objects whose writing was given up: a process ended, or somebody stopped waiting, before the catalogue named
//! them. An object goes only while all its events are known to be elsewhere: a catalogue that was restored from a backup
//! does not know what was published since, and then the object may hold the only copy.

use hashbrown::{HashMap, HashSet};
use tidegauge_catalog::Catalog;
use tidegauge_model::DatasetId;

use crate::frame::Frame;
use crate::intents::{GivenUp, Intents, Planned, Source};
use crate::objects::Objects;
use crate::sweep::dataset_of;
use crate::unclaimed::is_deletion;
use crate::{Result, Store};

/// What an earlier process gave up, while the log is read to see whether it still has the events.
#[derive(Debug)]
pub(crate) struct Leftover {
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

impl Leftover {
    pub(crate) fn read(intents: &Intents) -> Result<Self> {
        let given_up = intents.given_up()?;
        let mut seen: HashMap<DatasetId, Vec<Stretch>> = HashMap::new();
        for planned in given_up.iter().filter_map(|given_up| given_up.planned.as_ref()) {
            if let (Some(dataset), Source::Log { first, last, .. }) = (dataset(planned), &planned.source) {
                seen.entry(dataset).or_default().push(Stretch { first: *first, last: *last, requests: 0 });
            }
        }
        Ok(Self { given_up, seen, deleted: HashSet::new() })
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

    /// Forgets the intents whose objects may be the only copy of something. These are left to who restores the catalogue,
    /// and to the sweep.
    pub(crate) async fn spare_only_copies(self, catalog: &Catalog, objects: &Objects) -> Result<()> {
        for given_up in &self.given_up {
            let Some(planned) = &given_up.planned else { continue };
            if !self.is_elsewhere(planned, catalog, objects).await? {
                tracing::warn!(objects = ?planned.objects, "not deleting objects that may be the only copy");
                given_up.settle();
            }
        }
        Ok(())
    }

    async fn is_elsewhere(&self, planned: &Planned, catalog: &Catalog, objects: &Objects) -> Result<bool> {
        let Some(dataset) = dataset(planned) else { return Ok(false) };
        match &planned.source {
            Source::Objects(paths) => {
                let known = catalog.known_paths(paths).await?;
                Ok(known.len() == paths.len() && objects.has_all(paths).await?)
            }
            Source::Log { first, last, requests } => {
                let is_same = |seen: &Stretch| (seen.first, seen.last) == (*first, *last);
                let seen = self.seen.get(&dataset).and_then(|seen| seen.iter().find(|seen| is_same(seen)));
                Ok(self.deleted.contains(&dataset) || seen.is_some_and(|seen| seen.requests == *requests))
            }
        }
    }
}

impl Store {
    /// Deletes what an earlier process gave up. What cannot be deleted now is, when garbage is collected.
    pub(crate) async fn delete_leftover(&self) {
        let deleted = match self.intents.given_up() {
            Ok(given_up) => self.delete_given_up(&given_up).await,
            Err(error) => Err(error),
        };
        if let Err(error) = deleted {
            tracing::warn!(%error, "cannot delete objects that were not published; it is tried again");
        }
    }

    /// Deletes the objects of intents that were given up, unless the catalogue has taken them. The intents are from a
    /// moment before which no dataset is behind the catalogue. Says how many objects were deleted.
    pub(crate) async fn delete_given_up(&self, given_up: &[GivenUp]) -> Result<usize> {
        let mut deleted = 0;
        for given_up in given_up {
            if let Some(planned) = &given_up.planned {
                let known = self.catalog.known_paths(&planned.objects).await?;
                let unknown: Vec<&str> = planned
                    .objects
                    .iter()
                    .map(String::as_str)
                    .filter(|path| !known.contains(*path))
                    .collect();
                self.objects.delete(&unknown).await?;
                self.objects.delete_unfinished(&unknown).await?;
                deleted += unknown.len();
            }
            given_up.settle();
        }
        Ok(deleted)
    }
}

/// The dataset that all objects of an intent are of.
fn dataset(planned: &Planned) -> Option<DatasetId> {
    planned.objects.first().and_then(|path| dataset_of(path))
}
