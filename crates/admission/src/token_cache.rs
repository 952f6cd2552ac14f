//! Remembers for a moment who a token belongs to, because looking it up costs as much as a disk sync. Every change that
//! this process makes to the catalogue, figures of use aside, ends the memory at once; one by another process is noticed
//! after a quarter of a second. A token that is in use is looked up again before that, and no request waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegauge_catalog::bearer::Bearer;
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{OrgId, Timestamp};

use crate::cached::{Cached, Source, or_read};

/// How long a look-up counts, in microseconds.
const CACHED_MICROS: i64 = 250_000;

/// How many are remembered.
const TOKENS_MAX: usize = 10_000;

/// Tokens that were looked up a moment ago.
#[derive(Debug, Default)]
pub struct TokenCache(Mutex<HashMap<CacheKey, Cached<Arc<Bearer>>>>);

/// What was asked for: the digest of a token or another name of who sends it, and the organisation that the request
/// names.
type CacheKey = (String, Option<OrgId>);

impl TokenCache {
    /// Finds the token with this digest. A token that does not exist is not remembered: it may be made any moment.
    pub async fn find(
        self: &Arc<Self>,
        source: Source<'_>,
        digest: String,
        named: Option<&OrgId>,
        now: Timestamp,
    ) -> Result<Option<Arc<Bearer>>, Error> {
        let asked = (digest, named.cloned());
        let (token_cache, catalog) = (Arc::clone(self), Arc::clone(source.catalog));
        let cached = self.cached(&asked, catalog.changes(), now);
        let cached = cached.map(|(bearer, is_to_renew)| (Some(bearer), is_to_renew));
        or_read(cached, source.tasks, || async move { token_cache.look_up(&catalog, asked, now).await }).await
    }

    async fn look_up(
        &self,
        catalog: &Catalog,
        asked: CacheKey,
        now: Timestamp,
    ) -> Result<Option<Arc<Bearer>>, Error> {
        // Read before the look-up, so that a change during it ends the memory.
        let changes = catalog.changes();
        let found = catalog.find_bearer(&asked.0, asked.1.as_ref()).await?;
        Ok(self.remember(asked, found, changes, now))
    }

    /// What a look-up under this key found a moment ago, or finds now.
    pub async fn remembered(
        &self,
        catalog: &Catalog,
        key: String,
        named: Option<&OrgId>,
        now: Timestamp,
        look_up: impl Future<Output = Result<Option<Bearer>, Error>>,
    ) -> Result<Option<Arc<Bearer>>, Error> {
        let asked = (key, named.cloned());
        // Read before the look-up, so that a change during it ends the memory.
        let changes = catalog.changes();
        if let Some((bearer, _)) = self.cached(&asked, changes, now) {
            return Ok(Some(bearer));
        }
        Ok(self.remember(asked, look_up.await?, changes, now))
    }

    fn cached(&self, asked: &CacheKey, changes: u64, now: Timestamp) -> Option<(Arc<Bearer>, bool)> {
        self.lock().get_mut(asked)?.get(changes, now, CACHED_MICROS)
    }

    fn remember(
        &self,
        asked: CacheKey,
        found: Option<Bearer>,
        changes: u64,
        now: Timestamp,
    ) -> Option<Arc<Bearer>> {
        let mut cached = self.lock();
        let Some(bearer) = found.map(Arc::new) else {
            cached.remove(&asked);
            return None;
        };
        if cached.len() >= TOKENS_MAX {
            cached.clear();
        }
        cached.insert(asked, Cached::new(Arc::clone(&bearer), changes, now));
        Some(bearer)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CacheKey, Cached<Arc<Bearer>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
