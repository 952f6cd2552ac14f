//! The address under which the service is reached from outside. It decides what links begin with, from which origin
//! browsers may act, and whether cookies are for HTTPS only.

use std::fmt;
use std::net::SocketAddr;

use url::{Host, Url};

/// Why a text is no such address.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotAnOrigin(String);

/// An origin such as `https://events.example.com`, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    text: String,
    is_https: bool,
}

impl PublicUrl {
    /// Reads an address of the form `http://host:port` or `https://host:port`.
    pub fn parse(text: &str) -> Result<Self, NotAnOrigin> {
        let problem =
            || NotAnOrigin(format!("{text:?} is not an address such as https://events.example.com"));
        let url = Url::parse(text).map_err(|_| problem())?;
        let is_https = url.scheme() == "https";
        if !(is_https || url.scheme() == "http") || !url.has_host() {
            return Err(problem());
        }
        let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !is_bare || url.fragment().is_some() || url.path() != "/" {
            return Err(NotAnOrigin("must have nothing beside scheme, host and port".to_owned()));
        }
        Ok(Self { text: url.origin().ascii_serialization(), is_https })
    }

    /// Where a listener is found from its own machine.
    pub fn of_listener(address: SocketAddr, is_https: bool) -> Self {
        let scheme = if is_https { "https" } else { "http" };
        let host = match address {
            address if address.ip().is_unspecified() => Host::Domain("localhost"),
            SocketAddr::V4(address) => Host::Ipv4(*address.ip()),
            SocketAddr::V6(address) => Host::Ipv6(*address.ip()),
        };
        // Through the same reading, so that the port of a scheme is left out here too.
        let text = format!("{scheme}://{host}:{}", address.port());
        match Self::parse(&text) {
            Ok(parsed) => parsed,
            Err(_) => Self { text, is_https },
        }
    }

    /// The address, which is also the origin of the service's own pages.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn is_https(&self) -> bool {
        self.is_https
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_text() {
        for (text, expected) in [
            ("https://Events.Example.com/", "https://events.example.com"),
            ("https://events.example.com:443", "https://events.example.com"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:80/", "http://[::1]"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn what_is_more_or_less_than_an_origin_is_refused() {
        for text in [
            "events.example.com",
            "ftp://events.example.com",
            "https://",
            "https://a@events.example.com",
            "https://events.example.com/base",
            "https://events.example.com?x",
            "https://events.example.com#x",
        ] {
            assert!(PublicUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_listener_is_found_from_its_own_machine() {
        for (address, is_https, expected) in [
            ("127.0.0.1:8080", false, "http://127.0.0.1:8080"),
            ("0.0.0.0:80", false, "http://localhost"),
            ("[::]:443", true, "https://localhost"),
            ("[::1]:8080", true, "https://[::1]:8080"),
        ] {
            assert_eq!(PublicUrl::of_listener(address.parse().unwrap(), is_https).as_str(), expected);
        }
    }
}
