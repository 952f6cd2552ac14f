//! A sync of the log that fails once: nobody knows then what the disk has of the bytes before it, and a later sync of the
//! same file says that all is well all the same. Whether the request is repeated or not, after a power cut all that was
//! acknowledged is there once, what was refused is not, and nothing is said to be damaged.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tidegauge_model::{Columns, ErrorKind};
use tidegauge_store::{Disk, MachineDisk, Store};

use crate::abandoned::{Work, begin, intents, is_there};
use crate::house::{House, START, events};

/// What becomes of the bytes whose sync has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The system forgets that they are still to be written: they never reach the disk.
    Forgotten,
    /// They reach the disk, whatever was said of them.
    Written,
    /// The same, and the file cannot be changed any more: they cannot be taken away.
    Stuck,
}

/// A change of a file that is not on the disk yet.
#[derive(Debug)]
enum Change {
    Bytes(u64, Vec<u8>),
    Length(u64),
}

/// A file of the log.
#[derive(Debug, Default)]
struct Kept {
    on_disk: Vec<u8>,
    waiting: Vec<Change>,
    is_stuck: bool,
}

impl Kept {
    fn reach_the_disk(&mut self) {
        for change in self.waiting.drain(..) {
            match change {
                Change::Length(bytes) => self.on_disk.resize(bytes as usize, 0),
                Change::Bytes(offset, bytes) => {
                    let (from, to) = (offset as usize, offset as usize + bytes.len());
                    self.on_disk.resize(self.on_disk.len().max(to), 0);
                    self.on_disk[from..to].copy_from_slice(&bytes);
                }
            }
        }
    }
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Kept>,
    /// Set when the next sync of a file of the log fails.
    fate: Option<Fate>,
}

/// A disk that knows what of the log is durable. Names are, as soon as they are made.
#[derive(Debug, Default)]
struct Forgetful(Mutex<State>);

impl Forgetful {
    fn fail_the_next_sync(&self, fate: Fate) {
        self.0.lock().unwrap().fate = Some(fate);
    }

    /// What a power cut would leave of the log now.
    fn left(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let state = self.0.lock().unwrap();
        state.files.iter().map(|(path, file)| (path.clone(), file.on_disk.clone())).collect()
    }

    /// Puts back what a power cut has left. What the store did to its files since then has not happened.
    fn come_back(&self, left: Vec<(PathBuf, Vec<u8>)>) {
        let mut state = self.0.lock().unwrap();
        *state = State::default();
        for (path, on_disk) in left {
            std::fs::write(&path, &on_disk).unwrap();
            state.files.insert(path, Kept { on_disk, ..Kept::default() });
        }
    }

    fn change(&self, path: &Path, change: Change) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let file = state.files.entry(path.to_owned()).or_default();
        if file.is_stuck {
            return Err(broken());
        }
        file.waiting.push(change);
        Ok(())
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let fate = state.fate.take();
        let file = state.files.entry(path.to_owned()).or_default();
        if file.is_stuck {
            return Err(broken());
        }
        let Some(fate) = fate else {
            file.reach_the_disk();
            return Ok(());
        };
        match fate {
            Fate::Forgotten => file.waiting.clear(),
            Fate::Written | Fate::Stuck => file.reach_the_disk(),
        }
        file.is_stuck = fate == Fate::Stuck;
        Err(broken())
    }
}

fn broken() -> io::Error {
    io::Error::other("the disk fails")
}

fn is_of_the_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "log")
}

impl Disk for Forgetful {
    fn create(&self, path: &Path, space: u64) -> io::Result<File> {
        let file = MachineDisk.create(path, space)?;
        if is_of_the_log(path) {
            let begun = Kept { waiting: vec![Change::Length(space)], ..Kept::default() };
            self.0.lock().unwrap().files.insert(path.to_owned(), begun);
        }
        Ok(file)
    }

    fn write_at(&self, path: &Path, file: &File, slices: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        if is_of_the_log(path) {
            let bytes = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
            self.change(path, Change::Bytes(offset, bytes))?;
        }
        MachineDisk.write_at(path, file, slices, offset)
    }

    fn set_len(&self, path: &Path, file: &File, bytes: u64) -> io::Result<()> {
        if is_of_the_log(path) {
            self.change(path, Change::Length(bytes))?;
        }
        MachineDisk.set_len(path, file, bytes)
    }

    fn sync_data(&self, path: &Path, file: &File) -> io::Result<()> {
        if is_of_the_log(path) { self.sync(path) } else { MachineDisk.sync_data(path, file) }
    }

    fn sync_all(&self, path: &Path, file: &File) -> io::Result<()> {
        if is_of_the_log(path) { self.sync(path) } else { MachineDisk.sync_all(path, file) }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.lock().unwrap().files.remove(path);
        MachineDisk.remove(path)
    }
}

fn event(number: i64) -> Columns {
    events(&[START * 1000 + number])
}

async fn live_through(fate: Fate, is_repeated: bool) {
    let case = format!("{fate:?}, repeated: {is_repeated}");
    let disk = Arc::new(Forgetful::default());
    let house = House::with(|settings| settings.disk = Arc::clone(&disk) as Arc<dyn Disk>).await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &event(1)).await;
    disk.fail_the_next_sync(fate);
    let refused = house.store.append(&dataset, Store::prepare(&event(2), house.receipt())).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable, "{case}");
    let mut expected = vec![1, 3, 4];
    if is_repeated {
        house.append(&dataset, &event(2)).await;
        expected.insert(1, 2);
    }
    house.append(&dataset, &event(3)).await;
    // The next record says that the one before it was on the disk, and with it all that stands before that in its file.
    house.append(&dataset, &event(4)).await;
    let before = house.rows(&id).await;
    let left = disk.left();
    let house = house.reopened_after(|| disk.come_back(left)).await;
    let rows = house.rows(&id).await;
    let mut numbers: Vec<i64> = rows.iter().map(|row| row.time - START * 1000).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, expected, "{case}");
    assert_eq!(rows, before, "{case}: a power cut changes nothing that was seen");
    assert!(house.store.damage().is_empty(), "{case}: {:?}", house.store.damage());
}

#[tokio::test]
async fn after_a_failed_sync_what_is_acknowledged_is_there_once_and_what_was_refused_is_not() {
    for fate in [Fate::Forgotten, Fate::Written, Fate::Stuck] {
        for is_repeated in [false, true] {
            live_through(fate, is_repeated).await;
        }
    }
}

/// A refused request whose bytes are whole in the log stands between those that were acknowledged: it is none of the
/// requests that the log must have for an object to go whose writing was given up.
#[tokio::test]
async fn an_object_that_was_given_up_goes_although_a_refused_request_is_in_the_log() {
    for fate in [Fate::Forgotten, Fate::Written, Fate::Stuck] {
        let disk = Arc::new(Forgetful::default());
        let house = House::with(|settings| settings.disk = Arc::clone(&disk) as Arc<dyn Disk>).await;
        let dataset = house.dataset("logs").await;
        house.append(&dataset, &event(1)).await;
        disk.fail_the_next_sync(fate);
        house.store.append(&dataset, Store::prepare(&event(2), house.receipt())).await.unwrap_err();
        house.append(&dataset, &event(3)).await;
        let written = begin(&house, dataset.id(), Work::Flush).await;
        let (before, left) = (house.rows(dataset.id()).await, disk.left());
        let house = house.reopened_after(|| disk.come_back(left)).await;
        assert!(!is_there(&written), "{fate:?}");
        assert_eq!(intents(&house), Vec::<PathBuf>::new(), "{fate:?}");
        assert_eq!(house.rows(dataset.id()).await, before, "{fate:?}");
        assert_eq!(before.len(), 2, "{fate:?}");
    }
}
