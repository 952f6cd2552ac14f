//! The keys that sign access tokens, shared by all nodes through the catalogue. A key is published a day before it signs,
//! so that everybody who verifies tokens knows it by then, and afterwards until the last token that it signed has ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_auth::embedded::KeyPair;
use tidegauge_auth::embedded::signing::KeyError;
use tidegauge_auth::oauth::KeySet;
use tidegauge_catalog::oauth::SigningKey;
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::{Clock, ErrorKind, Timestamp};

use crate::service::{Error, Result};

/// How long an access token is good for.
pub const ACCESS_TOKEN_LIFETIME: Duration = Duration::from_secs(10 * 60);

/// How long a key signs.
pub const LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How long it is published before it signs.
pub const PUBLISHED_BEFORE: Duration = Duration::from_secs(24 * 60 * 60);

/// How much longer than its last token a key is published: clocks differ, and nodes look for new keys now and then.
const MARGIN: Duration = Duration::from_secs(60 * 60);

/// How long the keys of the catalogue are taken to be the same.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The keys of the catalogue, and as they were read last.
#[derive(Debug)]
pub struct Keys {
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    known: Mutex<Option<(Timestamp, Arc<KeyRing>)>>,
}

/// All keys that count, the oldest first.
#[derive(Debug)]
pub struct KeyRing {
    keys: Vec<(SigningKey, KeyPair)>,
    /// The published ones, to verify with.
    pub set: Arc<KeySet>,
}

/// When a new key takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// After a day, so that nobody is surprised.
    WithOverlap,
    /// At once, and what the others signed counts no more: a key has leaked.
    AtOnce,
}

impl KeyRing {
    fn new(keys: Vec<(SigningKey, KeyPair)>, now: Timestamp) -> Result<Self> {
        let set = KeySet::from_json(document(&keys, now).to_string().as_bytes())
            .map_err(|error| Error::new(ErrorKind::Corrupt, error.to_string()))?;
        Ok(Self { keys, set: Arc::new(set) })
    }

    /// The key that signs at a time: the newest that has begun.
    pub fn signing(&self, now: Timestamp) -> Option<&KeyPair> {
        let begun = self.keys.iter().rev().find(|(key, _)| key.begins <= now);
        begun.or(self.keys.first()).map(|(_, pair)| pair)
    }

    /// The public keys, as they are published.
    pub fn document(&self, now: Timestamp) -> Value {
        document(&self.keys, now)
    }

    fn newest(&self) -> Option<&SigningKey> {
        newest(&self.keys)
    }
}

fn document(keys: &[(SigningKey, KeyPair)], now: Timestamp) -> Value {
    let published = keys.iter().map(|(key, _)| key).filter(|key| key.retires.is_none_or(|end| now < end));
    let public = published.filter_map(|key| serde_json::from_str::<Value>(&key.public).ok());
    json!({ "keys": public.collect::<Vec<_>>() })
}

impl Keys {
    pub fn new(catalog: &Arc<Catalog>, clock: &Arc<dyn Clock>) -> Self {
        Self { catalog: Arc::clone(catalog), clock: Arc::clone(clock), known: Mutex::default() }
    }

    /// The keys, from memory or from the catalogue. The first call of an installation makes the first key.
    pub async fn ring(&self) -> Result<Arc<KeyRing>> {
        let now = self.clock.now();
        if let Some((at, ring)) = &*self.known.lock().unwrap_or_else(PoisonError::into_inner)
            && *at <= now
            && now < at.plus(REMEMBERED)
        {
            return Ok(Arc::clone(ring));
        }
        let mut keys = load(&self.catalog).await?;
        if keys.is_empty() {
            add(&self.catalog, None, now, Takeover::AtOnce, &own_change(now)).await?;
            keys = load(&self.catalog).await?;
        }
        let ring = Arc::new(KeyRing::new(keys, now)?);
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Arc::clone(&ring)));
        Ok(ring)
    }

    /// Makes the next key some time before the present one has signed for long enough, and forgets those that nobody
    /// needs.
    pub async fn care(&self) -> Result<()> {
        let now = self.clock.now();
        let ring = self.ring().await?;
        if ring.newest().is_some_and(|key| key.begins.plus(LIFETIME).minus(PUBLISHED_BEFORE) <= now) {
            add(&self.catalog, ring.newest(), now, Takeover::WithOverlap, &own_change(now)).await?;
        }
        self.catalog.forget_signing_keys_retired_before(now).await?;
        self.forget();
        Ok(())
    }

    /// What was read from the catalogue is out of date.
    pub fn forget(&self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Makes a new key by the operator's wish. Gives its name.
pub async fn rotate(
    catalog: &Catalog,
    now: Timestamp,
    takeover: Takeover,
    change: &Change,
) -> Result<String> {
    let keys = load(catalog).await?;
    match add(catalog, newest(&keys), now, takeover, change).await? {
        Some(kid) => Ok(kid),
        None => Err(Error::new(
            ErrorKind::Conflict,
            "another node made a key at the same moment: look at its keys",
        )),
    }
}

fn newest(keys: &[(SigningKey, KeyPair)]) -> Option<&SigningKey> {
    keys.last().map(|(key, _)| key)
}

async fn load(catalog: &Catalog) -> Result<Vec<(SigningKey, KeyPair)>> {
    let keys = catalog.list_signing_keys().await?.into_iter();
    let pairs = keys.map(|key| KeyPair::read(&key.private).map(|pair| (key, pair)));
    pairs.collect::<std::result::Result<_, KeyError>>().map_err(unusable)
}

/// Adds the next key. None if another node was first.
async fn add(
    catalog: &Catalog,
    newest: Option<&SigningKey>,
    now: Timestamp,
    takeover: Takeover,
    change: &Change,
) -> Result<Option<String>> {
    let (pair, private) = KeyPair::generate().map_err(unusable)?;
    let (begins, former_retire) = match takeover {
        Takeover::WithOverlap => {
            let begins = now.plus(PUBLISHED_BEFORE);
            (begins, begins.plus(ACCESS_TOKEN_LIFETIME).plus(MARGIN))
        }
        Takeover::AtOnce => (now, now),
    };
    let key = SigningKey {
        number: newest.map_or(1, |newest| newest.number + 1),
        kid: pair.kid().to_owned(),
        public: pair.public().to_owned(),
        private,
        created: now,
        begins,
        retires: None,
    };
    let added = catalog.add_signing_key(&key, former_retire, change).await?;
    Ok(added.then_some(key.kid))
}

fn own_change(now: Timestamp) -> Change {
    Change { org: None, actor: "service".to_owned(), at: now, request_id: String::new() }
}

fn unusable(error: KeyError) -> Error {
    Error::new(ErrorKind::Corrupt, error.to_string())
}
