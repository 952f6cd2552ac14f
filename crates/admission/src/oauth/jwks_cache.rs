//! Remembers what an issuer says of itself: its metadata and its keys. They are fetched when they are needed first, when
//! they are old, and when a token names a key that is not among them, but never more often than the floor allows. An
//! issuer that does not answer is not asked for every token, and its old keys count on for a day.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tidegauge_auth::oauth::{Algorithm, KeySet};
use tidegauge_model::{Clock, Timestamp};
use tokio_util::task::TaskTracker;

use super::discovery::{self, Failure, Metadata};
use super::single_flight::SingleFlight;
use tidegauge_egress::Fetcher;

/// Keys that are unknown are asked for at most once in this time.
const FLOOR: Duration = Duration::from_secs(30);

/// An issuer of which nothing is known yet is asked again after this time.
const FLOOR_WITHOUT_KEYS: Duration = Duration::from_secs(5);

/// How long keys count on when they cannot be fetched again.
const STALE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What is known about one issuer.
#[derive(Debug)]
pub struct JwksCache {
    issuer: String,
    has_keys: bool,
    fetcher: Fetcher,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
    single_flight: Arc<SingleFlight<()>>,
}

#[derive(Debug, Default)]
struct Known {
    current: Option<Current>,
    /// When it was last asked, with success or without.
    asked_at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct Current {
    metadata: Arc<Metadata>,
    keys: Arc<KeySet>,
    fresh_until: Timestamp,
}

/// The issuer is not to be asked now.
#[derive(Debug, PartialEq, Eq)]
pub struct Unavailable;

/// What to do about a look-up.
enum Step {
    Use(Current),
    /// It is old, but better than nothing while a new one is fetched.
    UseAndRefresh(Current),
    Fetch,
    GiveUp,
}

impl JwksCache {
    /// For issuers whose tokens are asked about, keys are not fetched.
    pub fn new(
        issuer: &str,
        has_keys: bool,
        fetcher: Fetcher,
        clock: Arc<dyn Clock>,
        tasks: TaskTracker,
    ) -> Arc<Self> {
        let (issuer, single_flight) = (issuer.to_owned(), SingleFlight::new(tasks));
        Arc::new(Self { issuer, has_keys, fetcher, clock, known: Mutex::default(), single_flight })
    }

    /// The keys of the issuer, fetched if the wanted one is not known.
    pub async fn keys(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Arc<KeySet>, Unavailable> {
        let found = self.current(|current| current.keys.has(id, algorithm)).await?;
        Ok(found.keys)
    }

    /// The metadata of the issuer.
    pub async fn metadata(self: &Arc<Self>) -> Result<Arc<Metadata>, Unavailable> {
        Ok(self.current(|_| true).await?.metadata)
    }

    async fn current(
        self: &Arc<Self>,
        is_enough: impl Fn(&Current) -> bool + Send,
    ) -> Result<Current, Unavailable> {
        match self.step(&is_enough) {
            Step::Use(current) => return Ok(current),
            Step::UseAndRefresh(current) => {
                self.single_flight.start((), || Arc::clone(self).refresh());
                return Ok(current);
            }
            Step::GiveUp => return Err(Unavailable),
            Step::Fetch => {}
        }
        self.single_flight.join((), || Arc::clone(self).refresh()).await.map_err(|_| Unavailable)?;
        match self.step(&is_enough) {
            Step::Use(current) | Step::UseAndRefresh(current) => Ok(current),
            // It was fetched just now, by this request or by another.
            Step::GiveUp | Step::Fetch => Err(Unavailable),
        }
    }

    fn step(&self, is_enough: &(impl Fn(&Current) -> bool + Send)) -> Step {
        let now = self.clock.now();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let may_ask = |floor: Duration| known.asked_at.is_none_or(|asked| asked.plus(floor) <= now);
        let Some(current) = &known.current else {
            return if may_ask(FLOOR_WITHOUT_KEYS) { Step::Fetch } else { Step::GiveUp };
        };
        if current.fresh_until.plus(STALE_MAX) <= now {
            return if may_ask(FLOOR_WITHOUT_KEYS) { Step::Fetch } else { Step::GiveUp };
        }
        let is_fresh = now < current.fresh_until;
        match (is_enough(current), may_ask(FLOOR)) {
            (true, true) if !is_fresh => Step::UseAndRefresh(current.clone()),
            (false, true) => Step::Fetch,
            // What is not enough is handed out too: the token is then refused for its unknown key.
            (true, _) | (false, false) => Step::Use(current.clone()),
        }
    }

    async fn refresh(self: Arc<Self>) {
        let asked_at = self.clock.now();
        self.known.lock().unwrap_or_else(PoisonError::into_inner).asked_at = Some(asked_at);
        match self.fetched().await {
            Ok(current) => {
                self.known.lock().unwrap_or_else(PoisonError::into_inner).current = Some(current);
            }
            Err(failure) => tracing::warn!(issuer = self.issuer, "the issuer cannot be asked: {failure}"),
        }
    }

    async fn fetched(&self) -> Result<Current, Failure> {
        let metadata = discovery::find_metadata(&self.issuer, self.fetcher).await?;
        let (keys, fresh) = if self.has_keys {
            metadata.find_keys(self.fetcher).await?
        } else {
            metadata.introspection()?;
            (KeySet::default(), discovery::FRESH_DEFAULT)
        };
        let fresh_until = self.clock.now().plus(fresh);
        Ok(Current { metadata: Arc::new(metadata), keys: Arc::new(keys), fresh_until })
    }
}
