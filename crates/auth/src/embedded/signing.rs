//! Keys of the embedded authorisation server and the access tokens (RFC 9068) that are signed with them: ES256, with the
//! thumbprint of the key (RFC 7638) as its name. A key never prints itself.

use std::fmt;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{Jwk, ThumbprintHash};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::Serialize;
use serde_json::json;

/// The type of an access token in its header.
pub const ACCESS_TOKEN_TYPE: &str = "at+jwt";

/// A key that signs.
#[derive(Clone)]
pub struct KeyPair {
    key: EncodingKey,
    kid: String,
    public: String,
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair").field("kid", &self.kid).finish_non_exhaustive()
    }
}

/// A key cannot be made, read or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a signing key cannot be used: it is damaged, or the cryptography library failed")]
pub struct KeyError;

/// What an access token says.
#[derive(Clone, Debug, Serialize)]
pub struct AccessClaims<'a> {
    pub iss: &'a str,
    pub sub: &'a str,
    pub aud: &'a str,
    /// In seconds since 1970, as are the other times.
    pub exp: i64,
    pub iat: i64,
    pub jti: &'a str,
    pub client_id: &'a str,
    pub scope: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_time: Option<i64>,
    pub grant: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cnf: Option<KeyBinding<'a>>,
}

/// The key that who presents the token must prove to hold (RFC 9449).
#[derive(Clone, Debug, Serialize)]
pub struct KeyBinding<'a> {
    pub jkt: &'a str,
}

impl KeyPair {
    /// Makes a key, and gives the text that it can be read from again.
    pub fn generate() -> Result<(Self, String), KeyError> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .map_err(|_| KeyError)?;
        let text = URL_SAFE_NO_PAD.encode(document.as_ref());
        Ok((Self::read(&text)?, text))
    }

    pub fn read(text: &str) -> Result<Self, KeyError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| KeyError)?;
        let key = EncodingKey::from_ec_der(&bytes);
        let jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).map_err(|_| KeyError)?;
        let kid = jwk.thumbprint(ThumbprintHash::SHA256).map_err(|_| KeyError)?;
        let mut public = serde_json::to_value(&jwk).map_err(|_| KeyError)?;
        let members = public.as_object_mut().ok_or(KeyError)?;
        for (name, value) in [("kid", kid.as_str()), ("use", "sig"), ("alg", "ES256")] {
            members.insert(name.to_owned(), json!(value));
        }
        Ok(Self { key, kid, public: public.to_string() })
    }

    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The public part as a JSON Web Key.
    pub fn public(&self) -> &str {
        &self.public
    }

    pub fn sign(&self, claims: &AccessClaims<'_>) -> Result<String, KeyError> {
        let header = Header {
            typ: Some(ACCESS_TOKEN_TYPE.to_owned()),
            kid: Some(self.kid.clone()),
            ..Header::new(Algorithm::ES256)
        };
        encode(&header, claims, &self.key).map_err(|_| KeyError)
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{DecodingKey, Validation, decode};
    use serde_json::Value;

    use super::*;

    const CLAIMS: AccessClaims<'_> = AccessClaims {
        iss: "https://example.com",
        sub: "user_1",
        aud: "https://example.com",
        exp: 4_000_000_000,
        iat: 1_000,
        jti: "1",
        client_id: "client_1",
        scope: "*",
        auth_time: None,
        grant: "grant_1",
        org: None,
        cnf: Some(KeyBinding { jkt: "thumb" }),
    };

    #[test]
    fn what_is_signed_is_verified_with_the_published_key() {
        let (key, text) = KeyPair::generate().unwrap();
        let again = KeyPair::read(&text).unwrap();
        assert_eq!((key.kid(), key.public()), (again.kid(), again.public()));
        assert!(!key.public().contains("\"d\"") && !format!("{key:?}").contains(&text));
        let jwk: Jwk = serde_json::from_str(key.public()).unwrap();
        let mut validation = Validation::new(Algorithm::ES256);
        validation.set_audience(&[CLAIMS.aud]);
        let token = again.sign(&CLAIMS).unwrap();
        let read = decode::<Value>(&token, &DecodingKey::from_jwk(&jwk).unwrap(), &validation).unwrap();
        assert_eq!(read.header.typ.as_deref(), Some("at+jwt"));
        assert_eq!(read.header.kid.as_deref(), Some(key.kid()));
        assert_eq!((&read.claims["grant"], &read.claims["cnf"]["jkt"]), (&json!("grant_1"), &json!("thumb")));
        assert!(read.claims.get("org").is_none());
    }

    #[test]
    fn damaged_keys_are_refused() {
        for text in ["", "!", "AAAA"] {
            assert_eq!(KeyPair::read(text).unwrap_err(), KeyError, "{text}");
        }
    }
}
