//! What it takes to find out who an access token acts for: where accounts are, and what is remembered of them.

use tidegauge_auth::RoleTable;
use tidegauge_catalog::Catalog;
use tidegauge_model::{Chance, Clock, Timestamp};

use crate::bearers::Bearers;
use crate::config::PublicUrl;

/// The accounts of the service.
#[derive(Clone, Copy, Debug)]
pub struct Accounts<'a> {
    pub catalog: &'a Catalog,
    pub bearers: &'a Bearers,
    pub roles: &'a RoleTable,
    pub chance: &'a dyn Chance,
    /// What proofs of keys are made for.
    pub public_url: &'a PublicUrl,
    pub clock: &'a dyn Clock,
}

impl Accounts<'_> {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
