//! The object store that segments lie in: a folder of this machine, or a bucket of an S3-compatible service. What is
//! put here is durable when the call returns. That an object counts is told by the catalogue alone.

mod cache;
mod cached;
mod unfinished;

use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use hashbrown::{HashMap, HashSet};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ClientOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig};
use tidegauge_model::{ErrorKind, Timestamp};

use self::cache::ObjectCache;
use crate::disk::{Disk, make_folder_on, sync_folder};
use crate::{Error, Result};

pub use self::cache::ObjectCacheStats;
pub(crate) use self::cache::object_number;

/// Where segments are kept.
#[derive(Clone, Debug)]
pub enum ObjectLocation {
    Folder(PathBuf),
    /// Credentials come from the usual `AWS_…` variables, so that they are in no file and no log.
    S3(S3Location),
    /// One that is handed in, as tests do. It is as safe as a bucket: what is put there is durable when the call returns.
    Handed {
        store: Arc<dyn ObjectStore>,
        /// Whether a request that has ended for its sender has ended there too.
        is_local: bool,
    },
}

/// A bucket of an S3-compatible service.
#[derive(Clone, Debug, Default)]
pub struct S3Location {
    pub bucket: String,
    /// What every object's name begins with.
    pub prefix: String,
    /// The address of the service, if it is not AWS.
    pub endpoint: Option<String>,
    pub region: Option<String>,
}

/// The open object store.
#[derive(Debug)]
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    /// What the folder is on, if there is one.
    disk: Arc<dyn Disk>,
    folder: Option<PathBuf>,
    is_local: bool,
    prefix: String,
    /// Where outside readers find the objects.
    data_path: String,
    /// What was read of a remote store lately.
    cache: Option<Arc<ObjectCache>>,
}

/// One object as the store lists it.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) modified: Timestamp,
}

impl Objects {
    /// Opens them; what is done to a folder beside writing objects is done by the disk that is handed in.
    pub(crate) fn open(location: &ObjectLocation, disk: &Arc<dyn Disk>) -> Result<Self> {
        let disk = Arc::clone(disk);
        match location {
            ObjectLocation::Folder(folder) => Self::open_folder(folder, disk),
            ObjectLocation::S3(location) => Self::open_s3(location, disk),
            ObjectLocation::Handed { store, is_local } => Ok(Self {
                store: Arc::clone(store),
                disk,
                folder: None,
                is_local: *is_local,
                prefix: String::new(),
                data_path: "handed:/".to_owned(),
                cache: None,
            }),
        }
    }

    /// Objects that are in memory alone.
    #[cfg(feature = "testing")]
    pub(crate) fn in_memory() -> Self {
        let store = Arc::new(object_store::memory::InMemory::new());
        let (disk, prefix) = (Arc::new(crate::disk::MachineDisk), String::new());
        Self { store, disk, folder: None, is_local: true, prefix, data_path: String::new(), cache: None }
    }

    fn open_folder(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self> {
        let folder = make_folder_on(&*disk, folder)
            .and_then(|()| folder.canonicalize())
            .map_err(|source| Error::disk("make the folder of segments", source))?;
        let data_path = format!("{}/", folder.display());
        let store = Arc::new(LocalFileSystem::new_with_prefix(&folder)?);
        let (folder, prefix) = (Some(folder), String::new());
        Ok(Self { store, disk, folder, is_local: true, prefix, data_path, cache: None })
    }

    fn open_s3(location: &S3Location, disk: Arc<dyn Disk>) -> Result<Self> {
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(&location.bucket)
            .with_client_options(
                ClientOptions::new()
                    .with_allow_http(true)
                    .with_connect_timeout(Duration::from_secs(5))
                    .with_timeout(Duration::from_secs(60)),
            )
            .with_retry(RetryConfig {
                max_retries: 4,
                retry_timeout: Duration::from_secs(60),
                ..RetryConfig::default()
            });
        if let Some(endpoint) = &location.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(region) = &location.region {
            builder = builder.with_region(region);
        }
        let prefix = match location.prefix.trim_matches('/') {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let data_path = format!("s3://{}/{prefix}", location.bucket);
        let store = Arc::new(builder.build()?);
        Ok(Self { store, disk, folder: None, is_local: false, prefix, data_path, cache: None })
    }

    pub(crate) fn data_path(&self) -> &str {
        &self.data_path
    }

    pub(crate) async fn put(&self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.store.put(&self.named(path), PutPayload::from(bytes)).await.map_err(put_error)?;
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        let (disk, path) = (Arc::clone(&self.disk), path.to_owned());
        apart(move || sync_new_file(&*disk, &folder, &path)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Bytes> {
        Ok(self.store.get(&self.named(path)).await?.bytes().await?)
    }

    /// Some bytes of an object, of which it is said how long it is. From a folder they are read at once, in the thread that
    /// asks: such reads are short.
    pub(crate) async fn get_range(&self, path: &str, object_bytes: u64, range: Range<u64>) -> Result<Bytes> {
        match (&self.folder, &self.cache) {
            (Some(folder), _) => read_at(&open(&folder.join(path), path)?, path, &range),
            (None, Some(cache)) if !range.is_empty() => {
                self.get_cached(cache, path, object_bytes, range).await
            }
            (None, _) => self.fetch(path, range).await,
        }
    }

    /// Several stretches of an object, in their order. Of a remote one those that are near each other are fetched at once.
    pub(crate) async fn get_ranges(
        &self,
        path: &str,
        object_bytes: u64,
        ranges: &[Range<u64>],
    ) -> Result<Vec<Bytes>> {
        match (&self.folder, &self.cache) {
            (Some(folder), _) => {
                let file = open(&folder.join(path), path)?;
                ranges.iter().map(|range| read_at(&file, path, range)).collect()
            }
            (None, Some(cache)) if !ranges.iter().any(Range::is_empty) => {
                self.get_all_cached(cache, path, object_bytes, ranges).await
            }
            (None, _) => self.fetch_all(path, ranges).await,
        }
    }

    async fn fetch(&self, path: &str, range: Range<u64>) -> Result<Bytes> {
        let length = range.end.saturating_sub(range.start);
        let bytes = received(self.store.get_range(&self.named(path), range).await?);
        if bytes.len() as u64 != length {
            return Err(cut_off(path));
        }
        Ok(bytes)
    }

    async fn fetch_all(&self, path: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let read = self.store.get_ranges(&self.named(path), ranges).await?;
        let is_whole = read.len() == ranges.len()
            && read.iter().zip(ranges).all(|(bytes, range)| bytes.len() as u64 == range.end - range.start);
        if is_whole { Ok(read.into_iter().map(received).collect()) } else { Err(cut_off(path)) }
    }

    /// Whether objects are files of this machine, so that no request to them is done later than it ends.
    pub(crate) fn is_local(&self) -> bool {
        self.is_local
    }

    /// Deletes objects; those that are gone already are no error. Their names do not come back after a power cut.
    pub(crate) async fn delete(&self, paths: &[&str]) -> Result<()> {
        for path in paths {
            match self.store.delete(&self.named(path)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.let_go_of_deleted(paths).await?;
        self.in_folders_of(paths, |disk, folder, _| sync_folder(disk, folder)).await
    }

    /// Deletes what was written of objects that were never finished. The library does not list it.
    pub(crate) async fn delete_unfinished(&self, paths: &[&str]) -> Result<()> {
        self.in_folders_of(paths, unfinished::delete).await
    }

    /// The objects of which something was written that has not been touched since a time.
    pub(crate) async fn unfinished(&self, before: Timestamp) -> Result<Vec<String>> {
        let Some(folder) = self.folder.clone() else { return Ok(Vec::new()) };
        apart(move || unfinished::find(&folder, before)).await
    }

    /// Whether all of these are there.
    pub(crate) async fn has_all(&self, paths: &[String]) -> Result<bool> {
        for path in paths {
            if !self.has(path).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether any of these is there.
    pub(crate) async fn has_any(&self, paths: &[String]) -> Result<bool> {
        for path in paths {
            if self.has(path).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn has(&self, path: &str) -> Result<bool> {
        match self.store.head(&self.named(path)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Does something once for each folder that these objects lie in, with their names in it. A bucket has no folders.
    async fn in_folders_of(
        &self,
        paths: &[&str],
        work: fn(&dyn Disk, &Path, &HashSet<String>) -> Result<()>,
    ) -> Result<()> {
        let Some(root) = &self.folder else { return Ok(()) };
        let mut folders: HashMap<PathBuf, HashSet<String>> = HashMap::new();
        for path in paths {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            folders.entry(root.join(folder)).or_default().insert(name.to_owned());
        }
        let disk = Arc::clone(&self.disk);
        apart(move || {
            folders.iter().try_for_each(|(folder, names)| match folder.try_exists() {
                Ok(true) => work(&*disk, folder, names),
                // It has no names either.
                Ok(false) => Ok(()),
                Err(source) => Err(Error::disk("look for a folder of segments", source)),
            })
        })
        .await
    }

    pub(crate) async fn list(&self) -> Result<Vec<Listed>> {
        let root = ObjectPath::from(self.prefix.trim_end_matches('/'));
        let below = |meta: &ObjectMeta| {
            // The library writes odd characters of a prefix in its own way, so it takes it off as well.
            let parts: Vec<_> = meta.location.prefix_match(&root)?.collect();
            Some(parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/"))
        };
        let listed = self.store.list(Some(&root)).try_filter_map(|meta| {
            let modified = Timestamp::from_micros(meta.last_modified.timestamp_micros());
            let listed = below(&meta).map(|path| Listed { path, bytes: meta.size, modified });
            std::future::ready(Ok(listed))
        });
        Ok(listed.try_collect().await?)
    }

    fn named(&self, path: &str) -> ObjectPath {
        ObjectPath::from(format!("{}{path}", self.prefix))
    }
}

/// The disk may take its time, and others are not to wait for it.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|source| {
        Error::caused(ErrorKind::Internal, "the work on a folder was interrupted", source)
    })?
}

fn put_error(source: object_store::Error) -> Error {
    let is_full = std::iter::successors(Some(&source as &dyn std::error::Error), |error| error.source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::StorageFull);
    if is_full {
        return Error::caused(ErrorKind::StorageFull, "the disk is full: free space or add some", source);
    }
    if matches!(source, object_store::Error::NotFound { .. }) {
        let message = "there is no such bucket or folder for segments: make it, or mend the settings";
        return Error::caused(ErrorKind::Unavailable, message, source);
    }
    source.into()
}

fn open(file: &Path, path: &str) -> Result<std::fs::File> {
    std::fs::File::open(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let message = format!("the object {path} is missing from the store");
            Error::caused(ErrorKind::Corrupt, message, error)
        }
        _ => Error::disk(&format!("read the object {path}"), error),
    })
}

/// Bytes that the tasks of a remote store read: they are freed by whoever asked for them, who did not take them.
fn received(bytes: Bytes) -> Bytes {
    tidegauge_heap::received(bytes.len());
    bytes
}

fn read_at(file: &std::fs::File, path: &str, range: &Range<u64>) -> Result<Bytes> {
    let length = range.end.saturating_sub(range.start).try_into().map_err(|_| cut_off(path))?;
    let mut bytes = vec![0; length];
    match file.read_exact_at(&mut bytes, range.start) {
        Ok(()) => Ok(bytes.into()),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(cut_off(path)),
        Err(error) => Err(Error::disk(&format!("read the object {path}"), error)),
    }
}

fn cut_off(path: &str) -> Error {
    Error::corrupt(format!("the object {path} is shorter than it was: restore it from a backup"))
}

/// The library renames a finished file into place; its bytes and its name still have to reach the disk.
fn sync_new_file(disk: &dyn Disk, folder: &Path, path: &str) -> Result<()> {
    let file = folder.join(path);
    std::fs::File::open(&file)
        .and_then(|opened| disk.sync_all(&file, &opened))
        .map_err(|source| Error::disk("sync a segment", source))?;
    let mut parent = file.parent();
    while let Some(current) = parent.filter(|parent| parent.starts_with(folder)) {
        sync_folder(disk, current)?;
        parent = current.parent();
    }
    Ok(())
}
