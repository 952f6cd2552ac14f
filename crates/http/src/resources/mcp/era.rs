//! What revision of the protocol a request speaks, and whether its headers say the same as its body, which the revisions
//! that say it with each request ask for: what stands between client and service may decide by the headers.

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::message::{Fault, Incoming};
use super::revision::{Era, HANDSHAKE, PER_REQUEST, supported};

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The method whose name stands in a header too.
pub(super) const CALL: &str = "tools/call";

/// The era of a message. A notification has no body that could be compared.
pub(super) fn of(incoming: &Incoming, headers: &HeaderMap) -> Result<Era, Fault> {
    let meta = incoming.params.meta.as_ref();
    let in_body = meta.and_then(|meta| meta.get(VERSION_KEY));
    let in_header = single(headers, VERSION_HEADER)?;
    let speaks_old = in_header.is_none_or(|version| HANDSHAKE.contains(&version));
    if in_body.is_none() && speaks_old {
        return Ok(Era::Handshake);
    }
    if let Some(version) = in_header.filter(|version| !PER_REQUEST.contains(version) && in_body.is_none()) {
        return Err(Fault::unsupported_version(version, &supported()));
    }
    if incoming.id.is_none() {
        return Ok(Era::PerRequest);
    }
    let has_capabilities = meta.is_some_and(|meta| meta.contains_key(CAPABILITIES_KEY));
    let Some(version) = in_body.and_then(|version| version.as_str()).filter(|_| has_capabilities) else {
        let problem = format!("params._meta must have {VERSION_KEY}, a text, and {CAPABILITIES_KEY}");
        return Err(Fault::invalid_params(problem));
    };
    if in_header != Some(version) {
        return Err(mismatch("MCP-Protocol-Version", VERSION_KEY));
    }
    if single(headers, METHOD_HEADER)? != Some(incoming.method.as_str()) {
        return Err(mismatch("Mcp-Method", "method"));
    }
    if incoming.method == CALL {
        let named = single(headers, NAME_HEADER)?.and_then(decoded);
        if incoming.params.name.is_some() && named != incoming.params.name {
            return Err(mismatch("Mcp-Name", "params.name"));
        }
    }
    match PER_REQUEST.contains(&version) {
        true => Ok(Era::PerRequest),
        false => Err(Fault::unsupported_version(version, &supported())),
    }
}

fn mismatch(header: &str, member: &str) -> Fault {
    Fault::header_mismatch(format!("Header mismatch: {header} must be there and say the same as {member}"))
}

/// The value of a header that may come once: of two, one server reads the first and another the last.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match value.to_str() {
        Ok(text) if values.next().is_none() => Ok(Some(text)),
        _ => Err(Fault::header_mismatch(format!("Header mismatch: {name} must come once, in ASCII"))),
    }
}

/// A text as a header holds it: as it is, or in Base64 between two marks where it would not fit into a header.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(value.to_owned()),
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use serde_json::{Value, json};

    use super::super::message::McpMessage;
    use super::*;

    fn asked(body: Value, headers: &[(&'static str, &'static str)]) -> Result<Era, String> {
        let message: McpMessage = tidegauge_web::json::read(body.to_string().as_bytes()).unwrap();
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        of(&message.read().unwrap(), &headers).map_err(|fault| format!("{fault:?}"))
    }

    fn call(version: &str) -> Value {
        let meta = json!({VERSION_KEY: version, CAPABILITIES_KEY: {}});
        json!({"jsonrpc": "2.0", "id": 1, "method": CALL, "params": {"name": "x ä", "_meta": meta}})
    }

    const HEADERS: [(&str, &str); 3] =
        [(VERSION_HEADER, "2026-07-28"), (METHOD_HEADER, CALL), (NAME_HEADER, "=?base64?eCDDpA==?=")];

    #[test]
    fn what_says_nothing_of_itself_is_of_before() {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        assert_eq!(asked(ping.clone(), &[]), Ok(Era::Handshake));
        assert_eq!(asked(ping.clone(), &[(VERSION_HEADER, "2025-06-18")]), Ok(Era::Handshake));
        assert!(asked(ping.clone(), &[(VERSION_HEADER, "1900-01-01")]).unwrap_err().contains("-32022"));
        assert!(asked(ping, &[(VERSION_HEADER, "2026-07-28")]).unwrap_err().contains("-32602"));
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
        assert_eq!(asked(notification, &[(VERSION_HEADER, "2026-07-28")]), Ok(Era::PerRequest));
    }

    #[test]
    fn headers_say_what_the_body_says() {
        assert_eq!(asked(call("2026-07-28"), &HEADERS), Ok(Era::PerRequest));
        for wrong in [
            &HEADERS[..2],
            &HEADERS[..1],
            &[],
            &[HEADERS[0], HEADERS[1], (NAME_HEADER, "y")],
            &[HEADERS[0], HEADERS[1], (NAME_HEADER, "=?base64?!?=")],
            &[HEADERS[0], (METHOD_HEADER, "tools/list"), HEADERS[2]],
            &[(VERSION_HEADER, "2025-11-25"), HEADERS[1], HEADERS[2]],
        ] {
            assert!(asked(call("2026-07-28"), wrong).unwrap_err().contains("-32020"), "{wrong:?}");
        }
        let newer = [(VERSION_HEADER, "2027-01-01"), HEADERS[1], HEADERS[2]];
        assert!(asked(call("2027-01-01"), &newer).unwrap_err().contains("-32022"));
    }
}
