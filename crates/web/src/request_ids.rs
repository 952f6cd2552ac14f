//! The ids by which a request is found in logs, in the audit trail and in its answer.

use axum::http::{HeaderMap, HeaderName};
use tidegauge_model::hex;
use tidegauge_model::rng::{self, Rng};

/// Longest request id of a client that is taken over.
const REQUEST_ID_MAX: usize = 128;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The ids of a request, for handlers, logs and the audit trail.
#[derive(Clone, Debug)]
pub struct RequestIds {
    pub request: String,
    pub trace: String,
}

impl RequestIds {
    /// Takes the client's ids where they are usable, so that one id follows a request through several systems.
    pub fn of(headers: &HeaderMap, rng: &dyn Rng) -> Self {
        let trace = trace_id(headers).unwrap_or_else(|| hex::encode(&rng::bytes::<16>(rng)));
        let request = headers
            .get(&REQUEST_ID)
            .and_then(|value| value.to_str().ok())
            .filter(|id| is_safe_id(id))
            .map_or_else(|| trace.clone(), str::to_owned);
        Self { request, trace }
    }
}

/// Whether a client's id can stand in logs, in the audit trail and in answers without being read as anything else there.
fn is_safe_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@~".contains(&byte);
    !id.is_empty() && id.len() <= REQUEST_ID_MAX && id.bytes().all(is_plain)
}

/// The trace id of a W3C `traceparent` header.
fn trace_id(headers: &HeaderMap) -> Option<String> {
    let parent = headers.get("traceparent")?.to_str().ok()?;
    let id = parent.split('-').nth(1)?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let usable = id.len() == 32 && id.bytes().all(is_digit) && id.bytes().any(|byte| byte != b'0');
    usable.then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_clients_are_taken_in_a_safe_form() {
        for id in [
            "7",
            "b3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
            "Root=1-67891233-abcdef012345678912345678",
            "a/b+c==",
        ] {
            assert!(is_safe_id(id), "{id}");
        }
        let long = "x".repeat(REQUEST_ID_MAX + 1);
        for id in ["", "a b", "a\tb", "<script>", "a\"b", "a,b", "{}", "$(id)", "%0a", "a;b", "\u{fc}", &long]
        {
            assert!(!is_safe_id(id), "{id}");
        }
    }
}
