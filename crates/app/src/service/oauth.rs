//! The embedded authorisation server: what its protocol messages mean. Requests are read and answered by `http/oauth`,
//! rows are kept by the catalogue, and codes, proofs and signatures are computed in `auth`.

pub mod attempts;
pub mod authorize;
pub mod client_auth;
pub mod clients;
pub mod device;
pub mod error;
pub mod grants;
pub mod introspect;
pub mod issue;
pub mod issuer;
pub mod keys;
pub mod known_clients;
pub mod parameters;
pub mod register;
pub mod revoke;
pub mod scope;
pub mod token;

use std::sync::Arc;
use std::time::Duration;

use tidegauge_admission::config;
use tidegauge_admission::oauth::local::LocalIssuer;
use tidegauge_auth::oauth::{Algorithm, Expected, ProofMemory};
use tidegauge_catalog::Change;
use tidegauge_model::{OrgId, Timestamp};

pub use error::{ErrorCode, OAuthError};
pub use parameters::Parameters;

use attempts::Attempts;
use issuer::EmbeddedIssuer;
use keys::Keys;

/// What the embedded server keeps in memory, and whether it is on.
#[derive(Debug)]
pub struct EmbeddedServer {
    pub is_on: bool,
    /// Whether clients may register themselves.
    pub takes_registrations: bool,
    /// What its access tokens are.
    pub expected: Expected,
    pub keys: Arc<Keys>,
    pub attempts: Attempts,
    /// Proofs that tokens were given out for.
    pub proofs: ProofMemory,
}

impl EmbeddedServer {
    pub fn new(settings: &config::oauth::Oauth, issuer: &str, keys: Keys, proofs: ProofMemory) -> Self {
        let expected = Expected {
            issuer: issuer.to_owned(),
            audiences: vec![issuer.to_owned()],
            algorithms: vec![Algorithm::ES256],
            require_type: true,
            // The nodes of an installation share a database, and should share the time.
            leeway: Duration::from_secs(5),
            scope_prefix: String::new(),
        };
        Self {
            is_on: settings.is_embedded,
            takes_registrations: settings.is_embedded && settings.takes_registrations,
            expected,
            keys: Arc::new(keys),
            attempts: Attempts::default(),
            proofs,
        }
    }

    /// The server as those see it who verify its tokens.
    pub fn issuer(&self) -> Arc<dyn LocalIssuer> {
        Arc::new(EmbeddedIssuer::new(self.expected.clone(), &self.keys))
    }
}

/// As part of which request a message came.
#[derive(Clone, Debug)]
pub struct Message {
    pub now: Timestamp,
    pub request_id: String,
    /// Where it comes from, as text; attempts are counted by it.
    pub address: String,
    /// The key that the sender has proved to hold, if it did (DPoP).
    pub thumbprint: Option<String>,
}

impl Message {
    /// The audit record of what the message changes.
    pub fn change(&self, org: Option<&OrgId>, actor: &str) -> Change {
        Change {
            org: org.cloned(),
            actor: actor.to_owned(),
            at: self.now,
            request_id: self.request_id.clone(),
        }
    }
}
