//! The token endpoint: each way in which a client comes to tokens.

use tidegauge_auth::embedded::pkce;
use tidegauge_auth::oauth::scopes::ALL;
use tidegauge_auth::opaque;
use tidegauge_catalog::oauth::{AuthorizationCode, Grant, Rotation};
use tidegauge_model::OrgId;
use tidegauge_model::oauth::GrantType;

use super::client_auth::note_refusal;
use super::error::{ErrorCode, OAuthError};
use super::issue::{self, NewGrant, Tokens};
use super::known_clients::Client;
use super::{Message, Parameters, device, scope};
use crate::app::App;

/// The route, for the audit trail.
const ROUTE: &str = "POST /oauth/token";

/// Answers a request for tokens of a client that has proved who it is.
pub async fn token(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Tokens, OAuthError> {
    parameters.check_unique()?;
    let asked = parameters.required("grant_type")?;
    let grant = GrantType::from_name(asked).ok_or_else(|| {
        OAuthError::new(ErrorCode::UnsupportedGrantType, "the grant type is not known: see the metadata")
    })?;
    client.check_grant(grant)?;
    parameters.check_resource(&app.public_url)?;
    match grant {
        GrantType::AuthorizationCode => by_code(app, client, parameters, message).await,
        GrantType::RefreshToken => by_refresh(app, client, parameters, message).await,
        GrantType::ClientCredentials => by_credentials(app, client, parameters, message).await,
        GrantType::DeviceCode => device::token(app, client, parameters, message).await,
    }
}

async fn by_code(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Tokens, OAuthError> {
    let digest = opaque::digest_of(parameters.required("code")?);
    let verifier = parameters.one("code_verifier")?;
    let redirect_uri = parameters.one("redirect_uri")?;
    let wrong = || OAuthError::invalid_grant("the code is wrong, used up, expired or not for this client");
    let Some(code) = app.catalog.find_code(&digest).await? else {
        note_refusal(app, message, ROUTE, "unknown code");
        return Err(wrong());
    };
    let grant = grant_of(app, client, &code, message);
    let change = message.change(client.record.org.as_ref(), code.person.as_str());
    if code.used.is_some() {
        // Whoever was first may not have been who it was for.
        app.catalog.redeem_code(&digest, &grant.grant, None, &change).await?;
        note_refusal(app, message, ROUTE, "replayed code");
        return Err(wrong());
    }
    if let Err(problem) = check_code(&code, client, redirect_uri, verifier, message) {
        app.catalog.spoil_code(&digest, &change).await?;
        note_refusal(app, message, ROUTE, &problem.description);
        return Err(problem);
    }
    let refresh = grant.refresh.as_ref().map(|(_, row)| row);
    if !app.catalog.redeem_code(&digest, &grant.grant, refresh, &change).await? {
        note_refusal(app, message, ROUTE, "replayed code");
        return Err(wrong());
    }
    issue::hand_out(app, grant, message).await
}

fn grant_of(app: &App, client: &Client, code: &AuthorizationCode, message: &Message) -> NewGrant {
    let grant = Grant {
        id: code.grant.clone(),
        person: Some(code.person.clone()),
        auth_time: Some(code.auth_time),
        thumbprint: message.thumbprint.clone(),
        ..issue::blank_grant(app, client, code.scope.clone(), message.now)
    };
    issue::new_grant(app, client, grant)
}

/// Whether who presents a code is who it was made for.
fn check_code(
    code: &AuthorizationCode,
    client: &Client,
    redirect_uri: Option<&str>,
    verifier: Option<&str>,
    message: &Message,
) -> Result<(), OAuthError> {
    let wrong = |description: &str| Err(OAuthError::invalid_grant(description));
    if code.client != *client.id() {
        return wrong("the code is for another client");
    }
    if code.expires <= message.now {
        return wrong("the code has expired");
    }
    if redirect_uri != Some(code.redirect_uri.as_str()) {
        return wrong("redirect_uri is not the one that the code was sent to");
    }
    if !verifier.is_some_and(|verifier| pkce::proves(verifier, &code.challenge)) {
        return wrong("code_verifier does not fit the code_challenge");
    }
    if code.thumbprint.is_some() && code.thumbprint != message.thumbprint {
        return Err(OAuthError::new(
            ErrorCode::InvalidDpopProof,
            "the code is bound to another key (dpop_jkt)",
        ));
    }
    Ok(())
}

async fn by_refresh(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Tokens, OAuthError> {
    let digest = opaque::digest_of(parameters.required("refresh_token")?);
    let wrong = || OAuthError::invalid_grant("the refresh token is wrong, used up, revoked or expired");
    let Some((token, grant)) = app.catalog.find_refresh_token(&digest).await? else {
        note_refusal(app, message, ROUTE, "unknown refresh token");
        return Err(wrong());
    };
    if grant.client != *client.id() {
        note_refusal(app, message, ROUTE, "refresh token of another client");
        return Err(wrong());
    }
    if client.record.is_public && grant.thumbprint.is_some() && grant.thumbprint != message.thumbprint {
        return Err(OAuthError::new(
            ErrorCode::InvalidDpopProof,
            "the refresh token is bound to another key",
        ));
    }
    let is_over = token.expires <= message.now || !grant.is_alive(message.now);
    if token.used.is_none() && is_over {
        return Err(wrong());
    }
    // Before it is used up, so that a client can correct its mistake.
    let scope = scope::narrowed(parameters.one("scope")?, &grant.scope)?;
    let (secret, next) = issue::refresh_token(app, &grant, message.now);
    let person = grant.person.as_ref().map_or(grant.client.as_str(), |person| person.as_str());
    let change = message.change(client.record.org.as_ref(), person);
    match app.catalog.rotate_refresh_token(&digest, &next, &change).await? {
        Rotation::Done => {}
        Rotation::Ended => return Err(wrong()),
        Rotation::Reused => {
            note_refusal(app, message, ROUTE, "replayed refresh token");
            return Err(wrong());
        }
    }
    // A confidential client is known by its secret and may take another key; its grant keeps to the first one.
    let access = issue::access_token(app, &grant, &scope, message.now).await?;
    let (is_bound, holder) = (grant.thumbprint.is_some(), issue::subject_of(&grant));
    Ok(Tokens { access, is_bound, refresh: Some(secret), scope, holder })
}

async fn by_credentials(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Tokens, OAuthError> {
    let Some(org) = client.record.org.clone().filter(|_| !client.record.is_public) else {
        let description = "only a confidential client of an organisation can act for itself";
        return Err(OAuthError::new(ErrorCode::UnauthorizedClient, description));
    };
    check_rate(app, &org, client, message)?;
    let scope = scope::narrowed(parameters.one("scope")?, ALL)?;
    let grant = Grant {
        org: Some(org.clone()),
        thumbprint: message.thumbprint.clone(),
        ..issue::blank_grant(app, client, scope, message.now)
    };
    let new = issue::new_grant(app, client, grant);
    let change = message.change(Some(&org), client.id().as_str());
    app.catalog.insert_oauth_grant(&new.grant, &change).await?;
    issue::hand_out(app, new, message).await
}

/// Each token is a row until it ends, so that a client that asks in a loop must not make many.
fn check_rate(app: &App, org: &OrgId, client: &Client, message: &Message) -> Result<(), OAuthError> {
    const PER_SECOND: i64 = 5;
    let key = format!("oauth {org} {}", client.id());
    if app.rates.take(&key, PER_SECOND, message.now).allowed {
        return Ok(());
    }
    Err(OAuthError::new(ErrorCode::TooMany, "too many tokens at once: keep one until it ends"))
}
