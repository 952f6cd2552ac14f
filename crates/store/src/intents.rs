//! Writes down, on this machine's disk, which objects are about to be written. Were it not for that, a process that ends
//! before the catalogue names them would leave objects that nobody knows of, with events that somebody deletes later.
//! Taking such objects away is left to `given_up`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use tidegauge_model::{ErrorKind, Timestamp};

use crate::buffered_batch::BufferedBatch;
use crate::disk::{Disk, make_folder_on, replace_file};
use crate::{Error, Result};

/// Where the events of an object are as long as the catalogue does not name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// In the WAL: all requests of the dataset with events between two sequences, both included.
    Log { first: u64, last: u64, requests: u64 },
    /// In the objects that it takes the place of.
    Objects(Vec<String>),
    /// It does not matter: it is certain that the object was not published, and never will be.
    Anywhere,
}

impl Source {
    /// Of what is written from requests of the WAL, which are in the order of their sequences.
    pub(crate) fn of_wal(batches: &[Arc<BufferedBatch>]) -> Self {
        Self::Log {
            first: batches.first().map_or(0, |batch| batch.sequence),
            last: batches.last().map_or(0, |batch| batch.sequence),
            requests: batches.iter().filter(|batch| batch.payload.rows() > 0).count() as u64,
        }
    }

    pub(crate) fn is_wal(&self) -> bool {
        matches!(self, Self::Log { .. })
    }
}

/// Objects of one dataset that are published together or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Planned {
    pub(crate) objects: Vec<String>,
    pub(crate) source: Source,
    /// The catalogue's newest commit by then. One that does not have it is an older copy, or another one.
    pub(crate) commit: u64,
    /// When, in microseconds since 1970.
    pub(crate) declared: i64,
}

impl Planned {
    /// Whether it was declared so long ago.
    pub(crate) fn is_older_than(&self, age: Duration, now: Timestamp) -> bool {
        Timestamp::from_micros(self.declared).plus(age) <= now
    }
}

/// All that is written down and not settled.
#[derive(Debug)]
pub(crate) struct Intents {
    folder: PathBuf,
    noted: Arc<Noting>,
}

/// What is noted, by the file that says it, and the disk that the files are on. In an order, so that all is done in the
/// same order again when it is done again.
#[derive(Debug)]
struct Noting {
    disk: Arc<dyn Disk>,
    by_file: Mutex<BTreeMap<PathBuf, Noted>>,
}

#[derive(Debug)]
struct Noted {
    planned: Planned,
    state: State,
    is_inherited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Somebody is at work on it.
    Active,
    GivenUp,
    /// Its objects may be the only copy of something. The next start looks at it again.
    Survivors,
}

/// What somebody is about to write, and to publish. Dropped without being settled, it is given up.
#[derive(Debug)]
pub(crate) struct Intent {
    file: PathBuf,
    noted: Arc<Noting>,
}

/// An intent that nobody is at work on.
#[derive(Clone, Debug)]
pub(crate) struct GivenUp {
    file: PathBuf,
    pub(crate) planned: Planned,
    /// Whether it is of an earlier process.
    pub(crate) is_inherited: bool,
}

impl Intents {
    /// Reads what an earlier process gave up.
    pub(crate) fn open(folder: PathBuf, disk: &Arc<dyn Disk>) -> Result<Self> {
        make_folder_on(&**disk, &folder)
            .map_err(|source| Error::disk("make the folder of intents", source))?;
        let noted = inherited(&**disk, &folder).map_err(|source| Error::disk("read the intents", source))?;
        let noted = Noting { disk: Arc::clone(disk), by_file: Mutex::new(noted) };
        Ok(Self { folder, noted: Arc::new(noted) })
    }

    /// Writes down what is about to be written. It is on the disk when this returns.
    pub(crate) async fn declare(&self, planned: Planned) -> Result<Intent> {
        let named = planned.objects.first().and_then(|path| Path::new(path).file_stem()?.to_str());
        let file = self.folder.join(format!("{}.json", named.unwrap_or_default()));
        let noted = Noted { planned: planned.clone(), state: State::Active, is_inherited: false };
        lock(&self.noted).insert(file.clone(), noted);
        let intent = Intent { file, noted: Arc::clone(&self.noted) };
        let written = write_apart(Arc::clone(&self.noted.disk), intent.file.clone(), planned).await;
        if written.is_err() {
            intent.settle();
        }
        written.map(|()| intent)
    }

    pub(crate) fn given_up(&self) -> Vec<GivenUp> {
        self.those(State::GivenUp)
    }

    /// Those whose objects are left alone in this life of the process.
    pub(crate) fn spared(&self) -> Vec<GivenUp> {
        self.those(State::Survivors)
    }

    fn those(&self, state: State) -> Vec<GivenUp> {
        let noted = lock(&self.noted);
        let those = noted.iter().filter(|(_, noted)| noted.state == state);
        those
            .map(|(file, noted)| GivenUp {
                file: file.clone(),
                planned: noted.planned.clone(),
                is_inherited: noted.is_inherited,
            })
            .collect()
    }

    pub(crate) fn settle(&self, given_up: &GivenUp) {
        settle(&self.noted, &given_up.file);
    }

    /// Writes down that its objects are not published and never will be, wherever their events are.
    pub(crate) async fn abandon(&self, given_up: &GivenUp) -> Result<()> {
        abandon(&self.noted, &given_up.file).await
    }

    /// Leaves its objects alone, in this life of the process.
    pub(crate) fn spare(&self, given_up: &GivenUp) {
        if let Some(noted) = lock(&self.noted).get_mut(&given_up.file) {
            noted.state = State::Survivors;
        }
    }

    /// All objects that are noted.
    pub(crate) fn objects(&self) -> HashSet<String> {
        lock(&self.noted).values().flat_map(|noted| noted.planned.objects.iter().cloned()).collect()
    }

    /// From which sequence on the WAL must stay: it says that objects are not the only copy of something.
    pub(crate) fn first_in_wal(&self) -> Option<u64> {
        let noted = lock(&self.noted);
        let kept = noted.values().filter(|noted| noted.state != State::Survivors);
        kept.filter_map(|noted| match noted.planned.source {
            Source::Log { first, .. } => Some(first),
            _ => None,
        })
        .min()
    }
}

impl Intent {
    /// Forgets it: its objects are published, or deleted.
    pub(crate) fn settle(&self) {
        settle(&self.noted, &self.file);
    }

    /// Writes down that its objects are not published and never will be, wherever their events are.
    pub(crate) async fn abandon(&self) {
        if let Err(error) = abandon(&self.noted, &self.file).await {
            tracing::warn!(path = %self.file.display(), %error, "cannot write down that objects are abandoned");
        }
    }
}

impl Drop for Intent {
    fn drop(&mut self) {
        if let Some(noted) = lock(&self.noted).get_mut(&self.file) {
            noted.state = State::GivenUp;
        }
    }
}

/// The map is whole after a panic elsewhere: every change of it is one step.
fn lock(noted: &Noting) -> MutexGuard<'_, BTreeMap<PathBuf, Noted>> {
    noted.by_file.lock().unwrap_or_else(PoisonError::into_inner)
}

fn inherited(disk: &dyn Disk, folder: &Path) -> io::Result<BTreeMap<PathBuf, Noted>> {
    let mut noted = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        match serde_json::from_slice(&std::fs::read(&file)?) {
            Ok(planned) => {
                noted.insert(file, Noted { planned, state: State::GivenUp, is_inherited: true });
            }
            // The machine stopped before it was written down whole, so no object was written either.
            Err(_) => remove(disk, &file),
        }
    }
    Ok(noted)
}

/// On the disk first: until then the WAL has to stay for the next process.
async fn abandon(noted: &Noting, file: &Path) -> Result<()> {
    let planned = lock(noted).get(file).map(|noted| noted.planned.clone());
    let Some(planned) = planned.filter(|planned| planned.source != Source::Anywhere) else { return Ok(()) };
    let disk = Arc::clone(&noted.disk);
    write_apart(disk, file.to_owned(), Planned { source: Source::Anywhere, ..planned }).await?;
    if let Some(noted) = lock(noted).get_mut(file) {
        noted.planned.source = Source::Anywhere;
    }
    Ok(())
}

async fn write_apart(disk: Arc<dyn Disk>, file: PathBuf, planned: Planned) -> Result<()> {
    let write = move || {
        let text = serde_json::to_vec(&planned).map_err(io::Error::from);
        text.and_then(|text| replace_file(&*disk, &file, &text))
            .map_err(|source| Error::disk("write an intent", source))
    };
    let interrupted =
        |source| Error::caused(ErrorKind::Internal, "the writing of an intent was interrupted", source);
    tokio::task::spawn_blocking(write).await.map_err(interrupted)?
}

/// That it is gone need not be durable: one that comes back is looked at as any other.
fn settle(noted: &Noting, file: &Path) {
    lock(noted).remove(file);
    remove(&*noted.disk, file);
}

fn remove(disk: &dyn Disk, file: &Path) {
    match disk.remove(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %file.display(), %error, "cannot delete an intent that is settled");
        }
        _ => {}
    }
}
