//! The object cache: what was read of a bucket is read from the disk of this machine, also after a restart, and nothing
//! depends on it. Whatever becomes of its files, and wherever they cannot be written, the events are those that were sent.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use tidegauge_model::{DatasetId, ErrorKind, FieldKind};
use tidegauge_store::{Disk, MachineDisk, ObjectLocation, StoreSettings, StoredValue};

use crate::deletion::{chosen, times};
use crate::events::{Event, SECOND, columns_of};
use crate::house::{House, START, events};
use crate::through_blocks::{all_blocks, assert_blocks, value, values};

/// Of more than this an object is not fetched whole.
const LARGE_BYTES: u64 = 256 << 10;

/// A bucket in memory that notes what is read of it.
#[derive(Clone, Debug, Default)]
struct Bucket {
    objects: Arc<InMemory>,
    read: Arc<Mutex<Vec<String>>>,
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = object_store::Result<T>> + Send + 'a>>;

impl Bucket {
    /// What was read since this was asked last.
    fn take_read(&self) -> Vec<String> {
        std::mem::take::<Vec<String>>(&mut self.read.lock().unwrap())
    }

    /// Lets a store have its objects here, and cache what it reads of them.
    fn cached(&self, bytes_max: u64) -> impl FnOnce(&mut StoreSettings) + use<> {
        let store = Arc::new(self.clone());
        move |settings| {
            settings.objects = ObjectLocation::Handed { store, is_local: false };
            settings.object_cache_bytes = bytes_max;
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bucket in memory")
    }
}

impl ObjectStore for Bucket {
    fn put_opts<'s, 'p, 'a>(
        &'s self,
        path: &'p ObjectPath,
        payload: PutPayload,
        options: PutOptions,
    ) -> Answer<'a, PutResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.objects.put_opts(path, payload, options)
    }

    fn put_multipart_opts<'s, 'p, 'a>(
        &'s self,
        path: &'p ObjectPath,
        options: PutMultipartOptions,
    ) -> Answer<'a, Box<dyn MultipartUpload>>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.objects.put_multipart_opts(path, options)
    }

    fn get_opts<'s, 'p, 'a>(&'s self, path: &'p ObjectPath, options: GetOptions) -> Answer<'a, GetResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        if !options.head {
            self.read.lock().unwrap().push(format!("{path} {:?}", options.range));
        }
        Box::pin(async move {
            // Others ask meanwhile.
            tokio::task::yield_now().await;
            self.objects.get_opts(path, options).await
        })
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<ObjectPath>>,
    ) -> BoxStream<'static, object_store::Result<ObjectPath>> {
        self.objects.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&ObjectPath>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.objects.list(prefix)
    }

    fn list_with_delimiter<'s, 'p, 'a>(&'s self, prefix: Option<&'p ObjectPath>) -> Answer<'a, ListResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.objects.list_with_delimiter(prefix)
    }

    fn copy_opts<'s, 'p, 't, 'a>(
        &'s self,
        from: &'p ObjectPath,
        to: &'t ObjectPath,
        options: CopyOptions,
    ) -> Answer<'a, ()>
    where
        's: 'a,
        'p: 'a,
        't: 'a,
        Self: 'a,
    {
        self.objects.copy_opts(from, to, options)
    }
}

/// A disk that has no room for the cache when it is told so.
#[derive(Debug, Default)]
struct Full(AtomicBool);

impl Disk for Full {
    fn write_at(&self, path: &Path, file: &File, slices: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        let is_cache = path.components().any(|part| part.as_os_str() == "object-cache");
        if is_cache && self.0.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        MachineDisk.write_at(path, file, slices, offset)
    }
}

/// The folders of objects in the cache, and the files in them.
fn cached(house: &House) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let within = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let folders = within(&house.folder.path().join("object-cache"));
    let files = folders.iter().flat_map(|folder| within(folder)).collect();
    (folders, files)
}

/// A dataset with some small segments.
async fn small(house: &House, segments: i64) -> DatasetId {
    let dataset = house.dataset("small").await;
    for segment in 0..segments {
        house.append(&dataset, &events(&times(segment * 10, 10))).await;
        house.flush(dataset.id()).await;
    }
    dataset.id().clone()
}

/// Texts that hardly get smaller, so that an object is not fetched whole.
async fn large(house: &House) -> DatasetId {
    let dataset = house.dataset("large").await;
    let mixed = |row: u64| {
        let mixed = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let event = |row: u64| {
        let text = format!("{:016x}{:016x}", mixed(row), mixed(row + 1_000_000));
        let fields = [("name", StoredValue::String(text)), ("n", StoredValue::Integer(row as i64))];
        let fields = fields.map(|(field, value)| (field.to_owned(), value));
        Event::new(START * 1000 + row as i64 * SECOND / 1000, fields)
    };
    house.append(&dataset, &columns_of(&(0..30_000).map(event).collect::<Vec<_>>())).await;
    house.flush(dataset.id()).await;
    let live = house.catalog.live_segments(dataset.id()).await.unwrap();
    assert!(live.iter().all(|segment| segment.bytes > LARGE_BYTES), "{live:?}");
    dataset.id().clone()
}

/// Two fields of all events, and of some by themselves.
async fn read(house: &House, id: &DatasetId) -> Vec<Option<StoredValue>> {
    let mut read = Vec::new();
    for block in all_blocks(&house.store, id).await.blocks {
        for (field, kind) in [("n", FieldKind::Integer), ("name", FieldKind::String)] {
            let some = block.column_at(field, kind, &[3, 5]).await.unwrap().unwrap();
            read.extend((0..2).map(|row| value(&some, kind, row)));
            read.extend(values(&block.column(field, kind).await.unwrap().unwrap(), kind));
        }
    }
    read
}

#[tokio::test]
async fn what_was_read_of_a_bucket_is_read_from_the_disk_also_after_a_restart() {
    let bucket = Bucket::default();
    let house = House::with(bucket.cached(64 << 20)).await;
    let (small, large) = (small(&house, 3).await, large(&house).await);
    let before = [house.rows(&small).await, house.rows(&large).await];
    bucket.take_read();
    let seen = read(&house, &large).await;
    let fetched = bucket.take_read();
    assert!(fetched.len() > 2, "of a large object only what is asked for: {fetched:?}");
    assert_blocks(&house.store, &small, &before[0], "first").await;
    assert_eq!(bucket.take_read().len(), 3, "a small object is fetched at once");

    assert_eq!(read(&house, &large).await, seen);
    assert_blocks(&house.store, &small, &before[0], "again").await;
    let house = house.reopened().await;
    bucket.take_read();
    assert_eq!(read(&house, &large).await, seen);
    assert_blocks(&house.store, &small, &before[0], "after a restart").await;
    assert_eq!(bucket.take_read(), Vec::<String>::new());
    let stats = house.store.stats().object_cache;
    assert_eq!((stats.misses, stats.damaged), (0, 0));
    assert!(stats.hits > 3 && stats.bytes > 3 * 4096, "{stats:?}");
    assert_eq!([house.rows(&small).await, house.rows(&large).await], before);
    bucket.take_read();
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
    assert!(!bucket.take_read().is_empty(), "a check reads the bucket itself");
}

#[tokio::test]
async fn those_who_ask_for_the_same_fetch_it_once() {
    let bucket = Bucket::default();
    let house = House::with(bucket.cached(64 << 20)).await;
    let id = small(&house, 3).await;
    bucket.take_read();
    let asked = join_all((0..5).map(|_| all_blocks(&house.store, &id))).await;
    assert!(asked.iter().all(|blocks| blocks.blocks.len() == 3));
    assert_eq!(bucket.take_read().len(), 3);
}

#[tokio::test]
async fn a_damaged_range_is_read_from_the_bucket_again() {
    let bucket = Bucket::default();
    let mut house = House::with(bucket.cached(64 << 20)).await;
    let id = large(&house).await;
    let seen = read(&house, &id).await;
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 4] = [
        ("a flipped byte", |bytes| bytes[3] ^= 1),
        ("another checksum", |bytes| *bytes.last_mut().unwrap() ^= 1),
        ("torn", |bytes| bytes.truncate(bytes.len() / 2)),
        ("zeroes", |bytes| bytes.fill(0)),
    ];
    for (what, damage) in damages {
        // A file that is torn is noticed at a start too, and the others when they are read.
        for is_restarted in [false, true] {
            let (_, files) = cached(&house);
            assert!(files.len() > 2, "{what}");
            for file in &files {
                let mut bytes = fs::read(file).unwrap();
                damage(&mut bytes);
                fs::write(file, bytes).unwrap();
            }
            if is_restarted {
                house = house.reopened().await;
            }
            bucket.take_read();
            assert_eq!(read(&house, &id).await, seen, "{what}");
            assert!(!bucket.take_read().is_empty(), "{what}");
            assert!(is_restarted || house.store.stats().object_cache.damaged > 0, "{what}");
            assert_eq!(read(&house, &id).await, seen, "{what}");
            assert_eq!(bucket.take_read(), Vec::<String>::new(), "{what}: it is cached again");
            house = house.reopened().await;
            assert_eq!(read(&house, &id).await, seen, "{what}");
        }
    }
}

/// Reads each column that the small segments have.
async fn readable(house: &House, id: &DatasetId) -> Result<(), ErrorKind> {
    let kind = |error: tidegauge_store::Error| error.kind();
    let snapshot = house.store.dataset(id).unwrap().snapshot();
    for block in house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.map_err(kind)?.blocks {
        block.times().await.map_err(kind)?;
        block.arrivals().await.map_err(kind)?;
        block.sequences().await.map_err(kind)?;
        block.indexes().await.map_err(kind)?;
        for (field, of) in [("n", FieldKind::Integer), ("n", FieldKind::Float), ("name", FieldKind::String)] {
            block.column(field, of).await.map_err(kind)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_object_that_was_damaged_in_the_bucket_is_read_again_when_it_is_restored() {
    for is_footer in [false, true] {
        let bucket = Bucket::default();
        let house = House::with(bucket.cached(64 << 20)).await;
        let id = small(&house, 1).await;
        let before = house.rows(&id).await;
        let live = house.catalog.live_segments(&id).await.unwrap();
        let path = ObjectPath::from(live[0].path.as_str());
        let whole = bucket.objects.get(&path).await.unwrap().bytes().await.unwrap().to_vec();
        let mut damaged = whole.clone();
        // Columns come first, the footer last.
        damaged[if is_footer { whole.len() - 20 } else { 100 }] ^= 1;
        bucket.objects.put(&path, PutPayload::from(damaged)).await.unwrap();
        assert_eq!(readable(&house, &id).await, Err(ErrorKind::Corrupt));
        bucket.objects.put(&path, PutPayload::from(whole)).await.unwrap();
        assert_eq!(readable(&house, &id).await, Ok(()));
        assert_blocks(&house.store, &id, &before, "restored").await;
        assert_eq!(house.store.stats().object_cache.damaged, 0, "the cache was not");
    }
}

#[tokio::test]
async fn the_cache_has_an_end() {
    let bucket = Bucket::default();
    let house = House::with(bucket.cached(64 << 20)).await;
    let id = small(&house, 40).await;
    assert_eq!(all_blocks(&house.store, &id).await.blocks.len(), 40);
    let half = house.store.stats().object_cache.bytes / 2;
    let fits = |house: &House| {
        let (_, files) = cached(house);
        let on_disk: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let stats = house.store.stats().object_cache;
        assert!(on_disk <= stats.bytes && stats.bytes <= half, "{on_disk} {half} {stats:?}");
        files.len()
    };
    let house = house.reopened_with(|settings| settings.object_cache_bytes = half).await;
    let left = fits(&house);
    assert!((10..40).contains(&left), "{left}");
    bucket.take_read();
    assert_eq!(all_blocks(&house.store, &id).await.blocks.len(), 40);
    assert!(bucket.take_read().len() >= 40 - left, "what has gone is fetched");
    assert!((10..40).contains(&fits(&house)));

    // Where a range would take more than an eighth of the cache it is read all the same.
    let house = house.reopened_with(|settings| settings.object_cache_bytes = 4095).await;
    let before = house.rows(&id).await;
    assert_blocks(&house.store, &id, &before, "hardly a cache").await;
    assert_eq!((fits(&house), house.store.stats().object_cache.bytes), (0, 0));
}

#[tokio::test]
async fn what_is_cached_of_deleted_events_goes_at_once_and_does_not_come_back() {
    let bucket = Bucket::default();
    let house = House::with(bucket.cached(64 << 20)).await;
    let id = small(&house, 2).await;
    let before = house.rows(&id).await;
    assert_blocks(&house.store, &id, &before, "before").await;
    let (folders, _) = cached(&house);
    assert_eq!(folders.len(), 2);
    // Somebody who began before goes on reading.
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    let (doomed, left) = chosen(&before, |at| at == 4);
    house.store.delete_rows(&house.store.dataset(&id).unwrap(), doomed).await.unwrap();
    assert_eq!(cached(&house).0.len(), 1, "that of the other segment");
    bucket.take_read();
    let blocks = house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap().blocks;
    for block in &blocks {
        assert_eq!(block.times().await.unwrap().len(), 10);
    }
    assert!(!bucket.take_read().is_empty(), "from the bucket");
    assert_eq!(cached(&house).0.len(), 1);
    assert_blocks(&house.store, &id, &left, "after").await;
    let gone: Vec<&PathBuf> = folders.iter().filter(|folder| !folder.try_exists().unwrap()).collect();
    assert_eq!((gone.len(), cached(&house).0.len()), (1, 2));
    house.advance(Duration::from_secs(7200));
    assert!(house.store.collect_garbage().await.unwrap() >= 1);
    assert!(!gone[0].try_exists().unwrap());

    // A dataset goes with all it has.
    house.delete_dataset("small").await;
    house.store.remove(&id);
    assert_eq!(cached(&house), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_start_removes_what_is_cached_of_objects_that_are_gone() {
    let bucket = Bucket::default();
    let house = House::with(bucket.cached(64 << 20)).await;
    let id = small(&house, 2).await;
    let before = house.rows(&id).await;
    assert_blocks(&house.store, &id, &before, "before").await;
    let folder = house.folder.path().join("object-cache");
    let copy = house.folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    let copied = |from: &Path, to: &Path| {
        for object in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
            let into = to.join(object.file_name().unwrap());
            fs::create_dir_all(&into).unwrap();
            for file in fs::read_dir(&object).unwrap().map(|entry| entry.unwrap().path()) {
                fs::copy(&file, into.join(file.file_name().unwrap())).unwrap();
            }
        }
    };
    copied(&folder, &copy);
    let (doomed, left) = chosen(&before, |at| at < 12);
    house.store.delete_rows(&house.store.dataset(&id).unwrap(), doomed).await.unwrap();
    // As after a power cut, which brings names back, or where another process has deleted the events meanwhile.
    let house = house.reopened_after(|| copied(&copy, &folder)).await;
    assert_eq!(cached(&house), (Vec::new(), Vec::new()));
    assert_blocks(&house.store, &id, &left, "after").await;

    // Without a cache nothing is left of it either.
    assert_eq!(cached(&house).0.len(), 1);
    let house = house.reopened_with(|settings| settings.object_cache_bytes = 0).await;
    assert!(!folder.try_exists().unwrap());
    assert_blocks(&house.store, &id, &left, "without a cache").await;
    assert_eq!(house.store.stats().object_cache, Default::default());
}

#[tokio::test]
async fn a_full_disk_costs_the_cache_and_nothing_else() {
    let bucket = Bucket::default();
    let disk = Arc::new(Full::default());
    let house = House::with(|settings| {
        settings.disk = Arc::clone(&disk) as Arc<dyn Disk>;
        bucket.cached(64 << 20)(settings);
    })
    .await;
    let id = small(&house, 4).await;
    let before = house.rows(&id).await;
    assert_blocks(&house.store, &id, &before, "cached").await;
    assert_eq!(cached(&house).1.len(), 4);
    disk.0.store(true, Ordering::Relaxed);
    house.append(&house.store.dataset(&id).unwrap(), &events(&times(100, 10))).await;
    house.flush(&id).await;
    let more = house.rows(&id).await;
    assert_eq!(more.len(), 50);
    bucket.take_read();
    assert_blocks(&house.store, &id, &more, "full").await;
    assert!(!bucket.take_read().is_empty());
    assert!(cached(&house).1.len() < 4, "it makes room for what cannot be fetched from elsewhere");
    disk.0.store(false, Ordering::Relaxed);
    assert_blocks(&house.store, &id, &more, "room again").await;
    assert_eq!(cached(&house).1.len(), 5);
}

#[tokio::test]
async fn objects_of_this_machine_are_not_cached() {
    let house = House::with(|settings| settings.object_cache_bytes = 64 << 20).await;
    let id = small(&house, 2).await;
    let before = house.rows(&id).await;
    assert_blocks(&house.store, &id, &before, "in a folder").await;
    let folder = house.folder.path().join("object-cache");
    assert!(!folder.try_exists().unwrap());
    assert_eq!(house.store.stats().object_cache, Default::default());
    // What is left from when they were elsewhere goes.
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("old"), "something").unwrap();
    // And what a start has not come to the end of.
    let gone = house.folder.path().join("object-cache.gone");
    fs::create_dir(&gone).unwrap();
    fs::write(gone.join("older"), "something").unwrap();
    let house = house.reopened().await;
    assert!(!folder.try_exists().unwrap());
    while gone.try_exists().unwrap() {
        tokio::task::yield_now().await;
    }
    assert_blocks(&house.store, &id, &before, "after a restart").await;
}
