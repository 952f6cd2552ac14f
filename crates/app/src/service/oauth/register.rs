//! Clients that register themselves (RFC 7591), where the operator has allowed it. They belong to no organisation, act
//! for people only, and are forgotten when nobody uses them.

use tidegauge_auth::OpaqueSecret;
use tidegauge_catalog::oauth::OAuthClient;
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{Capabilities, ClientId, Violation};

use super::Message;
use super::clients::{NewClient, check_redirects, read_grants};
use super::error::{ErrorCode, OAuthError};
use super::known_clients::check_client_name;
use crate::app::App;

/// How many can be registered at once.
const REGISTERED_MAX: i64 = 1_000;

/// Registrations per second, of all senders.
const PER_SECOND: i64 = 1;

/// What a client says of itself; what is not here is ignored, as the standard says.
#[derive(Debug, Default)]
pub struct Metadata {
    pub name: Option<String>,
    pub redirect_uris: Vec<String>,
    pub grant_types: Option<Vec<String>>,
    pub response_types: Option<Vec<String>>,
    pub token_endpoint_auth_method: Option<String>,
}

/// Registers a client.
pub async fn register(app: &App, metadata: Metadata, message: &Message) -> Result<NewClient, OAuthError> {
    if !app.rates.take("oauth registrations", PER_SECOND, message.now).allowed {
        return Err(OAuthError::new(ErrorCode::TooMany, "too many registrations: try again later"));
    }
    let is_public = match metadata.token_endpoint_auth_method.as_deref() {
        None | Some("client_secret_basic" | "client_secret_post") => false,
        Some("none") => true,
        Some(_) => return Err(invalid("token_endpoint_auth_method is not supported")),
    };
    let grants = match &metadata.grant_types {
        None => vec![GrantType::AuthorizationCode],
        Some(names) => read_grants("grant_types", names).map_err(|problem| invalid(&problem.to_string()))?,
    };
    if grants.contains(&GrantType::ClientCredentials) {
        return Err(invalid("grant_types: a client that registers itself acts for people only"));
    }
    if metadata.response_types.iter().flatten().any(|kind| kind != "code") {
        return Err(invalid("response_types must be code"));
    }
    let name = metadata.name.unwrap_or_else(|| "A client without a name".to_owned());
    check_client_name("client_name", &name).map_err(|problem| invalid(&problem.to_string()))?;
    check_redirects("redirect_uris", &metadata.redirect_uris, &grants, is_public)
        .map_err(|problem: Violation| OAuthError::new(ErrorCode::InvalidRedirectUri, problem.to_string()))?;
    let client = OAuthClient {
        id: ClientId::generate(message.now, &*app.rng),
        org: None,
        name,
        redirect_uris: metadata.redirect_uris,
        grants,
        is_public,
        capabilities: Capabilities::default(),
        created: message.now,
        created_by: "registered itself".to_owned(),
        modified: message.now,
    };
    let secret = (!is_public).then(|| OpaqueSecret::generate(&*app.rng));
    let digest = secret.as_ref().map(OpaqueSecret::digest);
    let change = message.change(None, client.id.as_str());
    app.catalog.insert_oauth_client(&client, digest.as_deref(), REGISTERED_MAX, &change).await?;
    Ok(NewClient { client, secret })
}

fn invalid(description: &str) -> OAuthError {
    OAuthError::new(ErrorCode::InvalidClientMetadata, description)
}
