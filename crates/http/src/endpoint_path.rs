//! The form of an endpoint's address, `/e/{secret}/…`: where the secret stands in a path, and which route is meant by what
//! stands behind it.

use tidegauge_auth::OpaqueSecret;

/// What the path of every address begins with.
pub const BELOW: &str = "/e/";

/// What stands behind the secret, and the route that is meant, where that is not the same. The dataset in a route does not
/// count, because the endpoint has its own.
const SHORT: [(&str, &str); 5] = [
    ("", PLAIN),
    ("/", PLAIN),
    ("/upload", "/v1/ingest/endpoint/journald/upload"),
    ("/firehose", "/v1/ingest/endpoint/firehose"),
    ("/cloudevents", "/v1/ingest/endpoint/cloudevents"),
];

/// Where events come in that are in a form of ours.
pub(crate) const PLAIN: &str = "/v1/ingest/endpoint";

/// The secret in a path and the route behind it; none if the path has not the form of such an address.
pub fn split(path: &str) -> Option<(OpaqueSecret, &str)> {
    let rest = path.strip_prefix(BELOW)?;
    let (secret, route) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let secret = OpaqueSecret::parse(secret)?;
    let route = SHORT.iter().find(|short| short.0 == route).map_or(route, |short| short.1);
    Some((secret, route))
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::{self, SeededRng};

    use super::*;

    const SECRET: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

    #[test]
    fn a_damaged_address_is_one_of_another_secret_or_none() {
        let rng = SeededRng::new(7);
        let whole = format!("/e/{SECRET}/loki/api/v1/push").into_bytes();
        for _ in 0..20_000 {
            let [first, second, with, length] = rng::bytes::<4>(&rng).map(usize::from);
            let mut path = whole[..length % (whole.len() + 1)].to_vec();
            for place in [first, second] {
                if let Some(byte) = path.get_mut(place) {
                    *byte = (with % 128) as u8;
                }
            }
            let path = String::from_utf8(path).unwrap();
            let Some((secret, route)) = split(&path) else { continue };
            let behind =
                path.strip_prefix(BELOW).and_then(|rest| rest.strip_prefix(secret.reveal())).unwrap();
            assert!(route == behind || SHORT.contains(&(behind, route)), "{path}: {route}");
            assert!(behind.is_empty() || behind.starts_with('/'), "{path}");
        }
    }
}
