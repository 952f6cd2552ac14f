//! What reads bytes of requests here, each by itself, for the fuzz targets: nothing must happen but an answer. Nobody else
//! should use it.

use std::net::{IpAddr, Ipv4Addr};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use tidegauge_admission::config::TrustedProxies;
use tidegauge_model::Timestamp;
use tidegauge_web::caller_address;

use crate::endpoint_path;
use crate::logged_path::logged_path;
use crate::resources::mcp;
use crate::senders::face::Face;
use crate::senders::head::is_elastic_probe;

/// Where the requests of the targets seem to come from.
const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 1, 2, 3));

/// A message of the Model Context Protocol: headers, one in a line, and behind an empty line the body.
pub fn mcp_message(data: &[u8]) {
    let end = data.windows(2).position(|two| two == b"\n\n").unwrap_or(data.len());
    let (head, body) = (&data[..end], data.get(end + 2..).unwrap_or_default());
    let mut headers = HeaderMap::new();
    for line in head.split(|byte| *byte == b'\n') {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { continue };
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    mcp::try_message(&headers, body);
}

/// The path of a request: the secret of an endpoint's address is whole or none, and never in what is logged.
pub fn request_path(data: &[u8]) {
    let Ok(path) = std::str::from_utf8(data) else { return };
    if let Some((secret, route)) = endpoint_path::split(path) {
        let secret = secret.reveal();
        let behind = path.strip_prefix(endpoint_path::BELOW).and_then(|rest| rest.strip_prefix(secret));
        assert!(behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('/')), "{path}");
        assert!(route.starts_with('/'), "{path} leads to {route}");
        assert!(!logged_path(path).contains(secret), "{path} is logged");
    }
    let _ = is_elastic_probe("GET", path);
    let Ok(uri) = path.parse::<Uri>() else { return };
    if let Some(face) = Face::of(&uri, &HeaderMap::new(), Timestamp::from_micros(0)) {
        let _ = (face.kind(), face.key(&uri, &HeaderMap::new()));
        assert_eq!(
            Face::of(&uri, &HeaderMap::new(), Timestamp::from_micros(1)).map(|it| it.kind()),
            Some(face.kind())
        );
    }
}

/// What proxies say of where a request comes from, a header in each line. Nobody who is not trusted is believed.
pub fn forwarded_for(data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n').filter_map(|line| HeaderValue::from_bytes(line).ok());
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(caller_address::FORWARDED_FOR, line);
    }
    assert_eq!(caller_address::caller(&TrustedProxies::default(), PEER, &headers), PEER);
    let Ok(proxies) = "10.0.0.0/8".parse::<TrustedProxies>() else { return };
    let caller = caller_address::caller(&proxies, PEER, &headers);
    assert_eq!(caller, caller.to_canonical());
    let is_told = headers.get_all(caller_address::FORWARDED_FOR).iter().any(|line| !line.is_empty());
    assert!(caller == PEER || is_told, "{caller} is made up");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A target by its name in the fuzz packages, and what it does with an input.
    type Target = (&'static str, fn(&[u8]));

    /// Every target of the fuzz packages that is in this file.
    const TARGETS: [Target; 3] =
        [("forwarded_for", forwarded_for), ("mcp_messages", mcp_message), ("request_paths", request_path)];

    #[test]
    fn the_inputs_that_are_kept_hold() {
        let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        for (target, run) in TARGETS {
            let inputs = std::fs::read_dir(corpora.join(target)).unwrap();
            let inputs: Vec<Vec<u8>> =
                inputs.map(|input| std::fs::read(input.unwrap().path()).unwrap()).collect();
            assert!(!inputs.is_empty(), "{target} has an input to begin with");
            for input in inputs {
                run(&input);
            }
        }
    }
}
