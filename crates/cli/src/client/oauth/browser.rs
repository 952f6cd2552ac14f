//! Signing in with a browser: the authorization code flow with PKCE (RFC 7636), and the answer on this machine.

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use tidegauge_auth::embedded::pkce;
use tidegauge_model::rng::{self, Rng};

use super::discovery::Found;
use super::http::Http;
use super::login::OFFLINE;
use super::loopback::{Expected, Loopback};
use super::metadata::{Endpoint, Metadata};
use super::store::Target;
use super::tokens::{self, Tokens};

/// What is asked for, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub client_id: &'a str,
    pub scope: &'a str,
}

/// Whether a server signs in this way, as it says.
pub fn is_offered(metadata: &Metadata) -> bool {
    metadata.authorization_endpoint.is_some()
        && metadata.code_challenge_methods_supported.iter().any(|method| method == pkce::METHOD)
}

/// Signs in; `show` is given the address that the person has to visit.
pub async fn sign_in(
    http: &Http,
    found: &Found,
    wanted: Wanted<'_>,
    rng: &dyn Rng,
    show: impl FnOnce(&Url),
) -> anyhow::Result<Tokens> {
    let metadata = &found.metadata;
    let Some(Endpoint(endpoint)) = &metadata.authorization_endpoint else {
        bail!("{} has no page to sign in: try --device", metadata.issuer);
    };
    if !is_offered(metadata) {
        bail!("{} does not protect codes with PKCE and {}", metadata.issuer, pkce::METHOD);
    }
    let loopback = Loopback::open().await?;
    let redirect_uri = loopback.redirect_uri();
    let (verifier, state) = (secret(rng), secret(rng));
    let challenge = pkce::challenge(&verifier);
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", wanted.client_id)
        .append_pair("redirect_uri", &redirect_uri)
        .append_pair("scope", wanted.scope)
        .append_pair("state", &state)
        .append_pair("code_challenge", &challenge)
        .append_pair("code_challenge_method", pkce::METHOD);
    if let Some((parameter, value)) = found.target.as_ref().map(Target::pair) {
        url.query_pairs_mut().append_pair(parameter, value);
    }
    if wanted.scope.split_whitespace().any(|word| word == OFFLINE) {
        // OpenID has the person asked for it; without this, it is left out of the answer.
        url.query_pairs_mut().append_pair("prompt", "consent");
    }
    show(&url);
    let expected = Expected {
        state: &state,
        issuer: &metadata.issuer,
        names_issuer: metadata.authorization_response_iss_parameter_supported,
    };
    let code = loopback.code(&expected).await?;
    let mut form = vec![
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", redirect_uri.as_str()),
        ("client_id", wanted.client_id),
        ("code_verifier", verifier.as_str()),
    ];
    form.extend(found.target.as_ref().map(Target::pair));
    tokens::request(http, &metadata.token_endpoint.0, &form).await.context("the code was not exchanged")
}

/// 256 random bits as text.
fn secret(rng: &dyn Rng) -> String {
    URL_SAFE_NO_PAD.encode(rng::bytes::<32>(rng))
}
