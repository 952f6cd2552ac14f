//! From where a request comes: the other end of its connection or, where that is a trusted proxy, whom the proxy names.
//! `X-Forwarded-For` is read from its end: each proxy adds to it whom it was asked by, and what stands before that is
//! what the caller sent. No other header is read, because a proxy that writes one passes the others on as they came.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use tidegauge_admission::config::TrustedProxies;
use tidegauge_app::App;

pub const FORWARDED_FOR: &str = "x-forwarded-for";

/// More proxies than stand behind each other anywhere.
const HOPS_MAX: usize = 32;

/// Longer than any address with its port.
const HOP_BYTES_MAX: usize = 64;

/// The address that a request counts for. None where there is no connection.
pub fn of(app: &App, parts: &Parts) -> Option<IpAddr> {
    let ConnectInfo(peer) = parts.extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(caller(&app.trusted_proxies, peer.ip(), &parts.headers))
}

/// The first address on the way back that is not a trusted proxy's; where the way ends before, the last one that is known.
pub fn caller(proxies: &TrustedProxies, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    let hops = hops.take(HOPS_MAX).map(<[u8]>::trim_ascii).filter(|hop| !hop.is_empty());
    let mut caller = peer.to_canonical();
    for hop in hops {
        if !proxies.contains(caller) {
            break;
        }
        let Some(named) = read(hop) else { break };
        caller = named;
    }
    caller
}

/// An address, which some proxies write in brackets or with its port.
fn read(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok().filter(|text| text.len() <= HOP_BYTES_MAX)?;
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().or_else(|_| text.parse::<SocketAddr>().map(|it| it.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn from(peer: &str, lines: &[&str]) -> String {
        let proxies = "10.0.0.0/8, 2001:db8:f::/48".parse().unwrap();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        caller(&proxies, peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(from("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(from("127.0.0.1", &["198.51.100.1"]), "127.0.0.1");
        assert_eq!(from("10.1.2.3", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(from("::ffff:10.1.2.3", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(from("2001:db8:f::1", &["2001:db8:1::7"]), "2001:db8:1::7");
        assert_eq!(from("10.1.2.3", &[]), "10.1.2.3");
    }

    #[test]
    fn what_a_caller_claims_stands_before_what_proxies_add() {
        for lines in [
            &["192.0.2.1, 198.51.100.1"][..],
            &["192.0.2.1", "198.51.100.1"],
            &["127.0.0.1,10.9.9.9 , 198.51.100.1,10.4.4.4"],
            &["10.9.9.9, 198.51.100.1", "10.4.4.4", "10.5.5.5,"],
            &["nonsense, 198.51.100.1"],
        ] {
            assert_eq!(from("10.1.2.3", lines), "198.51.100.1", "{lines:?}");
        }
        assert_eq!(from("10.1.2.3", &["10.7.7.7, 10.4.4.4"]), "10.7.7.7", "all are trusted");
    }

    #[test]
    fn addresses_are_read_as_proxies_write_them() {
        for (written, expected) in [
            ("198.51.100.1:4711", "198.51.100.1"),
            ("[2001:db8:1::7]:443", "2001:db8:1::7"),
            ("[2001:db8:1::7]", "2001:db8:1::7"),
            ("::ffff:198.51.100.1", "198.51.100.1"),
            ("\t198.51.100.1 ", "198.51.100.1"),
        ] {
            assert_eq!(from("10.1.2.3", &[written]), expected, "{written}");
        }
    }

    #[test]
    fn what_is_no_address_ends_the_way() {
        let long = "1".repeat(300_000);
        for wrong in ["unknown", "_hidden", "for=198.51.100.1", "1.2.3.4.5", "\u{fc}", "[]", "1 2", &long] {
            assert_eq!(from("10.1.2.3", &[wrong]), "10.1.2.3", "{wrong}");
            let behind = format!("198.51.100.1, {wrong}, 10.4.4.4");
            assert_eq!(from("10.1.2.3", &[&behind]), "10.4.4.4", "{wrong}");
        }
        assert_eq!(from("10.1.2.3", &[&",".repeat(100_000)]), "10.1.2.3");
        let endless = "10.4.4.4,".repeat(20_000);
        assert_eq!(from("10.1.2.3", &[&format!("198.51.100.1,{endless}")]), "10.4.4.4");
    }
}
