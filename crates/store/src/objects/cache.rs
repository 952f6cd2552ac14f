//! The object cache: ranges of the objects of a remote store, on this machine's disk, up to a number of bytes. Those that
//! were used longest ago go first, those of objects that are gone go with them. What is here can be lost at any time: a
//! range that is not as it was written, or cannot be written, is fetched from the store.

mod file;
mod index;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hashbrown::{HashMap, HashSet};
use tokio::sync::watch;
use xxhash_rust::xxh3::xxh3_128;

use self::index::Index;
use crate::Result;
use crate::disk::Disk;

/// One range may take this part of all: it must not push out everything else.
const RANGE_SHARE: u64 = 8;

/// How much is let go when the disk is full: it is needed for what cannot be fetched from elsewhere.
const FREED_SHARE: u64 = 4;

/// So long one waits for another who fetches the same: it may be of a query that has no turn for long.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// A range of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RangeKey {
    object: u128,
    start: u64,
    end: u64,
}

impl RangeKey {
    pub(super) fn new(path: &str, range: &Range<u64>) -> Self {
        Self { object: object_number(path), start: range.start, end: range.end }
    }

    fn bytes(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// What stands for an object in the cache. Paths are made of generated ids, and none is used again.
pub(crate) fn object_number(path: &str) -> u128 {
    xxh3_128(path.as_bytes())
}

/// How much the cache holds, and how it was used since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectCacheStats {
    /// What its files take on the disk.
    pub bytes: u64,
    /// Ranges that were found, and those that were fetched from the store.
    pub hits: u64,
    pub misses: u64,
    /// Ranges whose file was not as it was written.
    pub damaged: u64,
}

/// The cached ranges.
#[derive(Debug)]
pub(super) struct ObjectCache {
    folder: PathBuf,
    disk: Arc<dyn Disk>,
    bytes_max: u64,
    wait_max: Duration,
    state: Mutex<State>,
    /// Whether the last range could not be written, which is told once.
    is_failing: AtomicBool,
    hits: AtomicU64,
    misses: AtomicU64,
    damaged: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    index: Index,
    /// What is being fetched, by whom, and who waits for it. Who is not named here any more does not cache what came.
    fetches: HashMap<RangeKey, (u64, watch::Receiver<()>)>,
    next_fetch: u64,
    /// Objects that are only read by who began before they were replaced. They are still in the store.
    replaced: HashSet<u128>,
}

/// A range that is being fetched, until it is in the cache or not to be.
#[derive(Debug)]
struct Fetch {
    cache: Arc<ObjectCache>,
    key: RangeKey,
    number: u64,
    /// Those who wait are told when it is dropped.
    _done: watch::Sender<()>,
}

impl ObjectCache {
    /// Opens a folder with what an earlier process has left of these objects; what it has of others goes.
    pub(super) fn open(
        folder: &Path,
        bytes_max: u64,
        disk: &Arc<dyn Disk>,
        objects: &HashSet<u128>,
    ) -> io::Result<Arc<Self>> {
        disk.create_folder(folder)?;
        let mut state = State::default();
        file::scan(&**disk, folder)?.into_iter().for_each(|key| state.index.insert(key));
        let cache = Self {
            folder: folder.to_owned(),
            disk: Arc::clone(disk),
            bytes_max,
            wait_max: WAIT_MAX,
            state: Mutex::new(state),
            is_failing: AtomicBool::new(false),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            damaged: AtomicU64::new(0),
        };
        cache.keep_only(objects);
        cache.evict_to(bytes_max);
        Ok(Arc::new(cache))
    }

    /// Removes a folder that is not used.
    pub(super) fn clear(folder: &Path) -> io::Result<()> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) fn stats(&self) -> ObjectCacheStats {
        ObjectCacheStats {
            bytes: self.state().index.bytes(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            damaged: self.damaged.load(Ordering::Relaxed),
        }
    }

    /// A range from the cache, or else from the store. Of those who ask for it at once, one fetches it.
    pub(super) async fn get(
        self: &Arc<Self>,
        key: RangeKey,
        fetch: impl Future<Output = Result<Bytes>>,
    ) -> Result<Bytes> {
        if let Some(bytes) = self.find(key) {
            return Ok(bytes);
        }
        let own = match self.begin(key) {
            Ok(own) => Some(own),
            Err(mut other) => {
                // It ends with an error, because nothing is ever sent. Where it brought nothing, this one fetches too.
                let _ = tokio::time::timeout(self.wait_max, other.changed()).await;
                if let Some(bytes) = self.find(key) {
                    return Ok(bytes);
                }
                None
            }
        };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let bytes = fetch.await?;
        if let Some(own) = own {
            own.keep(bytes.clone()).await;
        }
        Ok(bytes)
    }

    /// Several ranges of an object in their order. Those that are missing are fetched at once.
    pub(super) async fn get_all<F: Future<Output = Result<Vec<Bytes>>>>(
        self: &Arc<Self>,
        keys: &[RangeKey],
        fetch: impl FnOnce(Vec<Range<u64>>) -> F,
    ) -> Result<Vec<Bytes>> {
        let mut found: Vec<Option<Bytes>> = keys.iter().map(|key| self.find(*key)).collect();
        let missing: Vec<usize> = (0..keys.len()).filter(|at| found[*at].is_none()).collect();
        if !missing.is_empty() {
            self.misses.fetch_add(missing.len() as u64, Ordering::Relaxed);
            let own: Vec<Option<Fetch>> = missing.iter().map(|at| self.begin(keys[*at]).ok()).collect();
            let fetched = fetch(missing.iter().map(|at| keys[*at].start..keys[*at].end).collect()).await?;
            for ((at, bytes), own) in missing.into_iter().zip(fetched).zip(own) {
                if let Some(own) = own {
                    own.keep(bytes.clone()).await;
                }
                found[at] = Some(bytes);
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Lets go of all ranges of an object that was not what it should be, so that it is fetched when it is asked for again.
    pub(super) fn distrust(&self, object: u128) {
        self.state().forget(object);
        self.remove_folder_or_warn(object);
    }

    /// Lets go of an object that has been replaced. Who goes on reading it has it from the store.
    pub(super) fn let_go_of_replaced(&self, object: u128) {
        {
            let mut state = self.state();
            state.forget(object);
            state.replaced.insert(object);
        }
        self.remove_folder_or_warn(object);
    }

    /// Lets go of an object that is not in the store any more, whoever is fetching it.
    pub(super) fn let_go_of_deleted(&self, object: u128) -> io::Result<()> {
        {
            let mut state = self.state();
            state.forget(object);
            state.replaced.remove(&object);
        }
        self.remove_folder(object)
    }

    /// Lets go of all objects but these, also of those that could not be removed when they were let go of.
    pub(super) fn keep_only(&self, objects: &HashSet<u128>) {
        match file::objects(&self.folder) {
            Ok(cached) => {
                let others = cached.into_iter().filter(|object| !objects.contains(object));
                others.for_each(|object| self.distrust(object));
            }
            Err(error) => tracing::warn!(%error, "cannot look for cached objects that are gone"),
        }
    }

    /// A range that is in the cache, as it was written.
    fn find(&self, key: RangeKey) -> Option<Bytes> {
        if !self.state().index.touch(key) {
            return None;
        }
        match file::read(&self.folder, key) {
            Ok(bytes) => {
                self.hits.fetch_add(1, Ordering::Relaxed);
                Some(bytes.into())
            }
            Err(error) => {
                let path = file::path_of(&self.folder, key);
                self.state().index.remove(key);
                // It may have been let go of in between.
                if error.kind() != io::ErrorKind::NotFound {
                    self.damaged.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(path = %path.display(), %error, "a cached range of an object is damaged; it is fetched again");
                }
                // Or written again in between: what is not counted is not to stay.
                self.remove_file(&path);
                None
            }
        }
    }

    /// Begins to fetch a range, unless somebody is at it already.
    fn begin(self: &Arc<Self>, key: RangeKey) -> std::result::Result<Fetch, watch::Receiver<()>> {
        let mut state = self.state();
        if let Some((_, other)) = state.fetches.get(&key) {
            return Err(other.clone());
        }
        state.next_fetch += 1;
        let number = state.next_fetch;
        let (done, told) = watch::channel(());
        state.fetches.insert(key, (number, told));
        Ok(Fetch { cache: Arc::clone(self), key, number, _done: done })
    }

    fn evict_to(&self, bytes_max: u64) {
        let evicted = self.state().index.evict(bytes_max);
        evicted.into_iter().for_each(|key| self.remove_file(&file::path_of(&self.folder, key)));
    }

    fn remove_file(&self, path: &Path) {
        if let Err(error) = self.disk.remove(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %path.display(), %error, "cannot remove a cached range of an object");
        }
    }

    fn remove_folder(&self, object: u128) -> io::Result<()> {
        let folder = file::folder_of(&self.folder, object);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            match self.disk.remove(&entry?.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        // It goes only when it is empty: what is just being written is removed by who writes it.
        let _ = fs::remove_dir(&folder);
        Ok(())
    }

    fn remove_folder_or_warn(&self, object: u128) {
        if let Err(error) = self.remove_folder(object) {
            let folder = file::folder_of(&self.folder, object);
            tracing::warn!(folder = %folder.display(), %error, "cannot remove cached ranges of an object");
        }
    }

    fn note_written(&self, written: io::Result<()>) {
        let Err(error) = written else {
            if self.is_failing.swap(false, Ordering::Relaxed) {
                tracing::info!("ranges of objects are cached again");
            }
            return;
        };
        if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            let bytes = self.state().index.bytes();
            self.evict_to(bytes - bytes / FREED_SHARE);
        }
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "cannot cache ranges of objects; they are fetched from the object store each time");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets what is cached of an object, and that it is being fetched: what comes of that is not cached.
    fn forget(&mut self, object: u128) {
        self.index.remove_object(object);
        self.fetches.retain(|key, _| key.object != object);
    }

    fn is_wanted(&self, fetch: &Fetch) -> bool {
        let is_named = self.fetches.get(&fetch.key).is_some_and(|(number, _)| *number == fetch.number);
        is_named && !self.replaced.contains(&fetch.key.object)
    }
}

impl Fetch {
    /// Puts into the cache what came. If that fails, it is fetched the next time too.
    async fn keep(self, bytes: Bytes) {
        if file::disk_bytes(self.key) > self.cache.bytes_max / RANGE_SHARE {
            return;
        }
        // The disk may take its time, and others are not to wait for it.
        let _ = tokio::task::spawn_blocking(move || self.write(&bytes)).await;
    }

    fn write(&self, bytes: &[u8]) {
        if !self.cache.state().is_wanted(self) {
            return;
        }
        let (cache, disk) = (&*self.cache, &*self.cache.disk);
        let folder = file::folder_of(&cache.folder, self.key.object);
        let unfinished = folder.join(format!("{}.new", self.number));
        let written = disk
            .create_folder(&folder)
            .and_then(|()| file::leave_reserve(disk, &folder, self.key))
            .and_then(|()| file::write(disk, &unfinished, self.key, bytes))
            .and_then(|()| self.publish(&unfinished));
        if !matches!(written, Ok(true)) {
            let _ = disk.remove(&unfinished);
            // It goes only when it is empty.
            let _ = fs::remove_dir(&folder);
        }
        match written {
            // The object's folder went meanwhile, with the object.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            written => cache.note_written(written.map(|_| ())),
        }
        cache.evict_to(cache.bytes_max);
    }

    /// Gives a written file its name, unless the object was let go of meanwhile.
    fn publish(&self, unfinished: &Path) -> io::Result<bool> {
        let mut state = self.cache.state();
        if !state.is_wanted(self) {
            return Ok(false);
        }
        self.cache.disk.rename(unfinished, &file::path_of(&self.cache.folder, self.key))?;
        state.index.insert(self.key);
        Ok(true)
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        let mut state = self.cache.state();
        if state.fetches.get(&self.key).is_some_and(|(number, _)| *number == self.number) {
            state.fetches.remove(&self.key);
        }
    }
}
