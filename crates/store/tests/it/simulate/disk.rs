//! The disk of a node: files of the operating system, beside a record of what of them is durable. When the power goes,
//! what is not durable is lost, as a whole or as chance has it, and the last write may be torn.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};

use tidegauge_store::{Disk, MachineDisk};

use super::dice::Dice;
use super::faults::{Fault, Sabotage, Verdict};
use super::world::Life;

/// A change of names in a folder that is not synced.
#[derive(Clone, Debug)]
enum NameChange {
    Made(PathBuf, u64),
    Renamed(PathBuf, PathBuf),
    Removed(PathBuf),
}

impl NameChange {
    fn is_in(&self, folder: &Path) -> bool {
        match self {
            Self::Made(path, _) | Self::Removed(path) => path.parent() == Some(folder),
            Self::Renamed(from, to) => from.parent() == Some(folder) || to.parent() == Some(folder),
        }
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, u64>) {
        match self {
            Self::Made(path, file) => {
                names.insert(path.clone(), *file);
            }
            Self::Removed(path) => {
                names.remove(path);
            }
            Self::Renamed(from, to) => {
                if let Some(file) = names.remove(from) {
                    names.insert(to.clone(), file);
                }
            }
        }
    }
}

/// What is durable of a node's files. Folders are, as soon as they are made.
#[derive(Debug, Default)]
pub(super) struct Durable {
    names_now: BTreeMap<PathBuf, u64>,
    names: BTreeMap<PathBuf, u64>,
    pending: Vec<NameChange>,
    bytes: BTreeMap<u64, Vec<u8>>,
    files: u64,
}

impl Durable {
    fn made(&mut self, path: &Path) {
        if !self.names_now.contains_key(path) {
            self.files += 1;
            self.names_now.insert(path.to_owned(), self.files);
            self.pending.push(NameChange::Made(path.to_owned(), self.files));
        }
    }

    fn synced(&mut self, path: &Path) {
        if let Some(file) = self.names_now.get(path) {
            self.bytes.insert(*file, std::fs::read(path).unwrap());
        }
    }

    fn change(&mut self, change: NameChange) {
        change.apply(&mut self.names_now);
        self.pending.push(change);
    }

    fn folder_synced(&mut self, folder: &Path) {
        let (durable, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|change| change.is_in(folder));
        durable.iter().for_each(|change| change.apply(&mut self.names));
        self.pending = rest;
    }

    /// The power goes, and comes back: the files are what was durable, and of the rest what chance leaves.
    pub(super) fn cut(&mut self, dice: &Dice) -> &'static str {
        let (keeps_names, keeps_bytes, how) = match dice.below(4) {
            0 => (0, 0, "nothing"),
            1 => (2, 0, "names"),
            2 => (0, 2, "bytes"),
            _ => (1, 1, "some"),
        };
        let is_kept = |of: u64| of == 2 || of == 1 && dice.one_in(2);
        for change in std::mem::take(&mut self.pending) {
            if is_kept(keeps_names) {
                change.apply(&mut self.names);
            }
        }
        let now: BTreeMap<u64, Vec<u8>> = self
            .names_now
            .iter()
            .map(|(path, file)| (*file, std::fs::read(path).unwrap_or_default()))
            .collect();
        for path in self.names_now.keys() {
            let _ = std::fs::remove_file(path);
        }
        for (path, file) in &self.names {
            let synced = self.bytes.remove(file).unwrap_or_default();
            let left = match now.get(file) {
                Some(now) if keeps_bytes == 1 => torn(&synced, now, dice),
                Some(now) if keeps_bytes == 2 => now.clone(),
                _ => synced,
            };
            std::fs::write(path, &left).unwrap();
            self.bytes.insert(*file, left);
        }
        self.names_now = self.names.clone();
        how
    }
}

/// Of bytes that were written and not synced: none, all, the first, or the last.
fn torn(synced: &[u8], now: &[u8], dice: &Dice) -> Vec<u8> {
    let differs = |at: &usize| synced.get(*at) != now.get(*at);
    let length = now.len().max(synced.len());
    let (Some(first), Some(last)) = ((0..length).find(differs), (0..length).rfind(differs)) else {
        return now.to_vec();
    };
    let cut = first + dice.below((last - first) as u64 + 1) as usize;
    let (before, behind) = match dice.below(4) {
        0 => return synced.to_vec(),
        1 => return now.to_vec(),
        2 => (now, synced),
        _ => (synced, now),
    };
    let byte = |at: usize| if at < cut { before.get(at) } else { behind.get(at) };
    // The length is there without the bytes, which are zeros then.
    (0..now.len()).map(|at| byte(at).copied().unwrap_or(0)).collect()
}

const TAKES_SPACE: [&str; 3] = ["create", "write", "rename"];

impl Life {
    /// Asks what becomes of a call, and does it or a part of it.
    fn on_disk<T>(&self, call: &str, path: &Path, done: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.on_disk_or_half(call, path, done, || ())
    }

    fn on_disk_or_half<T>(
        &self,
        call: &str,
        path: &Path,
        done: impl FnOnce() -> io::Result<T>,
        half: impl FnOnce(),
    ) -> io::Result<T> {
        let failed = || Err(io::Error::other("the simulated disk fails"));
        match self.enter(&format!("{call} {}", self.shown(path))) {
            Verdict::Go | Verdict::Pause => done(),
            Verdict::Dead | Verdict::Fail(Fault::Before | Fault::Late) => failed(),
            Verdict::Fail(Fault::After) => done().and_then(|_| failed()),
            Verdict::Fail(Fault::Half) => {
                half();
                failed()
            }
            // Only what takes space can find none.
            Verdict::Fail(Fault::Full) if TAKES_SPACE.contains(&call) => {
                self.world().note_full();
                Err(io::ErrorKind::StorageFull.into())
            }
            Verdict::Fail(Fault::Full) => failed(),
            Verdict::Fail(Fault::CrashBefore) => {
                self.die();
                failed()
            }
            Verdict::Fail(Fault::CrashAfter) => {
                let _ = done();
                self.die();
                failed()
            }
        }
    }
}

impl Disk for Life {
    fn create(&self, path: &Path, space: u64) -> io::Result<File> {
        self.on_disk("create", path, || {
            let file = MachineDisk.create(path, space)?;
            self.durable().made(path);
            Ok(file)
        })
    }

    fn write_at(&self, path: &Path, file: &File, slices: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        let write = |bytes: &[u8]| MachineDisk.write_at(path, file, &mut [IoSlice::new(bytes)], offset);
        self.on_disk_or_half("write", path, || write(&all), || drop(write(&all[..all.len() / 2])))
    }

    fn set_len(&self, path: &Path, file: &File, bytes: u64) -> io::Result<()> {
        self.on_disk("set the length of", path, || file.set_len(bytes))
    }

    fn sync_data(&self, path: &Path, _: &File) -> io::Result<()> {
        self.on_disk("sync", path, || {
            if self.world().sabotage != Some(Sabotage::Syncs) {
                self.durable().synced(path);
            }
            Ok(())
        })
    }

    fn sync_all(&self, path: &Path, file: &File) -> io::Result<()> {
        self.sync_data(path, file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.on_disk("rename", from, || {
            std::fs::rename(from, to)?;
            self.durable().change(NameChange::Renamed(from.to_owned(), to.to_owned()));
            Ok(())
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.on_disk("remove", path, || {
            std::fs::remove_file(path)?;
            self.durable().change(NameChange::Removed(path.to_owned()));
            Ok(())
        })
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.on_disk("sync folder", folder, || {
            if self.world().sabotage != Some(Sabotage::FolderSyncs) {
                self.durable().folder_synced(folder);
            }
            Ok(())
        })
    }
}
