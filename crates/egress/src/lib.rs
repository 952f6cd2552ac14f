//! Requests of the service to addresses that somebody else chose: each name is looked up once, checked, and what was
//! checked is connected to; no redirects, no proxy, bounded in size and time. Where one may go is left to the caller.

pub mod addresses;
pub mod networks;
pub mod resolver;
pub mod webhook;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use tokio::time::timeout;
use url::{Host, Url};

use crate::resolver::Pinned;

/// Longest address.
const ADDRESS_MAX: usize = 2_048;

/// Fetches from addresses that others chose, within limits.
#[derive(Clone, Copy, Debug)]
pub struct Fetcher {
    /// Whether an address may be connected to.
    pub is_allowed: fn(IpAddr) -> bool,
    /// Over which addresses a request may go without TLS.
    pub plain: PlainHttp,
    pub bytes_max: usize,
    /// From the look-up of the name to the last byte.
    pub time_max: Duration,
}

/// Where a request may go without TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainHttp {
    Nowhere,
    /// To the machine itself.
    Loopback,
    Anywhere,
}

/// Why there is no response. The texts hold nothing of the address but its host, because the rest may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    #[error("the address is not a URL such as https://example.com/path")]
    NoUrl,
    #[error("the address must begin with https://")]
    NotEncrypted,
    #[error("the address must not hold a user or a password")]
    HasUser,
    #[error("the host {0:?} is not known")]
    UnknownHost(String),
    #[error("the address of {0:?} is not a public one")]
    NotPublic(String),
    #[error("the header {0:?} cannot be sent")]
    WrongHeader(String),
    #[error("the server cannot be reached")]
    Unreachable,
    #[error("the connection broke off")]
    BrokenOff,
    #[error("the answer leads elsewhere")]
    Redirected,
    #[error("the server answers {0}")]
    Status(u16),
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the answer did not come within {} s", .0.as_secs())]
    TooSlow(Duration),
}

/// A request.
#[derive(Clone, Debug)]
pub struct FetchRequest<'a> {
    pub url: &'a Url,
    /// Sent as a form, by POST; without one it is a GET.
    pub form: Option<&'a [(&'a str, &'a str)]>,
    /// A user and a password for the header of RFC 7617.
    pub basic: Option<(&'a str, &'a str)>,
}

/// A response, read to its end.
#[derive(Clone, Debug)]
pub struct FetchResponse {
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

/// Reads an address, without deciding whether it may be requested, with its host in lower case.
pub fn read_address(address: &str) -> Result<(Url, String), EgressError> {
    if address.len() > ADDRESS_MAX {
        return Err(EgressError::NoUrl);
    }
    let url = Url::parse(address).map_err(|_| EgressError::NoUrl)?;
    if !matches!(url.scheme(), "https" | "http") {
        return Err(EgressError::NoUrl);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(EgressError::HasUser);
    }
    let host = host(&url).ok_or(EgressError::NoUrl)?;
    Ok((url, host))
}

fn host(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) => Some(name.to_ascii_lowercase()),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}

impl Fetcher {
    /// Sends a request and reads the whole response. A status other than 2xx is an error.
    pub async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, EgressError> {
        match timeout(self.time_max, self.answer(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(EgressError::TooSlow(self.time_max)),
        }
    }

    async fn answer(&self, request: FetchRequest<'_>) -> Result<FetchResponse, EgressError> {
        let url = request.url;
        let host = host(url).ok_or(EgressError::NoUrl)?;
        let port = url.port_or_known_default().ok_or(EgressError::NoUrl)?;
        let addresses = self.resolved(&host, port).await?;
        let is_plain_allowed = match self.plain {
            PlainHttp::Nowhere => false,
            PlainHttp::Loopback => addresses.iter().all(|address| address.ip().is_loopback()),
            PlainHttp::Anywhere => true,
        };
        if url.scheme() != "https" && !is_plain_allowed {
            return Err(EgressError::NotEncrypted);
        }
        let client = Client::builder()
            .dns_resolver(Pinned(addresses))
            .redirect(Policy::none())
            .no_proxy()
            .https_only(!is_plain_allowed)
            .user_agent("tidegauge")
            .build()
            .map_err(|_| EgressError::Unreachable)?;
        let method = if request.form.is_some() { Method::POST } else { Method::GET };
        let mut builder = client.request(method, url.clone());
        if let Some(form) = request.form {
            let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
            builder = builder.header("content-type", "application/x-www-form-urlencoded").body(body);
        }
        if let Some((user, password)) = request.basic {
            builder = builder.basic_auth(user, Some(password));
        }
        let response = builder.header("accept", "*/*").send().await.map_err(|error| broken(&error))?;
        self.read(response).await
    }

    /// The addresses of a host. If one of them is not allowed, the name is not to be trusted.
    async fn resolved(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, EgressError> {
        let found: Vec<SocketAddr> = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => tokio::net::lookup_host((host, port))
                .await
                .map_err(|_| EgressError::UnknownHost(host.to_owned()))?
                .collect(),
        };
        if found.is_empty() {
            return Err(EgressError::UnknownHost(host.to_owned()));
        }
        if !found.iter().all(|address| (self.is_allowed)(address.ip())) {
            return Err(EgressError::NotPublic(host.to_owned()));
        }
        Ok(found)
    }

    /// The body of an answer, as long as it is not too large.
    async fn read(&self, mut response: Response) -> Result<FetchResponse, EgressError> {
        let status = response.status();
        if status.is_redirection() {
            return Err(EgressError::Redirected);
        }
        if !status.is_success() {
            return Err(EgressError::Status(status.as_u16()));
        }
        if response.content_length().is_some_and(|length| length > self.bytes_max as u64) {
            return Err(EgressError::TooLarge(self.bytes_max));
        }
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| broken(&error))? {
            if bytes.len() + chunk.len() > self.bytes_max {
                return Err(EgressError::TooLarge(self.bytes_max));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(FetchResponse { headers, bytes })
    }
}

fn broken(error: &reqwest::Error) -> EgressError {
    if error.is_connect() { EgressError::Unreachable } else { EgressError::BrokenOff }
}
