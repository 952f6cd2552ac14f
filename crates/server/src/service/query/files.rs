//! Files on the web for `externaldata`: read only where an operator allows it, only from public addresses, and only up
//! to a size and a time. Each name is looked up once; what was checked is what is connected to.

mod addresses;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tidegauge_engine::Files;
use tokio::time::timeout;
use url::{Host, Url};

use crate::config::ExternalData;

/// Largest file, in bytes.
const BYTES_MAX: usize = 5 << 20;

/// Longest time for one file, from the look-up of the name to the last byte.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Longest address.
const ADDRESS_MAX: usize = 2_048;

/// Reads files on the web.
#[derive(Debug)]
pub struct WebFiles {
    settings: ExternalData,
    /// Whether an address may be connected to.
    is_allowed: fn(IpAddr) -> bool,
}

impl WebFiles {
    pub fn new(settings: ExternalData) -> Self {
        Self { settings, is_allowed: addresses::is_public }
    }

    async fn fetched(&self, address: &str) -> Result<Vec<u8>, String> {
        let (url, host) = self.checked(address)?;
        let port = url.port_or_known_default().ok_or("the address has no port")?;
        let addresses = self.resolved(&host, port).await?;
        // The client must not look the name up again: another answer could lead elsewhere.
        let client = Client::builder()
            .resolve_to_addrs(&host, &addresses)
            .redirect(Policy::none())
            .no_proxy()
            .https_only(!self.settings.allows_plain_http)
            .user_agent("tidegauge")
            .build()
            .map_err(|error| format!("the file cannot be asked for: {error}"))?;
        let response = client.get(url).send().await.map_err(|error| unread(&error))?;
        body(response).await
    }

    /// The address, if files may be read there at all, with its host.
    fn checked(&self, address: &str) -> Result<(Url, String), String> {
        let no_url = "the address must be a URL such as https://example.com/data.csv";
        if address.len() > ADDRESS_MAX {
            return Err(no_url.to_owned());
        }
        let url = Url::parse(address).map_err(|_| no_url.to_owned())?;
        match url.scheme() {
            "https" => {}
            "http" if self.settings.allows_plain_http => {}
            "http" => return Err("files are read over https only".to_owned()),
            _ => return Err(no_url.to_owned()),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the address must not hold a user or a password".to_owned());
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_ascii_lowercase(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => return Err(no_url.to_owned()),
        };
        if !self.is_listed(&host) {
            return Err(format!("files are not read from {host:?}: it is not among external_data_hosts"));
        }
        Ok((url, host))
    }

    /// Whether a host is among those of the settings; none of them stands for all.
    fn is_listed(&self, host: &str) -> bool {
        let hosts = &self.settings.hosts;
        hosts.is_empty()
            || hosts.iter().any(|listed| match listed.strip_prefix("*.") {
                Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
                None => listed == host,
            })
    }

    /// The addresses of a host. If one of them is not public, the name is not to be trusted.
    async fn resolved(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
        let found = match host.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => tokio::net::lookup_host((host, port))
                .await
                .map_err(|_| format!("the host {host:?} is not known"))?
                .collect(),
        };
        if found.is_empty() {
            return Err(format!("the host {host:?} is not known"));
        }
        if !found.iter().all(|address| (self.is_allowed)(address.ip())) {
            return Err(format!("files are not read from {host:?}: its address is not a public one"));
        }
        Ok(found)
    }
}

impl Files for WebFiles {
    fn read<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        async move {
            match timeout(TIME_MAX, self.fetched(address)).await {
                Ok(read) => read,
                Err(_) => Err(format!("the file did not come within {} s", TIME_MAX.as_secs())),
            }
        }
        .boxed()
    }
}

/// The body of an answer, as long as it is not too large.
async fn body(mut response: Response) -> Result<Vec<u8>, String> {
    let status = response.status();
    if status.is_redirection() {
        return Err("the file is elsewhere: write the address that it is at".to_owned());
    }
    if !status.is_success() {
        return Err(format!("the file cannot be read: its server answers {}", status.as_u16()));
    }
    let too_large = || format!("the file is larger than {} MiB", BYTES_MAX >> 20);
    if response.content_length().is_some_and(|length| length > BYTES_MAX as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unread(&error))? {
        if bytes.len() + chunk.len() > BYTES_MAX {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Without the address, which may hold a secret.
fn unread(error: &reqwest::Error) -> String {
    let cause = if error.is_connect() { "its server cannot be reached" } else { "the connection broke off" };
    format!("the file cannot be read: {cause}")
}

#[cfg(test)]
mod tests;
