//! What it takes to find out who an access token acts for: where accounts are, and what is remembered of them.

use tidegauge_auth::RoleTable;
use tidegauge_catalog::Catalog;
use tidegauge_model::{Clock, Rng, Timestamp};

use crate::config::PublicUrl;
use crate::token_cache::TokenCache;

/// The accounts of the service.
#[derive(Clone, Copy, Debug)]
pub struct Accounts<'a> {
    pub catalog: &'a Catalog,
    pub token_cache: &'a TokenCache,
    pub roles: &'a RoleTable,
    pub rng: &'a dyn Rng,
    /// What proofs of keys are made for.
    pub public_url: &'a PublicUrl,
    pub clock: &'a dyn Clock,
}

impl Accounts<'_> {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
