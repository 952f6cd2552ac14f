//! The seam of the embedded authorisation server: an issuer in this process, whose keys need no fetching and whose
//! people, clients and grants are in the catalogue.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tidegauge_auth::oauth::{AccessToken, Expected, KeySet};
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::OrgId;

use super::accounts::Accounts;
use super::denial::Denial;
use crate::config::oauth::DpopRule;

/// An issuer in this process.
pub trait LocalIssuer: Send + Sync + Debug {
    /// What its tokens are.
    fn expected(&self) -> &Expected;

    /// What happens with tokens that are bound to a key.
    fn dpop(&self) -> DpopRule {
        DpopRule::Off
    }

    /// The keys that it signs with, or signed with a moment ago.
    fn keys(&self) -> BoxFuture<'_, Result<Arc<KeySet>, Denial>>;

    /// Who a genuine token acts for, and where; none when its grant has ended. For a person the bearer is a personal one
    /// with the person's standings; for a client it is an API token's, with the client's capabilities and organisation.
    /// `Accounts::token_cache` remembers such look-ups.
    fn subject<'a>(
        &'a self,
        accounts: Accounts<'a>,
        token: &'a AccessToken,
        named: Option<&'a OrgId>,
    ) -> BoxFuture<'a, Result<Option<Arc<Bearer>>, Denial>>;
}
