//! The access token of whoever has signed in at a server, renewed shortly before it ends.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use tidegauge_model::Clock;

use super::http::{Http, Refused};
use super::store::{SignIn, Store};
use super::tokens;

/// A token that ends sooner is renewed first: the request and the clocks of two machines need some room.
const RENEWED_BEFORE: Duration = Duration::from_secs(60);

/// A sign-in at a server.
#[derive(Debug)]
pub struct SignedIn {
    store: Store,
    /// The server, by its name in the file.
    server: String,
    http: Http,
    clock: Arc<dyn Clock>,
    /// What was read last, so that not every request reads the file.
    known: tokio::sync::Mutex<Option<SignIn>>,
}

impl SignedIn {
    pub fn new(store: Store, server: String, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        Ok(Self { store, server, http: Http::new()?, clock, known: tokio::sync::Mutex::new(None) })
    }

    /// The access token, good for the next while.
    pub async fn access_token(&self) -> anyhow::Result<String> {
        // One request of this process renews it, the others wait for that.
        let mut known = self.known.lock().await;
        if let Some(sign_in) = known.as_ref().filter(|sign_in| self.is_fresh(sign_in)) {
            return Ok(sign_in.access_token.clone());
        }
        let sign_in = self.current().await?;
        let token = sign_in.access_token.clone();
        *known = Some(sign_in);
        Ok(token)
    }

    fn is_fresh(&self, sign_in: &SignIn) -> bool {
        self.clock.now().plus(RENEWED_BEFORE) < sign_in.expires_at()
    }

    async fn current(&self) -> anyhow::Result<SignIn> {
        let sign_in = self.store.find(&self.server)?.ok_or_else(|| self.ended())?;
        if self.is_fresh(&sign_in) {
            return Ok(sign_in);
        }
        let turn = self.store.turn().await?;
        // Another process may have renewed it, or signed out, while this one waited.
        let sign_in = self.store.find(&self.server)?.ok_or_else(|| self.ended())?;
        if self.is_fresh(&sign_in) {
            return Ok(sign_in);
        }
        let Some(refresh_token) = sign_in.refresh_token.clone() else {
            bail!(self.ended());
        };
        match tokens::refresh(&self.http, &sign_in, &refresh_token, self.clock.now()).await {
            Ok(renewed) => {
                self.store.put(&turn, &self.server, renewed.clone())?;
                Ok(renewed)
            }
            Err(error) => match error.downcast_ref::<Refused>() {
                Some(refused) if refused.error == "invalid_grant" => {
                    self.store.remove(&turn, &self.server)?;
                    Err(self.ended())
                }
                _ => Err(error).context("the sign-in could not be renewed"),
            },
        }
    }

    fn ended(&self) -> anyhow::Error {
        anyhow!("the sign-in at {} has ended: run `tidegauge login --url {}`", self.server, self.server)
    }
}
