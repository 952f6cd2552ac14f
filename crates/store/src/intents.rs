//! Writes down, on this machine's disk, which objects are about to be written. Were it not for that, a process that ends
//! before the catalogue names them would leave objects that nobody knows of, with events that somebody deletes later.
//! Taking such objects away is left to `given_up`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use tidegauge_model::ErrorKind;

use crate::log::{make_folder, sync_folder};
use crate::part::Logged;
use crate::{Error, Result};

/// Where the events of an object are as long as the catalogue does not name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// In the log: all requests of the dataset with events between two sequences, both included.
    Log { first: u64, last: u64, requests: u64 },
    /// In the objects that it takes the place of.
    Objects(Vec<String>),
}

impl Source {
    /// Of what is written from requests of the log, which are in the order of their sequences.
    pub(crate) fn of_log(logged: &[Arc<Logged>]) -> Self {
        Self::Log {
            first: logged.first().map_or(0, |logged| logged.sequence),
            last: logged.last().map_or(0, |logged| logged.sequence),
            requests: logged.iter().filter(|logged| logged.frame.rows() > 0).count() as u64,
        }
    }
}

/// Objects of one dataset that are published together or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Planned {
    pub(crate) objects: Vec<String>,
    pub(crate) source: Source,
}

/// All that is written down.
#[derive(Debug)]
pub(crate) struct Intents {
    folder: PathBuf,
    /// Those that somebody is at work on.
    active: Arc<Mutex<HashSet<PathBuf>>>,
}

/// What somebody is about to write, and to publish. Dropped without being settled, it is given up.
#[derive(Debug)]
pub(crate) struct Intent {
    file: PathBuf,
    active: Arc<Mutex<HashSet<PathBuf>>>,
}

/// An intent that nobody is at work on.
#[derive(Debug)]
pub(crate) struct GivenUp {
    file: PathBuf,
    /// Nothing if the machine stopped before it was written down whole; then no object was written either.
    pub(crate) planned: Option<Planned>,
}

impl Intents {
    pub(crate) fn open(folder: PathBuf) -> Result<Self> {
        make_folder(&folder).map_err(|source| Error::disk("make the folder of intents", source))?;
        Ok(Self { folder, active: Arc::default() })
    }

    /// Writes down what is about to be written. It is on the disk when this returns.
    pub(crate) async fn declare(&self, planned: Planned) -> Result<Intent> {
        let named = planned.objects.first().and_then(|path| Path::new(path).file_stem()?.to_str());
        let file = self.folder.join(format!("{}.json", named.unwrap_or_default()));
        lock(&self.active).insert(file.clone());
        let intent = Intent { file, active: Arc::clone(&self.active) };
        let file = intent.file.clone();
        tokio::task::spawn_blocking(move || write(&file, &planned))
            .await
            .map_err(|source| Error::caused(ErrorKind::Internal, "an intent was interrupted", source))??;
        Ok(intent)
    }

    /// What was given up, here or by an earlier process.
    pub(crate) fn given_up(&self) -> Result<Vec<GivenUp>> {
        let list = || -> io::Result<Vec<GivenUp>> {
            let mut found = Vec::new();
            for entry in std::fs::read_dir(&self.folder)? {
                let file = entry?.path();
                if !lock(&self.active).contains(&file) {
                    let planned = serde_json::from_slice(&std::fs::read(&file)?).ok();
                    found.push(GivenUp { file, planned });
                }
            }
            Ok(found)
        };
        list().map_err(|source| Error::disk("read the intents", source))
    }
}

impl Intent {
    /// Forgets it: its objects are published, or deleted.
    pub(crate) fn settle(&self) {
        remove(&self.file);
    }
}

impl Drop for Intent {
    fn drop(&mut self) {
        lock(&self.active).remove(&self.file);
    }
}

impl GivenUp {
    pub(crate) fn settle(&self) {
        remove(&self.file);
    }
}

/// The set is whole after a panic elsewhere: every change of it is one call.
fn lock(active: &Mutex<HashSet<PathBuf>>) -> std::sync::MutexGuard<'_, HashSet<PathBuf>> {
    active.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(file: &Path, planned: &Planned) -> Result<()> {
    let make = || -> io::Result<()> {
        let mut open = File::create(file)?;
        open.write_all(&serde_json::to_vec(planned)?)?;
        open.sync_all()
    };
    make().map_err(|source| {
        remove(file);
        Error::disk("write an intent", source)
    })?;
    sync_folder(file.parent().unwrap_or(Path::new(".")))
}

/// That it is gone need not be durable: one that comes back names objects that the catalogue knows, or that are gone.
fn remove(file: &Path) {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %file.display(), %error, "cannot delete an intent that is settled");
        }
        _ => {}
    }
}
