//! What an issuer says of itself: its metadata, in the form of RFC 8414 or of OpenID, and its keys. Everything here
//! comes from the issuer's settings or from answers over TLS from it, never from a token.

use std::time::Duration;

use reqwest::header::{CACHE_CONTROL, HeaderMap};
use serde::Deserialize;
use tidegauge_auth::oauth::KeySet;
use tidegauge_auth::oauth::keys::KEY_SET_BYTES_MAX;
use url::Url;

use tidegauge_egress::{EgressError, FetchRequest, Fetcher, PlainHttp, addresses, read_address};

/// Keys are fetched again after what the issuer says, but within these bounds.
const FRESH_MIN: Duration = Duration::from_secs(5 * 60);
const FRESH_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// When it says nothing.
pub const FRESH_DEFAULT: Duration = Duration::from_secs(60 * 60);

/// What counts of an issuer's metadata.
#[derive(Clone, Debug, Deserialize)]
pub struct Metadata {
    issuer: String,
    jwks_uri: Option<String>,
    introspection_endpoint: Option<String>,
}

/// Why an issuer cannot be asked; for the log and for operators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("its metadata cannot be read: {0}")]
    Metadata(EgressError),
    #[error("its metadata is not the JSON of RFC 8414")]
    MalformedMetadata,
    #[error("its metadata names another issuer: write the url exactly as the issuer writes itself")]
    OtherIssuer,
    #[error("its metadata has no usable {0}")]
    MissingEndpoint(&'static str),
    #[error("its keys cannot be read: {0}")]
    Keys(EgressError),
    #[error("{0}")]
    KeySet(#[from] tidegauge_auth::oauth::KeySetError),
}

/// How an issuer is reached. Where its settings allow private addresses, any address is allowed: the operator chose it.
pub fn fetcher(allows_private_address: bool, time_max: Duration) -> Fetcher {
    Fetcher {
        is_allowed: if allows_private_address { |_| true } else { addresses::is_public },
        plain: if allows_private_address { PlainHttp::Loopback } else { PlainHttp::Nowhere },
        bytes_max: KEY_SET_BYTES_MAX,
        time_max,
    }
}

/// The addresses of an issuer's metadata: RFC 8414 puts the name before the path of the issuer, OpenID behind it.
fn addresses_of(issuer: &str) -> Result<[Url; 2], Failure> {
    let (url, _) = read_address(issuer).map_err(Failure::Metadata)?;
    let path = url.path().trim_end_matches('/');
    let mut first = url.clone();
    first.set_path(&format!("/.well-known/oauth-authorization-server{path}"));
    let mut second = url.clone();
    second.set_path(&format!("{path}/.well-known/openid-configuration"));
    Ok([first, second])
}

/// Finds an issuer's metadata. It must name the issuer that was asked for (RFC 8414, 3.3).
pub async fn find_metadata(issuer: &str, fetcher: Fetcher) -> Result<Metadata, Failure> {
    let mut last = Failure::MalformedMetadata;
    for url in addresses_of(issuer)? {
        match fetcher.fetch(FetchRequest { url: &url, form: None, basic: None }).await {
            Ok(answer) => match serde_json::from_slice::<Metadata>(&answer.bytes) {
                Ok(metadata) if metadata.issuer == issuer => return Ok(metadata),
                Ok(_) => return Err(Failure::OtherIssuer),
                Err(_) => last = Failure::MalformedMetadata,
            },
            // Only an issuer that does not know the first form is asked for the second.
            Err(EgressError::Status(status)) => last = Failure::Metadata(EgressError::Status(status)),
            Err(problem) => return Err(Failure::Metadata(problem)),
        }
    }
    Err(last)
}

impl Metadata {
    /// Fetches the keys, with how long they count.
    pub async fn find_keys(&self, fetcher: Fetcher) -> Result<(KeySet, Duration), Failure> {
        let url = endpoint(self.jwks_uri.as_deref(), "jwks_uri")?;
        let request = FetchRequest { url: &url, form: None, basic: None };
        let answer = fetcher.fetch(request).await.map_err(Failure::Keys)?;
        Ok((KeySet::from_json(&answer.bytes)?, freshness(&answer.headers)))
    }

    /// Where tokens are asked about.
    pub fn introspection(&self) -> Result<Url, Failure> {
        endpoint(self.introspection_endpoint.as_deref(), "introspection_endpoint")
    }
}

fn endpoint(address: Option<&str>, name: &'static str) -> Result<Url, Failure> {
    let address = address.ok_or(Failure::MissingEndpoint(name))?;
    read_address(address).map(|(url, _)| url).map_err(|_| Failure::MissingEndpoint(name))
}

/// How long an answer counts by its `Cache-Control`, within our bounds.
fn freshness(headers: &HeaderMap) -> Duration {
    let text = headers.get(CACHE_CONTROL).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let seconds = text.split(',').find_map(|part| part.trim().strip_prefix("max-age=")?.parse().ok());
    seconds.map_or(FRESH_DEFAULT, Duration::from_secs).clamp(FRESH_MIN, FRESH_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_address_are_asked() {
        let [first, second] = addresses_of("https://login.example.com/realms/logs/").unwrap();
        assert_eq!(
            first.as_str(),
            "https://login.example.com/.well-known/oauth-authorization-server/realms/logs"
        );
        assert_eq!(second.as_str(), "https://login.example.com/realms/logs/.well-known/openid-configuration");
        let [first, _] = addresses_of("https://login.example.com").unwrap();
        assert_eq!(first.as_str(), "https://login.example.com/.well-known/oauth-authorization-server");
    }

    #[test]
    fn keys_count_between_five_minutes_and_a_day() {
        let seconds = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, text.parse().unwrap());
            freshness(&headers).as_secs()
        };
        assert_eq!(seconds("public, max-age=900"), 900);
        assert_eq!(seconds("max-age=0"), 300);
        assert_eq!(seconds("max-age=99999999999"), 86_400);
        assert_eq!(seconds("no-store"), 3_600);
        assert_eq!(freshness(&HeaderMap::new()).as_secs(), 3_600);
    }
}
