//! Who the client of a message is: by its secret, in a header or in the form, or for public clients by its id alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidegauge_auth::opaque;
use tidegauge_model::Timestamp;

use super::error::{ErrorCode, OAuthError};
use super::known_clients::{self, Client};
use super::{Message, Parameters};
use crate::app::App;
use crate::audit_buffer::RefusalKind;

/// What is kept of the id of a client that is not known.
const ID_MAX: usize = 64;

/// What a client says of itself.
struct Presented {
    id: String,
    secret: Option<String>,
}

/// Finds the client that sent a message, and checks its secret if it has one.
pub async fn authenticate(
    app: &App,
    parameters: &Parameters,
    authorization: Option<&[u8]>,
    message: &Message,
) -> Result<Client, OAuthError> {
    let presented = read(parameters, authorization)?;
    let found = known_clients::find(app, &presented.id).await?;
    let client = found.filter(|client| is_genuine(client, presented.secret.as_deref(), message.now));
    if let Some(client) = client {
        return Ok(client);
    }
    let id: String = presented.id.chars().take(ID_MAX).collect();
    let key = format!("client {id} from {}", message.address);
    // Who knows the secret is never kept out, so that nobody can lock a client out by sending wrong ones in its name.
    if !app.embedded.attempts.may_try(&key, message.now) {
        return Err(OAuthError::new(ErrorCode::TooMany, "too many wrong secrets: wait ten minutes"));
    }
    let is_last = app.embedded.attempts.note_failure(&key, message.now);
    let detail = if is_last { "wrong client or secret, once too often" } else { "wrong client or secret" };
    note_refusal(app, message, "POST /oauth/token", detail);
    Err(OAuthError::invalid_client())
}

/// Notes a failure for the audit trail.
pub fn note_refusal(app: &App, message: &Message, action: &str, detail: &str) {
    let kind =
        RefusalKind { actor: "unknown".to_owned(), action: action.to_owned(), detail: detail.to_owned() };
    app.refusals.note(None, kind, message.now, "/oauth", &message.request_id);
    app.metrics.request_refused();
}

fn is_genuine(client: &Client, secret: Option<&str>, now: Timestamp) -> bool {
    match (client.record.is_public, secret) {
        (true, secret) => secret.is_none(),
        (false, None) => false,
        (false, Some(secret)) => {
            let digest = opaque::digest_of(secret);
            let is = |known: &str| opaque::are_equal(known, &digest);
            let is_present = client.secrets.digest.as_deref().is_some_and(is);
            let former = client.secrets.former.as_ref();
            is_present || former.is_some_and(|(former, until)| is(former) && now < *until)
        }
    }
}

/// What the client says, in one of the two ways and not in both (RFC 6749, 2.3).
fn read(parameters: &Parameters, authorization: Option<&[u8]>) -> Result<Presented, OAuthError> {
    let in_form = parameters.one("client_id")?;
    let secret = parameters.one("client_secret")?;
    let Some(header) = authorization else {
        let id = in_form.ok_or_else(OAuthError::invalid_client)?.to_owned();
        return Ok(Presented { id, secret: secret.map(str::to_owned) });
    };
    let (id, in_header) = basic(header).ok_or_else(OAuthError::invalid_client)?;
    if secret.is_some() || in_form.is_some_and(|in_form| in_form != id) {
        return Err(OAuthError::invalid_request("the client names itself in the header and in the form"));
    }
    Ok(Presented { id, secret: Some(in_header).filter(|secret| !secret.is_empty()) })
}

/// The pair in a header `Authorization: Basic …`, of which both parts are form-encoded.
fn basic(header: &[u8]) -> Option<(String, String)> {
    let (scheme, credentials) = std::str::from_utf8(header).ok()?.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some((form_decode(id)?, form_decode(secret)?))
}

fn form_decode(text: &str) -> Option<String> {
    // As the name of a pair, which may be empty.
    let mut pairs = url::form_urlencoded::parse(text.as_bytes());
    match (pairs.next(), pairs.next()) {
        (None, _) => Some(String::new()),
        (Some((name, value)), None) if value.is_empty() => Some(name.into_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Vec<u8> {
        format!("Basic {}", STANDARD.encode(text)).into_bytes()
    }

    #[test]
    fn a_pair_is_read_with_its_encoding() {
        assert_eq!(basic(&header("a:b")).unwrap(), ("a".to_owned(), "b".to_owned()));
        assert_eq!(basic(&header("a%3Ab:c+d%25")).unwrap(), ("a:b".to_owned(), "c d%".to_owned()));
        assert_eq!(basic(&header("a:")).unwrap(), ("a".to_owned(), String::new()));
        for wrong in [&header("ab")[..], b"Basic !", b"Bearer abc", b"Basic", b"\xff"] {
            assert!(basic(wrong).is_none());
        }
    }

    #[test]
    fn a_client_names_itself_in_one_way() {
        let both = Parameters::parse(b"client_id=a&client_secret=b");
        assert!(read(&both, Some(&header("a:b"))).is_err());
        assert!(read(&Parameters::parse(b"client_id=c"), Some(&header("a:b"))).is_err());
        assert!(read(&Parameters::parse(b"client_id=a"), Some(&header("a:b"))).is_ok());
        assert!(read(&Parameters::parse(b""), None).is_err());
        assert!(read(&Parameters::parse(b"client_id=a&client_id=a"), None).is_err());
    }
}
