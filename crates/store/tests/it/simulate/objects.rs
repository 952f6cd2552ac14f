//! The object store of a history: a bucket in memory, on the clock of the history. Requests to it fail before or after
//! they are done, are done by half, or are done when nobody waits for them any more.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use tidegauge_model::{Clock, Timestamp};

use super::faults::{Fault, Sabotage, Verdict};
use super::world::Life;

#[derive(Debug, Default)]
pub(super) struct Bucket(Mutex<Objects>);

#[derive(Debug, Default)]
struct Objects {
    stored: BTreeMap<String, (Bytes, Timestamp)>,
    late: Vec<(String, Bytes)>,
}

impl Bucket {
    fn lock(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, path: &str, bytes: Bytes, now: Timestamp) {
        self.lock().stored.insert(path.to_owned(), (bytes, now));
    }

    /// What was still on its way arrives.
    pub(super) fn land(&self, now: Timestamp) -> usize {
        let late = std::mem::take(&mut self.lock().late);
        let count = late.len();
        late.into_iter().for_each(|(path, bytes)| self.put(&path, bytes, now));
        count
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.lock().stored.keys().cloned().collect()
    }

    fn meta(&self, path: &str) -> Option<(ObjectMeta, Bytes)> {
        let (bytes, modified) = self.lock().stored.get(path).cloned()?;
        let micros = u64::try_from(modified.as_micros()).unwrap_or(0);
        let meta = ObjectMeta {
            location: Path::from(path),
            last_modified: (UNIX_EPOCH + Duration::from_micros(micros)).into(),
            size: bytes.len() as u64,
            e_tag: None,
            version: None,
        };
        Some((meta, bytes))
    }
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

fn failed<T>() -> Result<T> {
    Err(Error::Generic { store: "simulated", source: "the simulated object store fails".into() })
}

fn missing(path: &str) -> Error {
    Error::NotFound { path: path.to_owned(), source: "no such object".into() }
}

impl Life {
    /// Asks what becomes of a request, and does it.
    async fn request<T>(&self, call: &str, path: &str, done: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.enter_and_wait(&format!("{call} {path}")).await {
            Verdict::Go | Verdict::Pause => done(),
            Verdict::Fail(Fault::After) => done().and_then(|_| failed()),
            Verdict::Fail(Fault::CrashBefore) | Verdict::Dead => self.die_and_never_answer().await,
            Verdict::Fail(Fault::CrashAfter) => {
                let _ = done();
                self.die_and_never_answer().await
            }
            Verdict::Fail(_) => failed(),
        }
    }

    async fn put_object(&self, path: &str, bytes: Bytes) -> Result<PutResult> {
        let (bucket, now) = (self.bucket(), self.world().clock.now());
        let stored = PutResult { e_tag: None, version: None };
        match self.enter_and_wait(&format!("put {path}")).await {
            Verdict::Go | Verdict::Pause => {
                if self.world().sabotage != Some(Sabotage::Puts) {
                    bucket.put(path, bytes, now);
                }
                Ok(stored)
            }
            Verdict::Fail(Fault::Half) => {
                bucket.put(path, bytes.slice(..bytes.len() / 2), now);
                failed()
            }
            // A file that could not be written is not written later.
            Verdict::Fail(Fault::Late) if !self.world().is_local => {
                bucket.lock().late.push((path.to_owned(), bytes));
                failed()
            }
            Verdict::Fail(Fault::After) => {
                bucket.put(path, bytes, now);
                failed()
            }
            Verdict::Fail(Fault::CrashBefore) | Verdict::Dead => self.die_and_never_answer().await,
            Verdict::Fail(Fault::CrashAfter) => {
                bucket.put(path, bytes, now);
                self.die_and_never_answer().await
            }
            Verdict::Fail(_) => failed(),
        }
    }

    fn get_object(&self, path: &str, options: &GetOptions) -> Result<GetResult> {
        let (meta, bytes) = self.bucket().meta(path).ok_or_else(|| missing(path))?;
        let whole = 0..meta.size;
        let range = match &options.range {
            Some(range) => range
                .as_range(meta.size)
                .map_err(|source| Error::Generic { store: "simulated", source: source.into() })?,
            None => whole,
        };
        let bytes = bytes.slice(range.start as usize..range.end as usize);
        let payload = GetResultPayload::Stream(futures_util::stream::iter([Ok(bytes)]).boxed());
        Ok(GetResult { payload, meta, range, attributes: Attributes::new() })
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a simulated object store")
    }
}

impl ObjectStore for Life {
    fn put_opts<'s, 'p, 'a>(
        &'s self,
        path: &'p Path,
        payload: PutPayload,
        _: PutOptions,
    ) -> Answer<'a, PutResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(async move { self.put_object(path.as_ref(), payload.into()).await })
    }

    fn put_multipart_opts<'s, 'p, 'a>(
        &'s self,
        _: &'p Path,
        _: PutMultipartOptions,
    ) -> Answer<'a, Box<dyn MultipartUpload>>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(async { failed() })
    }

    fn get_opts<'s, 'p, 'a>(&'s self, path: &'p Path, options: GetOptions) -> Answer<'a, GetResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            self.request("get", path.as_ref(), || self.get_object(path.as_ref(), &options)).await
        })
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let life = self.clone();
        paths
            .then(move |path| {
                let life = life.clone();
                async move {
                    let path = path?;
                    life.request("delete", path.as_ref(), || {
                        if life.world().sabotage != Some(Sabotage::Deletions) {
                            life.bucket().lock().stored.remove(path.as_ref());
                        }
                        Ok(())
                    })
                    .await?;
                    Ok(path)
                }
            })
            .boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let life = self.clone();
        let listing = async move {
            let bucket = life.bucket();
            let all = || Ok(bucket.paths().iter().filter_map(|path| Some(bucket.meta(path)?.0)).collect());
            let listed: Result<Vec<ObjectMeta>> = life.request("list", "", all).await;
            match listed {
                Ok(listed) => listed.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        };
        listing.map(futures_util::stream::iter).flatten_stream().boxed()
    }

    fn list_with_delimiter<'s, 'p, 'a>(&'s self, _: Option<&'p Path>) -> Answer<'a, ListResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(async { failed() })
    }

    fn copy_opts<'s, 'p, 't, 'a>(&'s self, _: &'p Path, _: &'t Path, _: CopyOptions) -> Answer<'a, ()>
    where
        's: 'a,
        'p: 'a,
        't: 'a,
        Self: 'a,
    {
        Box::pin(async { failed() })
    }
}
