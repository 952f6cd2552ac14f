//! Tokens as the token endpoint gives them: for a code, for a refresh token, and how they are given back.

use std::fmt;
use std::time::Duration;

use anyhow::bail;
use reqwest::Url;
use serde::Deserialize;
use tidegauge_model::Timestamp;

use super::discovery::Found;
use super::http::Http;
use super::metadata::Endpoint;
use super::store::{SignIn, Target};

/// How long a token counts whose server does not say it. Asking for another sooner than needed does no harm.
const LIFETIME_UNLESS_TOLD: u64 = 60;

/// What a token endpoint answers.
#[derive(Deserialize)]
pub struct Tokens {
    pub access_token: String,
    pub token_type: String,
    #[serde(default)]
    pub expires_in: Option<u64>,
    #[serde(default)]
    pub refresh_token: Option<String>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({} …, expires in {:?})", self.token_type, self.expires_in)
    }
}

impl Tokens {
    fn check(self) -> anyhow::Result<Self> {
        if !self.token_type.eq_ignore_ascii_case("bearer") {
            bail!("the authorisation server gave a token of the type {:?}, not bearer", self.token_type);
        }
        if self.access_token.is_empty() || !self.access_token.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!("the authorisation server gave a token that cannot be sent");
        }
        Ok(self)
    }

    fn expires_at(&self, now: Timestamp) -> Timestamp {
        now.plus(Duration::from_secs(self.expires_in.unwrap_or(LIFETIME_UNLESS_TOLD)))
    }

    /// What is kept of a new sign-in.
    pub fn into_sign_in(self, found: &Found, client_id: &str, now: Timestamp) -> SignIn {
        SignIn {
            issuer: found.metadata.issuer.clone(),
            client_id: client_id.to_owned(),
            token_endpoint: found.metadata.token_endpoint.0.to_string(),
            revocation_endpoint: found
                .metadata
                .revocation_endpoint
                .as_ref()
                .map(|Endpoint(url)| url.to_string()),
            expires_at: self.expires_at(now).to_string(),
            access_token: self.access_token,
            refresh_token: self.refresh_token,
            target: found.target.clone(),
        }
    }
}

/// Asks the token endpoint.
pub async fn request(http: &Http, endpoint: &Url, form: &[(&str, &str)]) -> anyhow::Result<Tokens> {
    http.form::<Tokens>(endpoint, form).await?.check()
}

/// Gets a new access token for a sign-in. The refresh token is used up by it, so what comes back must be kept.
pub async fn refresh(http: &Http, sign_in: &SignIn, token: &str, now: Timestamp) -> anyhow::Result<SignIn> {
    let endpoint = Url::parse(&sign_in.token_endpoint)?;
    let mut form = vec![
        ("grant_type", "refresh_token"),
        ("refresh_token", token),
        ("client_id", sign_in.client_id.as_str()),
    ];
    form.extend(sign_in.target.as_ref().map(Target::pair));
    let tokens = request(http, &endpoint, &form).await?;
    Ok(SignIn {
        expires_at: tokens.expires_at(now).to_string(),
        access_token: tokens.access_token,
        // A server that does not rotate them leaves it out.
        refresh_token: tokens.refresh_token.or_else(|| Some(token.to_owned())),
        ..sign_in.clone()
    })
}

/// Gives the tokens of a sign-in back (RFC 7009): the refresh token, with which all go that came of it.
pub async fn revoke(http: &Http, sign_in: &SignIn) -> anyhow::Result<()> {
    let Some(endpoint) = &sign_in.revocation_endpoint else {
        bail!("{} has no way to end tokens: they count until they expire", sign_in.issuer);
    };
    let (token, hint) = match &sign_in.refresh_token {
        Some(token) => (token, "refresh_token"),
        None => (&sign_in.access_token, "access_token"),
    };
    let form =
        [("token", token.as_str()), ("token_type_hint", hint), ("client_id", sign_in.client_id.as_str())];
    http.form_only(&Url::parse(endpoint)?, &form).await
}
