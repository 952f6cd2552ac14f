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
pub mod keys;
pub mod known_clients;
pub mod parameters;
pub mod register;
pub mod revoke;
pub mod scope;
pub mod token;

use tidegauge_catalog::Change;
use tidegauge_model::{OrgId, Timestamp};

pub use error::{ErrorCode, OAuthError};
pub use parameters::Parameters;

use attempts::Attempts;
use keys::Keys;

/// What the embedded server keeps in memory, and whether it is on.
#[derive(Debug, Default)]
pub struct EmbeddedServer {
    pub is_on: bool,
    /// Whether clients may register themselves.
    pub takes_registrations: bool,
    pub keys: Keys,
    pub attempts: Attempts,
}

impl EmbeddedServer {
    pub fn new(is_on: bool, takes_registrations: bool) -> Self {
        Self { is_on, takes_registrations: is_on && takes_registrations, ..Self::default() }
    }
}

/// As part of which request a message came.
#[derive(Clone, Debug)]
pub struct Message {
    pub now: Timestamp,
    pub request_id: String,
    /// The other end of the connection, as text; attempts are counted by it.
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
