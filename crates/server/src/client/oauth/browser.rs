//! Signing in with a browser: the authorization code flow with PKCE (RFC 7636), and the answer on this machine.

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use tidegauge_auth::embedded::pkce;
use tidegauge_model::chance::{self, Chance};

use super::discovery::{Endpoint, Found};
use super::http::Http;
use super::loopback::{Expected, Loopback};
use super::tokens::{self, Tokens};

/// What is asked for, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub client_id: &'a str,
    pub scope: &'a str,
}

/// Signs in; `show` is given the address that the person has to visit.
pub async fn sign_in(
    http: &Http,
    found: &Found,
    wanted: Wanted<'_>,
    chance: &dyn Chance,
    show: impl FnOnce(&Url),
) -> anyhow::Result<Tokens> {
    let metadata = &found.metadata;
    let Some(Endpoint(endpoint)) = &metadata.authorization_endpoint else {
        bail!("{} has no page to sign in: try --device", metadata.issuer);
    };
    if !metadata.code_challenge_methods_supported.iter().any(|method| method == pkce::METHOD) {
        bail!("{} does not protect codes with PKCE and {}", metadata.issuer, pkce::METHOD);
    }
    let loopback = Loopback::open().await?;
    let redirect_uri = loopback.redirect_uri();
    let (verifier, state) = (secret(chance), secret(chance));
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
    if let Some(resource) = &found.resource {
        url.query_pairs_mut().append_pair("resource", resource);
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
    form.extend(found.resource.as_deref().map(|resource| ("resource", resource)));
    tokens::request(http, &metadata.token_endpoint.0, &form).await.context("the code was not exchanged")
}

/// 256 random bits as text.
fn secret(chance: &dyn Chance) -> String {
    URL_SAFE_NO_PAD.encode(chance::bytes::<32>(chance))
}
