//! Ends a token by the wish of its client (RFC 7009). Either kind of token ends its whole grant: the refresh token that
//! is left would bring the access token back, and the other way round.

use tidegauge_auth::opaque;
use tidegauge_catalog::oauth::Grant;

use super::error::OAuthError;
use super::known_clients::Client;
use super::{Message, Parameters, introspect};
use crate::app::App;

/// Ends the grant of a token. A token that does not count is as good as revoked.
pub async fn revoke(
    app: &App,
    client: &Client,
    parameters: &Parameters,
    message: &Message,
) -> Result<(), OAuthError> {
    parameters.check_unique()?;
    let Some(grant) = find(app, parameters.required("token")?, message).await? else {
        return Ok(());
    };
    if grant.client != *client.id() {
        return Err(OAuthError::invalid_grant("the token belongs to another client"));
    }
    let actor = grant.person.as_ref().map_or(grant.client.as_str(), |person| person.as_str());
    let change = message.change(client.record.org.as_ref(), actor);
    app.catalog.revoke_oauth_grant(&grant.id, &change).await?;
    Ok(())
}

async fn find(app: &App, token: &str, message: &Message) -> Result<Option<Grant>, OAuthError> {
    // One that was used up belongs to a grant that may live on in its successor.
    if let Some((_, grant)) = app.catalog.find_refresh_token(&opaque::digest_of(token)).await? {
        return Ok(Some(grant));
    }
    Ok(introspect::find(app, token, message.now).await?.map(|found| found.grant))
}
