//! Tells a confidential client about a token (RFC 7662): its own, or one of another client of its organisation. Of all
//! others it learns nothing, not even that there are any.

use tidegauge_auth::oauth::{self, AccessToken};
use tidegauge_auth::opaque;
use tidegauge_catalog::oauth::Grant;
use tidegauge_model::{GrantId, Timestamp};

use super::error::{ErrorCode, OAuthError};
use super::known_clients::{self, Client};
use super::{Message, Parameters};
use crate::app::App;

/// A token that counts.
#[derive(Debug)]
pub struct Active {
    pub grant: Grant,
    pub is_refresh: bool,
    pub scope: String,
    pub issued_at: Option<Timestamp>,
    pub expires_at: Timestamp,
    pub id: Option<String>,
}

/// What a client may know of a token; `None` stands for one that does not count.
pub async fn introspect(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<Option<Active>, OAuthError> {
    parameters.check_unique()?;
    let token = parameters.required("token")?;
    if client.record.is_public {
        let description = "only a client that has a secret may ask about tokens";
        return Err(OAuthError::new(ErrorCode::InvalidClient, description));
    }
    let Some(found) = find(app, token, message.now).await? else {
        return Ok(None);
    };
    if found.grant.client == *client.id() {
        return Ok(Some(found));
    }
    let other = known_clients::find(app, found.grant.client.as_str()).await?;
    let is_of_same_org =
        other.is_some_and(|other| other.record.org.is_some() && other.record.org == client.record.org);
    Ok(Some(found).filter(|_| is_of_same_org))
}

/// Finds a token of either kind that counts now.
pub async fn find(app: &App, token: &str, now: Timestamp) -> Result<Option<Active>, OAuthError> {
    if let Some((refresh, grant)) = app.catalog.find_refresh_token(&opaque::digest_of(token)).await? {
        let counts = refresh.used.is_none() && now < refresh.expires && grant.is_alive(now);
        let scope = grant.scope.clone();
        let found =
            Active { expires_at: refresh.expires, grant, is_refresh: true, scope, issued_at: None, id: None };
        return Ok(counts.then_some(found));
    }
    let Some(access) = read_access_token(app, token, now).await? else {
        return Ok(None);
    };
    let Some(id) = access.text("grant") else {
        return Ok(None);
    };
    let grant = app.catalog.find_oauth_grant(&GrantId::from(id)).await?;
    Ok(grant.filter(|grant| grant.is_alive(now)).map(|grant| Active {
        grant,
        is_refresh: false,
        scope: access.text("scope").unwrap_or_default(),
        issued_at: Some(access.issued_at),
        expires_at: access.expires_at,
        id: access.id,
    }))
}

async fn read_access_token(
    app: &App,
    token: &str,
    now: Timestamp,
) -> Result<Option<AccessToken>, OAuthError> {
    let ring = app.embedded.keys.ring().await?;
    Ok(oauth::verify(token, &ring.set, &app.embedded.expected, now).ok())
}
