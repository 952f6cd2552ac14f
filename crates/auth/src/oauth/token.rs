//! The parts of a signed token (RFC 7515 in its compact form), and what an access token says once it is verified. What
//! is read here before the signature was checked only serves to find out whom to ask for keys.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value};
use tidegauge_model::Timestamp;

use super::algorithms::{self, Algorithm};
use super::rejection::Rejection;
use super::scopes::Scopes;

/// Tokens longer than this are refused before anything in them is read.
pub const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// What a verified access token says.
#[derive(Clone, Debug)]
pub struct AccessToken {
    pub issuer: String,
    /// Whom it acts for: a person, or the client itself.
    pub subject: String,
    /// The client that it was given to; only issuers with relaxed rules leave it out.
    pub client: Option<String>,
    /// The token's own name.
    pub id: Option<String>,
    pub issued_at: Timestamp,
    pub expires_at: Timestamp,
    pub scopes: Scopes,
    /// The key that the sender must prove to hold.
    pub confirmation: Option<Confirmation>,
    /// Everything that the token says, for what an issuer's settings map.
    pub claims: Map<String, Value>,
}

/// A key that a token is bound to: the SHA-256 thumbprint of RFC 7638 (RFC 9449, 6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    pub thumbprint: String,
}

impl Confirmation {
    /// Reads the claim `cnf`. A token that is bound in a way that is not known here must not pass as unbound.
    pub fn read(claims: &Map<String, Value>) -> Result<Option<Self>, Rejection> {
        let Some(value) = claims.get("cnf") else {
            return Ok(None);
        };
        let members = value.as_object().ok_or(Rejection::UnknownBinding)?;
        match (members.get("jkt"), members.len()) {
            (Some(Value::String(thumbprint)), 1) => Ok(Some(Self { thumbprint: thumbprint.clone() })),
            _ => Err(Rejection::UnknownBinding),
        }
    }
}

impl AccessToken {
    /// A claim that is a text, or a number written as one.
    pub fn text(&self, claim: &str) -> Option<String> {
        match self.claims.get(claim)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// What the header of a token says, of what counts. Keys and addresses of keys in it are never looked at.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) alg: String,
    #[serde(default)]
    pub(super) kid: Option<String>,
    #[serde(default)]
    pub(super) typ: Option<String>,
    /// Extensions that must be understood; there are none.
    #[serde(default)]
    crit: Option<Value>,
    /// A proof of RFC 9449 names its key here, and only there is it used.
    #[serde(default)]
    pub(super) jwk: Option<Value>,
}

/// A token cut into its parts, with nothing verified.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) header: Header,
    pub(super) algorithm: Algorithm,
    /// What the signature is made over.
    pub(super) message: &'a str,
    pub(super) signature: &'a str,
    pub(super) claims: Map<String, Value>,
}

impl<'a> Parts<'a> {
    /// Cuts a token. An algorithm that is not for public keys is refused at once.
    pub(super) fn of(token: &'a str) -> Result<Self, Rejection> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Rejection::TooLong);
        }
        let (message, signature) = token.rsplit_once('.').ok_or(Rejection::Malformed)?;
        let (header, claims) = message.split_once('.').ok_or(Rejection::Malformed)?;
        if claims.contains('.') {
            return Err(Rejection::Malformed);
        }
        let header: Header = decode(header)?;
        if header.crit.is_some() {
            return Err(Rejection::UnknownExtension);
        }
        let algorithm = algorithms::from_name(&header.alg).ok_or(Rejection::AlgorithmNotAllowed)?;
        Ok(Self { header, algorithm, message, signature, claims: decode(claims)? })
    }
}

fn decode<T: for<'de> Deserialize<'de>>(part: &str) -> Result<T, Rejection> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| Rejection::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| Rejection::Malformed)
}

/// What a token says before it is verified, to find its issuer and key. Nothing else may be decided by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peek {
    pub issuer: String,
    pub key: Option<String>,
    pub algorithm: Algorithm,
}

impl Peek {
    /// Reads a token that has the form of a signed one; `None` is one of another form, which only its issuer can read.
    pub fn at(token: &str) -> Result<Option<Self>, Rejection> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Rejection::TooLong);
        }
        if !is_signed_form(token) {
            return Ok(None);
        }
        let parts = Parts::of(token)?;
        let issuer = parts.claims.get("iss").and_then(Value::as_str).ok_or(Rejection::MissingClaim("iss"))?;
        Ok(Some(Self { issuer: issuer.to_owned(), key: parts.header.kid, algorithm: parts.algorithm }))
    }
}

/// The SHA-256 digest under which something about a token is remembered, so that the token itself is not.
pub fn digest(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes()).as_ref());
    bytes
}

/// Whether a text has three parts of which the first is a JSON object: `eyJ` is `{"` in base64.
fn is_signed_form(token: &str) -> bool {
    token.starts_with("ey") && token.bytes().filter(|byte| *byte == b'.').count() == 2
}
