//! Whose token a request of the client carries: one that the user gave, or that of the user's sign-in, which is renewed
//! while a command runs.

use std::fmt;
use std::sync::Arc;

use anyhow::Context;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use super::oauth::signed_in::SignedIn;

/// Where the token of each request comes from.
#[derive(Clone)]
pub enum Bearer {
    Given(String),
    SignedIn(Arc<SignedIn>),
}

impl Default for Bearer {
    fn default() -> Self {
        Self::Given(String::new())
    }
}

impl From<&str> for Bearer {
    fn from(token: &str) -> Self {
        Self::Given(token.to_owned())
    }
}

impl fmt::Debug for Bearer {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given(_) => "Given(…)",
            Self::SignedIn(_) => "SignedIn(…)",
        })
    }
}

impl Bearer {
    pub async fn token(&self) -> anyhow::Result<String> {
        match self {
            Self::Given(token) => Ok(token.clone()),
            Self::SignedIn(signed_in) => signed_in.access_token().await,
        }
    }

    /// Puts the token into the headers of a request.
    pub async fn sign(&self, headers: &mut HeaderMap) -> anyhow::Result<()> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.token().await?))
            .ok()
            .context("the token has characters that cannot be sent")?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
        Ok(())
    }
}
