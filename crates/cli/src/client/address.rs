//! Addresses of servers: a path below that of a server, and whether one is on this machine.

use anyhow::{Context, bail};
use reqwest::Url;

/// The address of a path below that of a server.
pub fn address(text: &str, path: &[&str]) -> anyhow::Result<Url> {
    let mut url =
        Url::parse(text).with_context(|| format!("{text:?} is not a URL such as http://host:8080"))?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("{text:?} is not a URL such as http://host:8080: it must begin with http:// or https://");
    }
    match url.path_segments_mut() {
        Ok(mut segments) => {
            segments.pop_if_empty().extend(path);
        }
        Err(()) => bail!("{text:?} is not a URL such as http://host:8080"),
    }
    Ok(url)
}

/// Whether an address is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
