//! One configured issuer: its settings, what is known about it, and the check of a token that it may have given out.

use std::sync::Arc;

use tidegauge_auth::oauth::{AccessToken, Peek, Rejection, verify};
use tidegauge_model::Clock;
use tokio_util::task::TaskTracker;

use super::denial::Denial;
use super::discovery;
use super::introspection::Introspection;
use super::jwks_cache::{JwksCache, Unavailable};
use crate::config::oauth::IssuerConfig;

/// An issuer whose tokens are accepted.
#[derive(Debug)]
pub struct Issuer {
    pub config: IssuerConfig,
    jwks_cache: Arc<JwksCache>,
    introspection: Option<Arc<Introspection>>,
    clock: Arc<dyn Clock>,
}

impl Issuer {
    pub fn new(config: IssuerConfig, clock: &Arc<dyn Clock>, tasks: &TaskTracker) -> Self {
        let fetcher = discovery::fetcher(config.allows_private_address, config.answer_time_max);
        let has_keys = config.introspection.is_none();
        let jwks_cache =
            JwksCache::new(&config.expected.issuer, has_keys, fetcher, Arc::clone(clock), tasks.clone());
        let introspection = config.introspection.clone().map(|client| {
            let (expected, jwks_cache) = (config.expected.clone(), Arc::clone(&jwks_cache));
            Introspection::new(client, expected, jwks_cache, fetcher, Arc::clone(clock), tasks.clone())
        });
        Self { config, jwks_cache, introspection, clock: Arc::clone(clock) }
    }

    pub fn url(&self) -> &str {
        &self.config.expected.issuer
    }

    /// Whether its tokens are checked by asking it.
    pub fn is_asked(&self) -> bool {
        self.introspection.is_some()
    }

    /// Checks a token that says it is from this issuer.
    pub async fn check(&self, token: &str, peek: &Peek) -> Result<Arc<AccessToken>, Denial> {
        if self.is_asked() {
            return self.ask(token).await;
        }
        let expected = &self.config.expected;
        // What is refused in any case must not make us fetch keys.
        if !expected.algorithms.contains(&peek.algorithm) {
            return Err(Rejection::AlgorithmNotAllowed.into());
        }
        let keys = self.jwks_cache.keys(peek.key.as_deref(), peek.algorithm).await;
        let keys = keys.map_err(|Unavailable| Denial::IssuerUnavailable)?;
        Ok(Arc::new(verify(token, &keys, expected, self.clock.now())?))
    }

    /// Asks the issuer about a token.
    pub async fn ask(&self, token: &str) -> Result<Arc<AccessToken>, Denial> {
        let Some(introspection) = &self.introspection else {
            return Err(Rejection::Malformed.into());
        };
        match introspection.ask(token).await {
            Ok(answer) => Ok(answer?),
            Err(Unavailable) => Err(Denial::IssuerUnavailable),
        }
    }
}
