//! The embedded server as the guard sees it: an issuer in this process. A token counts for as long as its grant does, so
//! that what a person takes back ends at once.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tidegauge_admission::config::oauth::DpopRule;
use tidegauge_admission::oauth::accounts::Accounts;
use tidegauge_admission::oauth::denial::Denial;
use tidegauge_admission::oauth::local::LocalIssuer;
use tidegauge_auth::oauth::{AccessToken, Expected, KeySet};
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::{GrantId, OrgId};

use super::keys::Keys;

/// The issuer of the access tokens of this process.
#[derive(Debug)]
pub struct EmbeddedIssuer {
    expected: Expected,
    keys: Arc<Keys>,
}

impl EmbeddedIssuer {
    pub fn new(expected: Expected, keys: &Arc<Keys>) -> Self {
        Self { expected, keys: Arc::clone(keys) }
    }
}

impl LocalIssuer for EmbeddedIssuer {
    fn expected(&self) -> &Expected {
        &self.expected
    }

    fn dpop(&self) -> DpopRule {
        DpopRule::Allowed
    }

    fn keys(&self) -> BoxFuture<'_, Result<Arc<KeySet>, Denial>> {
        async {
            let ring = self.keys.ring().await.map_err(|error| {
                tracing::error!(cause = ?error, "the keys of access tokens cannot be read");
                Denial::IssuerUnavailable
            })?;
            Ok(Arc::clone(&ring.set))
        }
        .boxed()
    }

    fn subject<'a>(
        &'a self,
        accounts: Accounts<'a>,
        token: &'a AccessToken,
        named: Option<&'a OrgId>,
    ) -> BoxFuture<'a, Result<Option<Arc<Bearer>>, Denial>> {
        async move {
            let Some(grant) = token.text("grant").map(GrantId::from) else {
                return Ok(None);
            };
            let look_up = accounts.catalog.find_grant_bearer(&grant, named);
            let key = grant.to_string();
            Ok(accounts.token_cache.remembered(accounts.catalog, key, named, accounts.now(), look_up).await?)
        }
        .boxed()
    }
}
