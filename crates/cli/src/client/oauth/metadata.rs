//! What an authorisation server says of itself (RFC 8414, or OpenID).

use reqwest::Url;
use serde::Deserialize;

/// The document with its endpoints and abilities.
#[derive(Clone, Debug, Deserialize)]
pub struct Metadata {
    pub issuer: String,
    pub authorization_endpoint: Option<Endpoint>,
    pub token_endpoint: Endpoint,
    pub device_authorization_endpoint: Option<Endpoint>,
    pub revocation_endpoint: Option<Endpoint>,
    #[serde(default)]
    pub scopes_supported: Vec<String>,
    #[serde(default)]
    pub code_challenge_methods_supported: Vec<String>,
    /// Whether answers of the authorization endpoint name their issuer (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

/// An address in such a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Endpoint(pub Url);

impl TryFrom<String> for Endpoint {
    type Error = url::ParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Url::parse(&text).map(Self)
    }
}
