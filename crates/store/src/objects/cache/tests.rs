//! Who fetches a range, what becomes of one whose object goes meanwhile, and which files are what was written.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use hashbrown::HashSet;
use tidegauge_model::ErrorKind;

use super::{ObjectCache, ObjectCacheStats, RangeKey, file};
use crate::disk::{Disk, MachineDisk};
use crate::{Error, Result};

const BYTES: &[u8] = b"what an object has";

/// A disk that has so many bytes left, whatever is written.
#[derive(Debug)]
struct Left(AtomicU64);

impl Disk for Left {
    fn free_bytes(&self, _folder: &Path) -> io::Result<u64> {
        Ok(self.0.load(Ordering::Relaxed))
    }
}

fn key(object: u128) -> RangeKey {
    RangeKey { object, start: 7, end: 7 + BYTES.len() as u64 }
}

fn open(folder: &Path, objects: &[u128]) -> Arc<ObjectCache> {
    let disk: Arc<dyn Disk> = Arc::new(MachineDisk);
    let objects: HashSet<u128> = objects.iter().copied().collect();
    ObjectCache::open(folder, 1 << 20, &disk, &objects).unwrap()
}

/// How many files there are, whatever they are.
fn files(folder: &Path) -> usize {
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    folders.map(|folder| fs::read_dir(folder).unwrap().count()).sum()
}

async fn fetched() -> Result<Bytes> {
    // Others ask meanwhile.
    tokio::task::yield_now().await;
    Ok(Bytes::from_static(BYTES))
}

async fn failed() -> Result<Bytes> {
    tokio::task::yield_now().await;
    Err(Error::new(ErrorKind::Unavailable, "the store is away"))
}

async fn nothing(_: Vec<Range<u64>>) -> Result<Vec<Bytes>> {
    failed().await.map(|bytes| vec![bytes])
}

#[tokio::test]
async fn of_those_who_ask_for_a_range_at_once_one_fetches_it() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    let fetches = AtomicU64::new(0);
    let fetch = || async {
        fetches.fetch_add(1, Ordering::Relaxed);
        fetched().await
    };
    let answers = join_all((0..8).map(|_| cache.get(key(1), fetch()))).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|bytes| bytes == BYTES)), "{answers:?}");
    assert_eq!(fetches.load(Ordering::Relaxed), 1);
    let stats = ObjectCacheStats { bytes: 4096, hits: 7, misses: 1, damaged: 0 };
    assert_eq!(cache.stats(), stats);
}

#[tokio::test]
async fn who_waits_for_one_that_fails_fetches_too() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    let (first, second) = tokio::join!(cache.get(key(1), failed()), cache.get(key(1), fetched()));
    assert_eq!(first.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(second.unwrap(), BYTES);
    assert_eq!(files(folder.path()), 0, "it was the first who could have cached it");
    assert_eq!(cache.get(key(1), fetched()).await.unwrap(), BYTES);
    assert_eq!(cache.get(key(1), failed()).await.unwrap(), BYTES, "it is cached");
}

#[tokio::test]
async fn several_ranges_are_found_or_fetched_together() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    let asked = [0, 100, 200].map(|start| RangeKey { object: 1, start, end: start + 2 });
    let of = |range: &Range<u64>| Bytes::from(vec![range.start as u8, 1]);
    cache.get(asked[1], async { Ok(of(&(100..102))) }).await.unwrap();
    let fetch = |missing: Vec<Range<u64>>| async move {
        assert_eq!(missing, [0..2, 200..202]);
        Ok::<Vec<Bytes>, Error>(missing.iter().map(of).collect())
    };
    let expected: Vec<Bytes> = [0..2, 100..102, 200..202].iter().map(of).collect();
    assert_eq!(cache.get_all(&asked, fetch).await.unwrap(), expected);
    assert_eq!(cache.get_all(&asked, nothing).await.unwrap(), expected, "all are there");
    assert_eq!((cache.stats().hits, cache.stats().misses), (1 + 3, 1 + 2));
}

#[tokio::test]
async fn an_object_that_goes_while_it_is_fetched_is_not_cached() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    let own = cache.begin(key(1)).unwrap();
    cache.let_go_of_deleted(1).unwrap();
    own.keep(Bytes::from_static(BYTES)).await;
    assert!(cache.find(key(1)).is_none());

    let own = cache.begin(key(2)).unwrap();
    cache.let_go_of_replaced(2);
    own.keep(Bytes::from_static(BYTES)).await;
    // Nor by who begins later, until nobody can ask for it any more.
    cache.begin(key(2)).unwrap().keep(Bytes::from_static(BYTES)).await;
    assert!(cache.find(key(2)).is_none());
    cache.let_go_of_deleted(2).unwrap();

    let own = cache.begin(key(3)).unwrap();
    cache.distrust(3);
    own.keep(Bytes::from_static(BYTES)).await;
    assert!(cache.find(key(3)).is_none());
    assert_eq!(files(folder.path()), 0);
    cache.begin(key(3)).unwrap().keep(Bytes::from_static(BYTES)).await;
    assert_eq!(cache.find(key(3)).unwrap(), BYTES, "what is fetched after it is as good as any");
    assert_eq!(cache.stats().damaged, 0);
}

#[tokio::test]
async fn objects_that_are_not_named_go_with_what_could_not_be_removed_before() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    for object in [1, 2] {
        cache.begin(key(object)).unwrap().keep(Bytes::from_static(BYTES)).await;
    }
    let left = file::folder_of(folder.path(), 3);
    fs::create_dir(&left).unwrap();
    fs::write(left.join("7-19"), "of another time").unwrap();
    cache.keep_only(&HashSet::from([1]));
    assert_eq!((files(folder.path()), fs::read_dir(folder.path()).unwrap().count()), (1, 1));
    assert_eq!(cache.find(key(1)).unwrap(), BYTES);
    assert!(cache.find(key(2)).is_none());
}

#[tokio::test]
async fn who_gives_up_leaves_the_range_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    let own = cache.begin(key(1)).unwrap();
    let mut other = cache.begin(key(1)).unwrap_err();
    drop(own);
    assert!(other.changed().await.is_err(), "who waits is told");
    assert!(cache.begin(key(1)).is_ok());
}

#[tokio::test]
async fn who_fetches_and_does_not_go_on_holds_up_nobody_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let mut cache = open(folder.path(), &[]);
    Arc::get_mut(&mut cache).unwrap().wait_max = Duration::ZERO;
    let own = cache.begin(key(1)).unwrap();
    assert_eq!(cache.get(key(1), fetched()).await.unwrap(), BYTES);
    assert_eq!(cache.stats().misses, 1);
    own.keep(Bytes::from_static(BYTES)).await;
    assert_eq!(cache.get(key(1), failed()).await.unwrap(), BYTES, "whoever is late caches it all the same");
}

#[tokio::test]
async fn the_last_of_the_disk_is_left_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let left = Arc::new(Left(AtomicU64::new(file::RESERVE_BYTES + 4096)));
    let disk = Arc::clone(&left) as Arc<dyn Disk>;
    let cache = ObjectCache::open(folder.path(), 1 << 20, &disk, &HashSet::new()).unwrap();
    for object in 1..=4 {
        cache.begin(key(object)).unwrap().keep(Bytes::from_static(BYTES)).await;
    }
    assert_eq!((files(folder.path()), cache.stats().bytes), (4, 4 * 4096));
    left.0.store(file::RESERVE_BYTES + 4095, Ordering::Relaxed);
    assert_eq!(cache.get(key(5), fetched()).await.unwrap(), BYTES, "it is read all the same");
    assert!(cache.find(key(5)).is_none());
    assert_eq!((files(folder.path()), cache.stats().bytes), (3, 3 * 4096), "and some room is given back");
    assert!(cache.find(key(1)).is_none(), "that of what was used longest ago");
}

#[test]
fn a_file_counts_only_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path_of(folder.path(), key(1));
    fs::create_dir(path.parent().unwrap()).unwrap();
    file::write(&MachineDisk, &path, key(1), BYTES).unwrap();
    assert_eq!(file::read(folder.path(), key(1)).unwrap(), BYTES);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&path, flipped).unwrap();
        assert!(file::read(folder.path(), key(1)).is_err(), "byte {at} is another one");
        fs::write(&path, &whole[..at]).unwrap();
        assert!(file::read(folder.path(), key(1)).is_err(), "cut off at {at}");
    }
    // One that stands where another should.
    let other = RangeKey { start: 8, end: 8 + BYTES.len() as u64, ..key(1) };
    fs::write(file::path_of(folder.path(), other), &whole).unwrap();
    assert!(file::read(folder.path(), other).is_err());
    fs::create_dir(file::folder_of(folder.path(), 2)).unwrap();
    fs::write(file::path_of(folder.path(), key(2)), &whole).unwrap();
    assert!(file::read(folder.path(), key(2)).is_err());
}

#[tokio::test]
async fn a_start_takes_over_whole_files_of_objects_that_are_there_and_removes_all_else() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), &[]);
    for object in [1, 2] {
        cache.begin(key(object)).unwrap().keep(Bytes::from_static(BYTES)).await;
    }
    let own = file::folder_of(folder.path(), 1);
    fs::write(own.join("3.new"), "unfinished").unwrap();
    fs::write(own.join("0-ffffffffffffffff"), "too long").unwrap();
    fs::write(own.join("9-7"), BYTES).unwrap();
    fs::write(own.join("+0-7"), [0_u8; 15]).unwrap();
    fs::write(folder.path().join("a file"), "of somebody").unwrap();
    fs::create_dir_all(folder.path().join("a folder/within")).unwrap();
    fs::create_dir(file::folder_of(folder.path(), 3)).unwrap();
    drop(cache);
    let cache = open(folder.path(), &[1, 4]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!((files(folder.path()), cache.stats().bytes), (1, 4096));
    assert_eq!(cache.find(key(1)).unwrap(), BYTES);
    assert!(cache.find(key(2)).is_none());
    drop(cache);
    ObjectCache::clear(folder.path()).unwrap();
    ObjectCache::clear(folder.path()).unwrap();
    assert!(!folder.path().try_exists().unwrap());
}
