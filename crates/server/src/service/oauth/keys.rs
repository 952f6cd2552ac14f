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
use tidegauge_model::{ErrorKind, Timestamp};

use super::issue::ACCESS_TOKEN_LIFETIME;
use crate::app::App;
use crate::service::{Error, Result};

/// How long a key signs.
pub const LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How long it is published before it signs.
pub const PUBLISHED_BEFORE: Duration = Duration::from_secs(24 * 60 * 60);

/// How much longer than its last token a key is published: clocks differ, and nodes look for new keys now and then.
const MARGIN: Duration = Duration::from_secs(60 * 60);

/// How long the keys of the catalogue are taken to be the same.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The keys as they were read last.
#[derive(Debug, Default)]
pub struct Keys(Mutex<Option<(Timestamp, Arc<KeyRing>)>>);

/// All keys that count, the oldest first.
#[derive(Debug)]
pub struct KeyRing(Vec<(SigningKey, KeyPair)>);

/// When a new key takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// After a day, so that nobody is surprised.
    WithOverlap,
    /// At once, and what the others signed counts no more: a key has leaked.
    AtOnce,
}

impl KeyRing {
    /// The key that signs at a time: the newest that has begun.
    pub fn signing(&self, now: Timestamp) -> Option<&KeyPair> {
        let begun = self.0.iter().rev().find(|(key, _)| key.begins <= now);
        begun.or(self.0.first()).map(|(_, pair)| pair)
    }

    fn published(&self, now: Timestamp) -> impl Iterator<Item = &SigningKey> {
        self.0.iter().map(|(key, _)| key).filter(move |key| key.retires.is_none_or(|end| now < end))
    }

    /// The public keys, as they are published.
    pub fn document(&self, now: Timestamp) -> Value {
        let keys = self.published(now).filter_map(|key| serde_json::from_str::<Value>(&key.public).ok());
        json!({ "keys": keys.collect::<Vec<_>>() })
    }

    /// The public keys, to verify with.
    pub fn key_set(&self, now: Timestamp) -> Result<KeySet> {
        KeySet::from_json(self.document(now).to_string().as_bytes())
            .map_err(|error| Error::new(ErrorKind::Corrupt, error.to_string()))
    }

    fn newest(&self) -> Option<&SigningKey> {
        self.0.last().map(|(key, _)| key)
    }
}

/// The keys, from memory or from the catalogue. The first call of an installation makes the first key.
pub async fn ring(app: &App) -> Result<Arc<KeyRing>> {
    let now = app.now();
    if let Some((at, ring)) = &*app.embedded.keys.0.lock().unwrap_or_else(PoisonError::into_inner)
        && *at <= now
        && now < at.plus(REMEMBERED)
    {
        return Ok(Arc::clone(ring));
    }
    let mut ring = load(&app.catalog).await?;
    if ring.newest().is_none() {
        add(&app.catalog, &ring, now, Takeover::AtOnce, &own_change(now)).await?;
        ring = load(&app.catalog).await?;
    }
    let ring = Arc::new(ring);
    let mut known = app.embedded.keys.0.lock().unwrap_or_else(PoisonError::into_inner);
    *known = Some((now, Arc::clone(&ring)));
    Ok(ring)
}

/// Makes the next key some time before the present one has signed for long enough, and forgets those that nobody needs.
pub async fn care(app: &App) -> Result<()> {
    let now = app.now();
    let ring = ring(app).await?;
    if ring.newest().is_some_and(|key| key.begins.plus(LIFETIME).minus(PUBLISHED_BEFORE) <= now) {
        add(&app.catalog, &ring, now, Takeover::WithOverlap, &own_change(now)).await?;
        forget(&app.embedded.keys);
    }
    app.catalog.forget_signing_keys_retired_before(now).await?;
    Ok(())
}

/// Makes a new key by the operator's wish. Gives its name.
pub async fn rotate(catalog: &Catalog, now: Timestamp, takeover: Takeover, change: &Change) -> Result<String> {
    let ring = load(catalog).await?;
    match add(catalog, &ring, now, takeover, change).await? {
        Some(kid) => Ok(kid),
        None => Err(Error::new(ErrorKind::Conflict, "another node made a key at the same moment: look at its keys")),
    }
}

/// What was read from the catalogue is out of date.
pub fn forget(keys: &Keys) {
    *keys.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

async fn load(catalog: &Catalog) -> Result<KeyRing> {
    let keys = catalog.list_signing_keys().await?.into_iter();
    let pairs = keys.map(|key| KeyPair::read(&key.private).map(|pair| (key, pair)));
    Ok(KeyRing(pairs.collect::<std::result::Result<_, KeyError>>().map_err(unusable)?))
}

/// Adds the next key. None if another node was first.
async fn add(
    catalog: &Catalog,
    ring: &KeyRing,
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
        number: ring.newest().map_or(1, |newest| newest.number + 1),
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
