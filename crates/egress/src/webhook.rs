//! Messages to addresses that somebody else chose. The form of an address and a literal one are checked when it is
//! saved; with each send they are checked again together with what the name stands for at that moment, and what was
//! checked is connected to. Of the answer the status counts; its body is read to a limit and dropped.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use tokio::time::timeout;
use url::Url;

use crate::networks::Network;
use crate::resolver::{Pinned, Resolver};
use crate::{EgressError, addresses, broken, host, read_address};

/// Headers that say how a message travels; who writes them could smuggle another request behind it.
const TRANSPORT_HEADERS: [&str; 10] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-connection",
];

/// What messages to others are held to.
#[derive(Clone, Debug)]
pub struct WebhookClient {
    /// Networks that are no public ones and may be reached all the same.
    pub allowed: Vec<Network>,
    /// Whether a message may go without TLS.
    pub allows_plain_http: bool,
    pub connect_time_max: Duration,
    /// From the look-up of the name to the last byte of the answer.
    pub time_max: Duration,
    /// How much of an answer is read.
    pub response_bytes_max: usize,
    pub resolver: Arc<dyn Resolver>,
}

/// A webhook request: a POST.
#[derive(Clone, Debug)]
pub struct WebhookRequest<'a> {
    pub url: &'a str,
    pub headers: &'a [(String, String)],
    pub body: &'a str,
}

/// What came back: the status counts, the body is dropped.
#[derive(Clone, Debug)]
pub struct WebhookResponse {
    pub status: u16,
    /// What the receiver has in the header of that name.
    pub retry_after: Option<String>,
}

/// Whether a header belongs to the transport, so that a message cannot set it.
pub fn is_transport_header(header: &str) -> bool {
    TRANSPORT_HEADERS.iter().any(|known| header.eq_ignore_ascii_case(known))
}

impl WebhookClient {
    /// Checks what can be known of an address without looking its name up.
    pub fn check(&self, address: &str) -> Result<(Url, String), EgressError> {
        let (url, host) = read_address(address)?;
        if url.scheme() != "https" && !self.allows_plain_http {
            return Err(EgressError::NotEncrypted);
        }
        if let Ok(literal) = host.parse::<IpAddr>()
            && !self.may_reach(literal)
        {
            return Err(EgressError::NotPublic(host));
        }
        Ok((url, host))
    }

    fn may_reach(&self, address: IpAddr) -> bool {
        addresses::is_public(address) || self.allowed.iter().any(|network| network.contains(address))
    }

    /// Sends once, and tells the status of the answer whatever it is.
    pub async fn send(&self, request: WebhookRequest<'_>) -> Result<WebhookResponse, EgressError> {
        let mut status = None;
        let sent = timeout(self.time_max, self.deliver(request, &mut status)).await;
        match (status, sent) {
            // The receiver has answered; what becomes of the rest of its answer changes nothing.
            (Some(response_head), _) => Ok(response_head),
            (None, Ok(Err(problem))) => Err(problem),
            (None, Ok(Ok(())) | Err(_)) => Err(EgressError::TooSlow(self.time_max)),
        }
    }

    async fn deliver(
        &self,
        request: WebhookRequest<'_>,
        response_head: &mut Option<WebhookResponse>,
    ) -> Result<(), EgressError> {
        let (url, host) = self.check(request.url)?;
        let port = url.port_or_known_default().ok_or(EgressError::NoUrl)?;
        let addresses = self.resolved(&host, port).await?;
        let client = Client::builder()
            .dns_resolver(Pinned(addresses))
            .redirect(Policy::none())
            .no_proxy()
            .https_only(!self.allows_plain_http)
            .connect_timeout(self.connect_time_max)
            .user_agent("tidegauge")
            .build()
            .map_err(|_| EgressError::Unreachable)?;
        let builder = client.post(url).headers(headers(request.headers)?).body(request.body.to_owned());
        let mut response = builder.send().await.map_err(|error| broken(&error))?;
        let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        *response_head = Some(WebhookResponse {
            status: response.status().as_u16(),
            retry_after: retry_after.map(str::to_owned),
        });
        // A receiver that is cut off in the middle of its answer may take the message for not delivered.
        let mut length = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            length += chunk.len();
            if length > self.response_bytes_max {
                break;
            }
        }
        Ok(())
    }

    /// The addresses of a host. If one of them is not allowed, the name is not to be trusted.
    async fn resolved(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, EgressError> {
        let found = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => {
                let unknown = |_| EgressError::UnknownHost(host.to_owned());
                self.resolver.resolve(host, port).await.map_err(unknown)?
            }
        };
        if found.is_empty() {
            return Err(EgressError::UnknownHost(host.to_owned()));
        }
        if !found.iter().all(|address| self.may_reach(address.ip())) {
            return Err(EgressError::NotPublic(host.to_owned()));
        }
        Ok(found)
    }
}

/// What tells receivers apart: who shares a host and a port shares its trouble.
pub fn target(url: &Url) -> String {
    let host = host(url).unwrap_or_default();
    format!("{host}:{}", url.port_or_known_default().unwrap_or_default())
}

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, EgressError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let refused = || EgressError::WrongHeader(name.clone());
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?;
        if is_transport_header(known.as_str()) {
            return Err(refused());
        }
        let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| refused())?;
        value.set_sensitive(true);
        headers.insert(known, value);
    }
    Ok(headers)
}
