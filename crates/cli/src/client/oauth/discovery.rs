//! Finds the authorisation server of a Tidegauge and its endpoints: by what the Tidegauge says of itself (RFC 9728), or
//! else as if it were its own, and by what that server says of itself (RFC 8414, or OpenID). What is asked of it, by
//! which name and for which scopes, the operator may have said too.

use anyhow::{Context, bail};
use reqwest::Url;
use serde::Deserialize;

use super::http::{Http, printable};
use super::login::Login;
use super::metadata::{Endpoint, Metadata};
use super::store::Target;
use crate::client::address::{address, is_loopback};

/// An authorisation server, as it says, and how it is to be asked.
#[derive(Clone, Debug)]
pub struct Found {
    pub metadata: Metadata,
    /// What says there which service the tokens are for, where it has told one.
    pub target: Option<Target>,
    pub login: Login,
}

#[derive(Debug, Default, Deserialize)]
struct ProtectedResource {
    resource: Option<String>,
    #[serde(default)]
    authorization_servers: Vec<String>,
    /// What the operator says about signing in at them.
    #[serde(default)]
    tidegauge_login: Vec<Login>,
}

impl ProtectedResource {
    /// The issuer that is meant: the one that the user names, or the first.
    fn issuer(&self, named: Option<&str>) -> anyhow::Result<Option<String>> {
        let known = &self.authorization_servers;
        match named {
            None => Ok(known.first().cloned()),
            Some(named) if known.iter().any(|one| one == named) => Ok(Some(named.to_owned())),
            Some(named) => {
                let known = printable(&known.join(", "));
                bail!("the server does not take tokens of {named}: those that it takes are of {known}")
            }
        }
    }
}

/// Finds where to sign in at a server; `named` is the issuer that is meant, of several.
pub async fn discover(http: &Http, server: &str, named: Option<&str>) -> anyhow::Result<Found> {
    let server = address(server, &[])?;
    let about = well_known(&server, "oauth-protected-resource");
    let told: ProtectedResource = http.document(&about).await?.unwrap_or_default();
    if let Some(resource) = &told.resource {
        check_is_meant(&server, resource)?;
    }
    let issuer = told.issuer(named)?;
    let issuer = issuer.unwrap_or_else(|| server.as_str().trim_end_matches('/').to_owned());
    let at = Url::parse(&issuer).with_context(|| format!("{issuer:?} is not the address of an issuer"))?;
    if server.scheme() == "https" && at.scheme() != "https" {
        bail!("{server} names the issuer {issuer}, which is not reached by https");
    }
    let metadata = find_metadata(http, &issuer, &at).await?;
    let login = told.tidegauge_login.into_iter().find(|login| login.issuer == issuer);
    let target = match &login {
        Some(login) => login.target(),
        None => told.resource.map(Target::resource),
    };
    if let Some(Target { value, .. }) = &target {
        check_is_meant(&server, value)?;
    }
    Ok(Found { metadata, target, login: login.unwrap_or_default() })
}

/// A server gets the tokens of who signs in at it, so they must not be for another one, where their name tells that (RFC
/// 9728, 3.3). On this machine it may be reached by another address than its own.
fn check_is_meant(server: &Url, name: &str) -> anyhow::Result<()> {
    let is_other = Url::parse(name)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.origin() != server.origin());
    if is_other && !is_loopback(server) {
        let name = printable(name);
        bail!(
            "the tokens of {server} would be for {name}: if that is the server that you mean, give it as --url"
        );
    }
    Ok(())
}

/// The description of an issuer: RFC 8414 puts it in front of the issuer's path, OpenID behind it.
async fn find_metadata(http: &Http, issuer: &str, at: &Url) -> anyhow::Result<Metadata> {
    let mut failure = None;
    for address in [well_known(at, "oauth-authorization-server"), openid(at)] {
        match http.document::<Metadata>(&address).await {
            Ok(Some(metadata)) => {
                metadata.check(issuer, at)?;
                return Ok(metadata);
            }
            Ok(None) => {}
            // A server that knows only the other form may answer this one with a page.
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    let hint = format!(
        "{issuer} does not say how to sign in: see that --url is right, and that it has an authorisation server"
    );
    match failure {
        Some(failure) => Err(failure.context(hint)),
        None => bail!(hint),
    }
}

/// The well-known address that belongs to another: in front of its path, as RFC 8414 and RFC 9728 have it.
fn well_known(about: &Url, name: &str) -> Url {
    let path = about.path().trim_end_matches('/').to_owned();
    with_path(about, &format!("/.well-known/{name}{path}"))
}

/// The same as OpenID has it.
fn openid(about: &Url) -> Url {
    let path = about.path().trim_end_matches('/').to_owned();
    with_path(about, &format!("{path}/.well-known/openid-configuration"))
}

fn with_path(about: &Url, path: &str) -> Url {
    let mut url = about.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(path);
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
    fn documents_stand_in_front_of_the_path_and_those_of_openid_behind_it() {
        for (about, expected) in [
            ("https://host", "https://host/.well-known/x"),
            ("https://host:8443/", "https://host:8443/.well-known/x"),
            ("https://host/a/b/?c#d", "https://host/.well-known/x/a/b"),
        ] {
            assert_eq!(well_known(&Url::parse(about).unwrap(), "x").as_str(), expected);
        }
        let realm = Url::parse("https://host/realms/logs/").unwrap();
        assert_eq!(openid(&realm).as_str(), "https://host/realms/logs/.well-known/openid-configuration");
    }

    #[test]
    fn a_server_gets_no_tokens_that_are_for_another() {
        for (server, name, is_good) in [
            ("https://a/", "https://a", true),
            ("https://a/sub", "https://a/sub", true),
            ("https://a/", "https://b", false),
            ("https://a/", "https://a:8443", false),
            ("https://a/", "http://a", false),
            ("http://127.0.0.1:8080/", "https://b", true),
        ] {
            let checked = check_is_meant(&Url::parse(server).unwrap(), name);
            assert_eq!(checked.is_ok(), is_good, "{server} {name}");
        }
        // A name that is no address tells nothing.
        check_is_meant(&Url::parse("https://a").unwrap(), "api://logs").unwrap();
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
