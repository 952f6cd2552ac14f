//! The issuers whose access tokens are accepted, as the operator has described them.

use std::path::PathBuf;
use std::time::Duration;

use tidegauge_auth::oauth::{Expected, Rules};
use tidegauge_model::Role;

/// Where access tokens come from.
#[derive(Clone, Debug, Default)]
pub struct Oauth {
    /// Whether the embedded server gives them out.
    pub is_embedded: bool,
    /// Whether clients may register themselves at the embedded server.
    pub takes_registrations: bool,
    /// Whether proofs of keys must hold a nonce of this service.
    pub demands_nonces: bool,
    pub issuers: Vec<IssuerConfig>,
}

/// An authorisation server whose access tokens are accepted.
#[derive(Clone, Debug)]
pub struct IssuerConfig {
    /// What its tokens must be; without an audience they are meant for the address of the service.
    pub expected: Expected,
    /// Set when its tokens are checked by asking it.
    pub introspection: Option<IntrospectionClient>,
    pub dpop: DpopRule,
    pub allows_private_address: bool,
    /// Longest time for one answer of it.
    pub answer_time_max: Duration,
    pub rules: Rules,
    /// The role that unknown people get, if they get an account.
    pub provision: Option<Role>,
    pub links_verified_email: bool,
    pub login: LoginConfig,
}

/// How the command line signs people in at an issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginConfig {
    /// The id of its client there.
    pub client: String,
    /// The scopes that it asks for, if not those that follow from the rest.
    pub scope: Option<String>,
    pub target: LoginTarget,
}

/// The parameter by which an issuer is told which service tokens are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginTarget {
    Resource,
    Audience,
    Nothing,
}

/// As whom the service asks about tokens.
#[derive(Clone, Debug)]
pub struct IntrospectionClient {
    pub id: String,
    pub secret_file: PathBuf,
    pub sends_basic: bool,
}

/// What happens with tokens that are bound to a key of their sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DpopRule {
    Off,
    Allowed,
    Required,
}
