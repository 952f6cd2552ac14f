//! Makes what a client gets: an access token, and where it may have one a refresh token.

use std::time::Duration;

use tidegauge_auth::OpaqueSecret;
use tidegauge_auth::embedded::AccessClaims;
use tidegauge_auth::embedded::signing::KeyBinding;
use tidegauge_catalog::oauth::{Grant, RefreshToken};
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{GrantId, Timestamp, hex, rng};

use super::Message;
use super::error::{ErrorCode, OAuthError};
use super::keys::ACCESS_TOKEN_LIFETIME;
use super::known_clients::Client;
use crate::app::App;

/// A refresh token that is not used for so long ends.
pub const REFRESH_IDLE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// However much it is used, a grant ends so long after it was made.
pub const GRANT_LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The tokens of an answer.
#[derive(Debug)]
pub struct Tokens {
    pub access: String,
    pub is_bound: bool,
    pub refresh: Option<OpaqueSecret>,
    pub scope: String,
    /// Who answers for them: a person, or the organisation of a machine.
    pub holder: String,
}

/// What a new grant begins with.
#[derive(Debug)]
pub struct NewGrant {
    pub grant: Grant,
    /// The secret of its first refresh token, and the row of it.
    pub refresh: Option<(OpaqueSecret, RefreshToken)>,
}

/// A grant for a client, with a refresh token if the client may use one and a person allowed it.
pub fn new_grant(app: &App, client: &Client, mut grant: Grant) -> NewGrant {
    let has_refresh = grant.person.is_some() && client.record.grants.contains(&GrantType::RefreshToken);
    if !has_refresh {
        // Nothing of it outlives its access token.
        grant.ends = grant.created.plus(ACCESS_TOKEN_LIFETIME);
    }
    let refresh = has_refresh.then(|| refresh_token(app, &grant, grant.created));
    NewGrant { grant, refresh }
}

/// The next refresh token of a grant.
pub fn refresh_token(app: &App, grant: &Grant, now: Timestamp) -> (OpaqueSecret, RefreshToken) {
    let secret = OpaqueSecret::generate(&*app.rng);
    let expires = now.plus(REFRESH_IDLE).min(grant.ends);
    let row = RefreshToken { digest: secret.digest(), grant: grant.id.clone(), expires, used: None };
    (secret, row)
}

/// A grant that begins now, for whoever it is filled in.
pub fn blank_grant(app: &App, client: &Client, scope: String, now: Timestamp) -> Grant {
    Grant {
        id: GrantId::generate(now, &*app.rng),
        client: client.id().clone(),
        person: None,
        org: None,
        scope,
        auth_time: None,
        thumbprint: None,
        created: now,
        last_used: now,
        ends: now.plus(GRANT_LIFETIME),
        revoked: None,
    }
}

/// Who answers for what is done with a grant.
pub fn subject_of(grant: &Grant) -> String {
    let person = grant.person.as_ref().map(ToString::to_string);
    person.or_else(|| grant.org.as_ref().map(ToString::to_string)).unwrap_or_else(|| grant.client.to_string())
}

/// Signs an access token of a grant.
pub async fn access_token(
    app: &App,
    grant: &Grant,
    scope: &str,
    now: Timestamp,
) -> Result<String, OAuthError> {
    let ring = app.embedded.keys.ring().await?;
    let key = ring.signing(now).ok_or_else(no_key)?;
    let issuer = app.public_url.as_str();
    let seconds = |time: Timestamp| time.as_millis().div_euclid(1_000);
    // It does not outlive its grant.
    let end = now.plus(ACCESS_TOKEN_LIFETIME).min(grant.ends);
    let id = hex::encode(&rng::bytes::<16>(&*app.rng));
    let claims = AccessClaims {
        iss: issuer,
        sub: grant.person.as_ref().map_or(grant.client.as_str(), |person| person.as_str()),
        aud: issuer,
        exp: seconds(end),
        iat: seconds(now),
        jti: &id,
        client_id: grant.client.as_str(),
        scope,
        auth_time: grant.auth_time.map(seconds),
        grant: grant.id.as_str(),
        org: grant.org.as_ref().map(|org| org.as_str()),
        cnf: grant.thumbprint.as_deref().map(|jkt| KeyBinding { jkt }),
    };
    key.sign(&claims).map_err(|_| no_key())
}

/// The answer for a grant that was just made.
pub async fn hand_out(app: &App, new: NewGrant, message: &Message) -> Result<Tokens, OAuthError> {
    let NewGrant { grant, refresh } = new;
    let access = access_token(app, &grant, &grant.scope, message.now).await?;
    Ok(Tokens {
        access,
        is_bound: grant.thumbprint.is_some(),
        refresh: refresh.map(|(secret, _)| secret),
        holder: subject_of(&grant),
        scope: grant.scope,
    })
}

fn no_key() -> OAuthError {
    tracing::error!("there is no usable key to sign access tokens with");
    OAuthError::new(ErrorCode::ServerError, "a fault of the service")
}
