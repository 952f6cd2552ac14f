//! Whether an access token is genuine, meant for us and valid now (RFC 9068). This is code of our own, because the checks
//! of the library for tokens skip what is missing, leave out `nbf` and `typ`, and ask the system for the time.

use std::time::Duration;

use serde_json::{Map, Value};
use tidegauge_model::Timestamp;

use super::algorithms::Algorithm;
use super::keys::KeySet;
use super::rejection::Rejection;
use super::scopes::Scopes;
use super::times;
use super::token::{AccessToken, Confirmation, Parts};

/// What a token of an issuer must be. All of it comes from settings, nothing from the token.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The issuer, compared letter by letter.
    pub issuer: String,
    /// The token must be meant for one of these.
    pub audiences: Vec<String>,
    /// The signatures that count.
    pub algorithms: Vec<Algorithm>,
    /// Whether the header must say that this is an access token, and `client_id` and `jti` must be there, as RFC 9068
    /// demands. Servers from before it leave them out.
    pub require_type: bool,
    /// How much clocks may differ; bounded by [`times::LEEWAY_MAX`].
    pub leeway: Duration,
    /// What the scopes of this service begin with at the issuer.
    pub scope_prefix: String,
}

/// Verifies a token with the keys of its issuer.
pub fn verify(
    token: &str,
    keys: &KeySet,
    expected: &Expected,
    now: Timestamp,
) -> Result<AccessToken, Rejection> {
    let parts = Parts::of(token)?;
    check_type(parts.header.typ.as_deref(), expected.require_type)?;
    if !expected.algorithms.contains(&parts.algorithm) {
        return Err(Rejection::AlgorithmNotAllowed);
    }
    let mut is_known = false;
    let is_genuine = keys.candidates(parts.header.kid.as_deref(), parts.algorithm).any(|key| {
        is_known = true;
        key.verifies(parts.algorithm, parts.message, parts.signature)
    });
    match (is_genuine, is_known) {
        (true, _) => read_claims(parts.claims, expected, now),
        (false, true) => Err(Rejection::BadSignature),
        (false, false) => Err(Rejection::UnknownKey),
    }
}

/// Checks what a genuine token says. Also for what an issuer answers about a token that only it can read.
pub fn read_claims(
    claims: Map<String, Value>,
    expected: &Expected,
    now: Timestamp,
) -> Result<AccessToken, Rejection> {
    let issuer = text(&claims, "iss")?;
    if issuer != expected.issuer {
        return Err(Rejection::WrongIssuer);
    }
    check_audience(&claims, &expected.audiences)?;
    let issued_at = time(&claims, "iat")?;
    let expires_at = time(&claims, "exp")?;
    check_times(&claims, issued_at, expires_at, expected.leeway, now)?;
    let client = ["client_id", "azp", "cid", "appid"]
        .into_iter()
        .take(if expected.require_type { 1 } else { 4 })
        .find_map(|claim| text(&claims, claim).ok());
    let id = text(&claims, "jti").ok();
    if expected.require_type {
        client.as_ref().ok_or(Rejection::MissingClaim("client_id"))?;
        id.as_ref().ok_or(Rejection::MissingClaim("jti"))?;
    }
    Ok(AccessToken {
        issuer,
        subject: text(&claims, "sub")?,
        client,
        id,
        issued_at,
        expires_at,
        scopes: Scopes::parse_with_prefix(&scope_text(&claims), &expected.scope_prefix),
        confirmation: Confirmation::read(&claims)?,
        claims,
    })
}

/// The header says what kind of token it is, so that one of another kind, which the same issuer signs with the same
/// keys, does not pass. Also where the type may be left out, another type is refused.
fn check_type(typ: Option<&str>, is_required: bool) -> Result<(), Rejection> {
    let Some(typ) = typ else {
        return if is_required { Err(Rejection::WrongType) } else { Ok(()) };
    };
    let short = match typ.get(..12) {
        Some(start) if start.eq_ignore_ascii_case("application/") => &typ[12..],
        _ => typ,
    };
    let fits = short.eq_ignore_ascii_case("at+jwt") || (!is_required && short.eq_ignore_ascii_case("jwt"));
    if fits { Ok(()) } else { Err(Rejection::WrongType) }
}

fn check_audience(claims: &Map<String, Value>, ours: &[String]) -> Result<(), Rejection> {
    let is_ours = |value: &Value| value.as_str().is_some_and(|text| ours.iter().any(|one| one == text));
    let fits = match claims.get("aud") {
        Some(Value::Array(all)) => all.iter().any(is_ours),
        Some(one @ Value::String(_)) => is_ours(one),
        _ => return Err(Rejection::MissingClaim("aud")),
    };
    if fits { Ok(()) } else { Err(Rejection::WrongAudience) }
}

fn check_times(
    claims: &Map<String, Value>,
    issued_at: Timestamp,
    expires_at: Timestamp,
    leeway: Duration,
    now: Timestamp,
) -> Result<(), Rejection> {
    let leeway = times::bounded(leeway);
    if expires_at.plus(leeway) <= now {
        return Err(Rejection::Expired);
    }
    let latest = now.plus(leeway);
    if issued_at > latest {
        return Err(Rejection::IssuedInFuture);
    }
    match claims.get("nbf") {
        None => Ok(()),
        Some(_) if time(claims, "nbf")? > latest => Err(Rejection::NotYetValid),
        Some(_) => Ok(()),
    }
}

/// The scopes: a text (RFC 9068), or with some servers `scp`, which may be a list.
fn scope_text(claims: &Map<String, Value>) -> String {
    match claims.get("scope").or_else(|| claims.get("scp")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

fn text(claims: &Map<String, Value>, claim: &'static str) -> Result<String, Rejection> {
    match claims.get(claim) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        _ => Err(Rejection::MissingClaim(claim)),
    }
}

fn time(claims: &Map<String, Value>, claim: &'static str) -> Result<Timestamp, Rejection> {
    claims.get(claim).and_then(times::read).ok_or(Rejection::MissingClaim(claim))
}
