//! Asks an issuer about a token that only the issuer can read (RFC 7662), and remembers the answer for a moment under
//! the digest of the token, so that a revoked one ends soon.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tidegauge_auth::oauth::{AccessToken, Expected, Rejection, token, verify};
use tidegauge_model::{Clock, Timestamp};
use tokio_util::task::TaskTracker;

use super::jwks_cache::{JwksCache, Unavailable};
use super::single_flight::SingleFlight;
use crate::config::oauth::IntrospectionClient;
use crate::limits::RateLimiter;
use tidegauge_egress::{FetchRequest, Fetcher};

/// How long an answer counts: yes, and no.
const ACTIVE_MAX: Duration = Duration::from_secs(60);
const INACTIVE: Duration = Duration::from_secs(10);

/// How many answers are remembered.
const REMEMBERED_MAX: usize = 10_000;

/// So many tokens are asked about in a second; who sends made-up ones must not make us a burden for the issuer.
const PER_SECOND: i64 = 50;

type Digest = [u8; 32];

/// Asks one issuer about tokens.
#[derive(Debug)]
pub struct Introspection {
    client: IntrospectionClient,
    expected: Expected,
    jwks_cache: Arc<JwksCache>,
    fetcher: Fetcher,
    clock: Arc<dyn Clock>,
    rate: RateLimiter,
    answers: Mutex<HashMap<Digest, Known>>,
    single_flight: Arc<SingleFlight<Digest>>,
}

#[derive(Clone, Debug)]
struct Known {
    answer: Result<Arc<AccessToken>, Rejection>,
    until: Timestamp,
}

impl Introspection {
    pub fn new(
        client: IntrospectionClient,
        expected: Expected,
        jwks_cache: Arc<JwksCache>,
        fetcher: Fetcher,
        clock: Arc<dyn Clock>,
        tasks: TaskTracker,
    ) -> Arc<Self> {
        let (rate, answers, single_flight) =
            (RateLimiter::default(), Mutex::default(), SingleFlight::new(tasks));
        Arc::new(Self { client, expected, jwks_cache, fetcher, clock, rate, answers, single_flight })
    }

    /// What the issuer says about a token.
    pub async fn ask(
        self: &Arc<Self>,
        token: &str,
    ) -> Result<Result<Arc<AccessToken>, Rejection>, Unavailable> {
        let key = token::digest(token);
        if let Some(answer) = self.remembered(&key) {
            return Ok(answer);
        }
        let now = self.clock.now();
        if !self.rate.take(&self.expected.issuer, PER_SECOND, now).allowed {
            return Err(Unavailable);
        }
        let (asking, token) = (Arc::clone(self), token.to_owned());
        let work = || async move { asking.answer(key, &token).await };
        self.single_flight.join(key, work).await.map_err(|_| Unavailable)?;
        self.remembered(&key).ok_or(Unavailable)
    }

    fn remembered(&self, key: &Digest) -> Option<Result<Arc<AccessToken>, Rejection>> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.get(key)?;
        (self.clock.now() < known.until).then(|| known.answer.clone())
    }

    async fn answer(&self, key: Digest, token: &str) {
        let Ok(claims) = self.asked(token).await else {
            return;
        };
        let now = self.clock.now();
        let answer = read(claims, &self.expected, now).map(Arc::new);
        let until = match &answer {
            Ok(token) => now.plus(ACTIVE_MAX).min(token.expires_at.plus(self.expected.leeway)),
            Err(_) => now.plus(INACTIVE),
        };
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= REMEMBERED_MAX {
            answers.clear();
        }
        answers.insert(key, Known { answer, until });
    }

    /// The answer of the issuer, which is a JSON object.
    async fn asked(&self, token: &str) -> Result<Map<String, Value>, Unavailable> {
        let metadata = self.jwks_cache.metadata().await?;
        let url = metadata.introspection().map_err(|_| Unavailable)?;
        let secret = read_secret(&self.client.secret_file).await?;
        let id = self.client.id.as_str();
        let mut form = vec![("token", token), ("token_type_hint", "access_token")];
        if !self.client.sends_basic {
            form.extend([("client_id", id), ("client_secret", secret.as_str())]);
        }
        // The parts of the header are encoded as in a form (RFC 6749, 2.3.1).
        let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let (user, password) = (encode(id), encode(&secret));
        let basic = self.client.sends_basic.then_some((user.as_str(), password.as_str()));
        let request = FetchRequest { url: &url, form: Some(&form), basic };
        let answer = self.fetcher.fetch(request).await.map_err(|problem| {
            tracing::warn!(issuer = self.expected.issuer, "a token cannot be asked about: {problem}");
            Unavailable
        })?;
        serde_json::from_slice(&answer.bytes).map_err(|_| Unavailable)
    }
}

/// Read for each question, so that a new secret counts without a restart.
async fn read_secret(path: &Path) -> Result<String, Unavailable> {
    match tokio::fs::read_to_string(path).await {
        Ok(text) => Ok(text.trim_end().to_owned()),
        Err(error) => {
            tracing::error!(file = %path.display(), "the secret for introspection cannot be read: {error}");
            Err(Unavailable)
        }
    }
}

/// What an answer says. What RFC 7662 leaves out is taken from what is known: the issuer that was asked, and the moment
/// of the answer. That the token is meant for us must be said.
fn read(
    mut claims: Map<String, Value>,
    expected: &Expected,
    now: Timestamp,
) -> Result<AccessToken, Rejection> {
    if claims.get("active") != Some(&Value::Bool(true)) {
        return Err(Rejection::Inactive);
    }
    let seconds = now.as_micros().div_euclid(1_000_000);
    claims.entry("iss").or_insert_with(|| expected.issuer.clone().into());
    claims.entry("iat").or_insert_with(|| seconds.into());
    claims.entry("exp").or_insert_with(|| (seconds + ACTIVE_MAX.as_secs() as i64).into());
    if !claims.contains_key("sub") {
        // Without a person the client acts for itself.
        let subject = claims.get("username").or_else(|| claims.get("client_id"));
        let subject = subject.cloned().ok_or(Rejection::MissingClaim("sub"))?;
        claims.insert("sub".to_owned(), subject);
    }
    let relaxed = Expected { require_type: false, ..expected.clone() };
    verify::read_claims(claims, &relaxed, now)
}
