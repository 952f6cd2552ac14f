//! Finds the authorisation server of a Tidegauge and its endpoints: by what the Tidegauge says of itself (RFC 9728), or
//! else as if it were its own, and by what that server says of itself (RFC 8414).

use anyhow::{Context, bail};
use reqwest::Url;
use serde::Deserialize;

use super::http::Http;
use crate::client::target::{address, is_loopback};

/// An authorisation server, as it says.
#[derive(Clone, Debug)]
pub struct Found {
    pub metadata: Metadata,
    /// The name by which the Tidegauge wants its tokens to be asked for, where it has told one.
    pub resource: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Metadata {
    pub issuer: String,
    pub authorization_endpoint: Option<Endpoint>,
    pub token_endpoint: Endpoint,
    pub device_authorization_endpoint: Option<Endpoint>,
    pub revocation_endpoint: Option<Endpoint>,
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

#[derive(Debug, Deserialize)]
struct ProtectedResource {
    resource: Option<String>,
    #[serde(default)]
    authorization_servers: Vec<String>,
}

/// Where documents about an address are; the first counts more.
const ABOUT_ISSUER: [&str; 2] = ["oauth-authorization-server", "openid-configuration"];

pub async fn discover(http: &Http, server: &str) -> anyhow::Result<Found> {
    let server = address(server, &[])?;
    let about = well_known(&server, "oauth-protected-resource");
    let told: Option<ProtectedResource> = http.document(&about).await?;
    let (issuer, resource) = match told {
        Some(told) => (told.authorization_servers.into_iter().next(), told.resource),
        None => (None, None),
    };
    let issuer = issuer.unwrap_or_else(|| server.as_str().trim_end_matches('/').to_owned());
    let at = Url::parse(&issuer).with_context(|| format!("{issuer:?} is not the address of an issuer"))?;
    if server.scheme() == "https" && at.scheme() != "https" {
        bail!("{server} names the issuer {issuer}, which is not reached by https");
    }
    for name in ABOUT_ISSUER {
        if let Some(metadata) = http.document::<Metadata>(&well_known(&at, name)).await? {
            metadata.check(&issuer, &at)?;
            return Ok(Found { metadata, resource });
        }
    }
    bail!(
        "{issuer} does not say how to sign in: see that --url is right, and that it has an authorisation server"
    )
}

/// The well-known address that belongs to another: in front of its path, as RFC 8414 and RFC 9728 have it.
fn well_known(about: &Url, name: &str) -> Url {
    let path = about.path().trim_end_matches('/').to_owned();
    let mut url = about.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("/.well-known/{name}{path}"));
    url
}

impl Metadata {
    /// Who serves the document must be who it speaks for, and must not send us where others can listen.
    fn check(&self, issuer: &str, at: &Url) -> anyhow::Result<()> {
        if self.issuer != issuer {
            bail!("the document of {issuer} is about {:?}", self.issuer);
        }
        let endpoints = [
            Some(&self.token_endpoint),
            self.authorization_endpoint.as_ref(),
            self.device_authorization_endpoint.as_ref(),
            self.revocation_endpoint.as_ref(),
        ];
        for Endpoint(endpoint) in endpoints.into_iter().flatten() {
            let is_safe = match endpoint.scheme() {
                "https" => true,
                "http" => at.scheme() == "http" && (is_loopback(endpoint) || endpoint.host() == at.host()),
                _ => false,
            };
            if !is_safe {
                bail!("{issuer} names the endpoint {endpoint}, which is not reached by https");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(issuer: &str, token_endpoint: &str) -> Metadata {
        let text = serde_json::json!({"issuer": issuer, "token_endpoint": token_endpoint});
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn documents_stand_in_front_of_the_path() {
        for (about, expected) in [
            ("https://host", "https://host/.well-known/x"),
            ("https://host:8443/", "https://host:8443/.well-known/x"),
            ("https://host/a/b/?c#d", "https://host/.well-known/x/a/b"),
        ] {
            assert_eq!(well_known(&Url::parse(about).unwrap(), "x").as_str(), expected);
        }
    }

    #[test]
    fn a_server_speaks_for_itself_and_keeps_to_https() {
        for (issuer, told, endpoint, is_good) in [
            ("https://a", "https://a", "https://a/token", true),
            ("https://a", "https://b", "https://a/token", false),
            ("https://a", "https://a/", "https://a/token", false),
            ("https://a", "https://a", "http://a/token", false),
            ("https://a", "https://a", "file:///etc/passwd", false),
            ("http://127.0.0.1:1", "http://127.0.0.1:1", "http://127.0.0.1:1/token", true),
            ("http://lan", "http://lan", "http://lan/token", true),
            ("http://lan", "http://lan", "http://other/token", false),
        ] {
            let checked = metadata(told, endpoint).check(issuer, &Url::parse(issuer).unwrap());
            assert_eq!(checked.is_ok(), is_good, "{issuer} {told} {endpoint}");
        }
    }
}
