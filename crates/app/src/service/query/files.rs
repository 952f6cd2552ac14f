//! Files on the web for `externaldata`: read only where an operator allows it, only from public addresses, and only up
//! to a size and a time. How a request is kept to what was checked is left to `egress`.

use std::net::IpAddr;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidegauge_admission::config::ExternalData;
use tidegauge_engine::Files;
use url::Url;

use tidegauge_egress::{EgressError, FetchRequest, Fetcher, PlainHttp, addresses, read_address};

/// Largest file, in bytes.
const BYTES_MAX: usize = 5 << 20;

/// Longest time for one file.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Reads files on the web.
#[derive(Debug)]
pub struct WebFiles {
    settings: ExternalData,
    /// Whether an address may be connected to.
    is_allowed: fn(IpAddr) -> bool,
    /// From the look-up of the name to the last byte.
    time_max: Duration,
}

impl WebFiles {
    pub fn new(settings: ExternalData) -> Self {
        Self { settings, is_allowed: addresses::is_public, time_max: TIME_MAX }
    }

    async fn fetched(&self, address: &str) -> Result<Vec<u8>, String> {
        let url = self.checked(address)?;
        let fetcher = Fetcher {
            is_allowed: self.is_allowed,
            plain: if self.settings.allows_plain_http { PlainHttp::Anywhere } else { PlainHttp::Nowhere },
            bytes_max: BYTES_MAX,
            time_max: self.time_max,
        };
        let request = FetchRequest { url: &url, form: None, basic: None };
        Ok(fetcher.fetch(request).await.map_err(said)?.bytes)
    }

    /// The address, if files may be read there at all.
    fn checked(&self, address: &str) -> Result<Url, String> {
        let (url, host) = read_address(address).map_err(said)?;
        if url.scheme() == "http" && !self.settings.allows_plain_http {
            return Err(said(EgressError::NotEncrypted));
        }
        if !self.is_listed(&host) {
            return Err(format!("files are not read from {host:?}: it is not among external_data_hosts"));
        }
        Ok(url)
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
}

impl Files for WebFiles {
    fn read<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        self.fetched(address).boxed()
    }
}

/// What is said to who asked for a file.
fn said(problem: EgressError) -> String {
    match problem {
        EgressError::NoUrl => "the address must be a URL such as https://example.com/data.csv".to_owned(),
        EgressError::NotEncrypted => "files are read over https only".to_owned(),
        EgressError::HasUser => "the address must not hold a user or a password".to_owned(),
        EgressError::UnknownHost(host) => format!("the host {host:?} is not known"),
        EgressError::NotPublic(host) => {
            format!("files are not read from {host:?}: its address is not a public one")
        }
        EgressError::Unreachable => "the file cannot be read: its server cannot be reached".to_owned(),
        EgressError::BrokenOff => "the file cannot be read: the connection broke off".to_owned(),
        EgressError::Redirected => "the file is elsewhere: write the address that it is at".to_owned(),
        EgressError::Status(status) => format!("the file cannot be read: its server answers {status}"),
        EgressError::TooLarge(_) => format!("the file is larger than {} MiB", BYTES_MAX >> 20),
        EgressError::WrongHeader(name) => format!("the header {name:?} cannot be sent"),
        EgressError::TooSlow(time) => format!("the file did not come within {} s", time.as_secs()),
    }
}

#[cfg(test)]
mod tests;
