//! Reading a remote store through the object cache, where there is one, and telling the cache which objects are replaced,
//! deleted or damaged.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use hashbrown::HashSet;

use super::cache::{ObjectCache, ObjectCacheStats, RangeKey, object_number};
use super::{Objects, apart, cut_off};
use crate::disk::Disk;
use crate::{Error, Result};

/// Of an object that is no larger than this, the whole is fetched with whatever is asked for first: a second request would
/// take longer.
const WHOLE_BYTES_MAX: u64 = 256 << 10;

impl Objects {
    /// Caches ranges of a remote store in a folder of this machine, beginning with what an earlier process has left there of
    /// the objects with these numbers. Where nothing is to be cached, or nothing can be, nothing is left there.
    pub(crate) async fn with_cache(
        mut self,
        folder: PathBuf,
        bytes_max: u64,
        objects: impl FnOnce() -> HashSet<u128>,
    ) -> Result<Self> {
        let objects = (!self.is_local && bytes_max > 0).then(objects);
        let disk = Arc::clone(&self.disk);
        self.cache = apart(move || {
            let cache = objects.and_then(|objects| open(&folder, bytes_max, &disk, &objects));
            if cache.is_none() {
                clear(&folder);
            }
            remove_renamed(&folder);
            Ok(cache)
        })
        .await?;
        Ok(self)
    }

    pub(crate) fn cache_stats(&self) -> ObjectCacheStats {
        self.cache.as_ref().map(|cache| cache.stats()).unwrap_or_default()
    }

    /// Lets go of what is cached of an object that is not what was written: it is read from the store again.
    pub(crate) fn distrust(&self, path: &str) {
        if let Some(cache) = &self.cache {
            cache.distrust(object_number(path));
        }
    }

    /// Lets go of what is cached of objects that only those still read who began before.
    pub(crate) fn let_go_of_replaced<'a>(&self, paths: impl Iterator<Item = &'a str>) {
        if let Some(cache) = &self.cache {
            paths.for_each(|path| cache.let_go_of_replaced(object_number(path)));
        }
    }

    /// Lets go of what is cached of other objects than those with these numbers.
    pub(crate) async fn cache_only(&self, objects: impl FnOnce() -> HashSet<u128>) -> Result<()> {
        let Some(cache) = self.cache.clone() else { return Ok(()) };
        let objects = objects();
        apart(move || {
            cache.keep_only(&objects);
            Ok(())
        })
        .await
    }

    /// Lets go of what is cached of objects that are not in the store any more. Until that is done they count as there.
    pub(super) async fn let_go_of_deleted(&self, paths: &[&str]) -> Result<()> {
        let Some(cache) = self.cache.clone() else { return Ok(()) };
        let objects: Vec<u128> = paths.iter().map(|path| object_number(path)).collect();
        let work = move || objects.into_iter().try_for_each(|object| cache.let_go_of_deleted(object));
        apart(move || work().map_err(|source| Error::disk("delete cached ranges of objects", source))).await
    }

    pub(super) async fn get_cached(
        &self,
        cache: &Arc<ObjectCache>,
        path: &str,
        object_bytes: u64,
        range: Range<u64>,
    ) -> Result<Bytes> {
        let is_small = object_bytes <= WHOLE_BYTES_MAX && range.end <= object_bytes;
        let cached = if is_small { 0..object_bytes } else { range.clone() };
        let bytes = cache.get(RangeKey::new(path, &cached), self.fetch(path, cached.clone())).await?;
        let (start, end) = (range.start - cached.start, range.end - cached.start);
        Ok(bytes.slice(start as usize..end as usize))
    }

    pub(super) async fn get_all_cached(
        &self,
        cache: &Arc<ObjectCache>,
        path: &str,
        object_bytes: u64,
        ranges: &[Range<u64>],
    ) -> Result<Vec<Bytes>> {
        if object_bytes <= WHOLE_BYTES_MAX {
            let whole = self.get_cached(cache, path, object_bytes, 0..object_bytes).await?;
            let part = |range: &Range<u64>| {
                let is_there = range.end <= object_bytes;
                is_there.then(|| whole.slice(range.start as usize..range.end as usize))
            };
            return ranges.iter().map(|range| part(range).ok_or_else(|| cut_off(path))).collect();
        }
        let keys: Vec<RangeKey> = ranges.iter().map(|range| RangeKey::new(path, range)).collect();
        let fetch = move |missing: Vec<Range<u64>>| async move { self.fetch_all(path, &missing).await };
        cache.get_all(&keys, fetch).await
    }
}

fn open(
    folder: &Path,
    bytes_max: u64,
    disk: &Arc<dyn Disk>,
    objects: &HashSet<u128>,
) -> Option<Arc<ObjectCache>> {
    let opened = ObjectCache::open(folder, bytes_max, disk, objects);
    let warn = |error: &io::Error| {
        tracing::warn!(folder = %folder.display(), %error, "cannot open the object cache; objects are read without it");
    };
    opened.inspect_err(warn).ok()
}

/// Takes away a cache that is not used. Removing its files may take longer than this start has its lease for, so they are
/// only renamed here.
fn clear(folder: &Path) {
    let cleared = match fs::rename(folder, renamed(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // An earlier start has not come to the end of what it renamed.
        Err(_) => ObjectCache::clear(folder),
        Ok(()) => Ok(()),
    };
    if let Err(error) = cleared {
        tracing::warn!(folder = %folder.display(), %error, "cannot remove the object cache, which is not used");
    }
}

fn renamed(folder: &Path) -> PathBuf {
    folder.with_extension("gone")
}

/// Removes what `clear` has renamed, now or in an earlier start, while the start goes on.
fn remove_renamed(folder: &Path) {
    let gone = renamed(folder);
    if !gone.try_exists().unwrap_or(true) {
        return;
    }
    let warn = |gone: &Path, error: &io::Error| {
        tracing::warn!(folder = %gone.display(), %error, "cannot remove an object cache that is not used any more");
    };
    let own = gone.clone();
    let removal = move || ObjectCache::clear(&own).unwrap_or_else(|error| warn(&own, &error));
    if let Err(error) = thread::Builder::new().name("object-cache".to_owned()).spawn(removal) {
        warn(&gone, &error);
    }
}
