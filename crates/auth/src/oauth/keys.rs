//! The keys that an issuer signs with, from its key set (RFC 7517). A key that cannot verify the tokens of an issuer is
//! left out: for encryption, shared secrets, unknown kinds, short ones. What a set can make big is bounded.

use std::ops::RangeInclusive;

use aws_lc_rs::digest;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{DecodingKey, crypto};
use serde::Deserialize;
use serde_json::Value;

use super::algorithms::{self, Algorithm};

/// Sets with more keys than this are refused.
pub const KEYS_MAX: usize = 64;

/// Sets with more bytes than this are refused.
pub const KEY_SET_BYTES_MAX: usize = 512 * 1024;

/// How many keys are tried for one token: sets may have several keys of one name, and tokens may name none.
const CANDIDATES_MAX: usize = 4;

/// Shorter keys are too weak, longer ones too slow.
const RSA_BITS: RangeInclusive<usize> = 2048..=8192;

const RSA: &[Algorithm] = &[
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

/// Why a key set cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    #[error("the key set has more than {KEY_SET_BYTES_MAX} bytes")]
    TooLarge,
    #[error("the key set is not a JSON object with a list of keys")]
    Malformed,
    #[error("the key set has more than {KEYS_MAX} keys")]
    TooMany,
    #[error("the key set has no key that can verify a signature")]
    NoneUsable,
}

/// The keys of an issuer that can verify signatures.
#[derive(Clone, Debug, Default)]
pub struct KeySet {
    keys: Vec<Key>,
}

/// One public key.
#[derive(Clone, Debug)]
pub struct Key {
    id: Option<String>,
    /// What it may verify: by its kind, and by what it says of itself.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
    /// What RFC 7638 computes the thumbprint of.
    canonical: String,
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

/// A key as it stands in a set; what is not named here does not count.
#[derive(Debug, Deserialize)]
struct WrittenKey {
    kty: String,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    /// The private part. A key that shows it is no longer its owner's alone.
    d: Option<Value>,
    /// A shared secret.
    k: Option<Value>,
}

impl KeySet {
    /// Reads a key set. Keys that cannot be used are left out; a set without any is refused.
    pub fn from_json(bytes: &[u8]) -> Result<Self, KeySetError> {
        if bytes.len() > KEY_SET_BYTES_MAX {
            return Err(KeySetError::TooLarge);
        }
        let document: Document = serde_json::from_slice(bytes).map_err(|_| KeySetError::Malformed)?;
        if document.keys.len() > KEYS_MAX {
            return Err(KeySetError::TooMany);
        }
        let keys: Vec<Key> = document.keys.into_iter().filter_map(Key::from_json).collect();
        if keys.is_empty() {
            return Err(KeySetError::NoneUsable);
        }
        Ok(Self { keys })
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether there is a key for a token with this header.
    pub fn has(&self, id: Option<&str>, algorithm: Algorithm) -> bool {
        self.candidates(id, algorithm).next().is_some()
    }

    /// The keys that a token with this header may be signed with.
    pub fn candidates<'a>(
        &'a self,
        id: Option<&'a str>,
        algorithm: Algorithm,
    ) -> impl Iterator<Item = &'a Key> {
        let named = move |key: &&Key| id.is_none_or(|id| key.id.as_deref() == Some(id));
        let fitting = move |key: &&Key| key.algorithms.contains(&algorithm);
        self.keys.iter().filter(named).filter(fitting).take(CANDIDATES_MAX)
    }
}

impl Key {
    /// Reads one key of a set, if it can verify signatures.
    pub fn from_json(value: Value) -> Option<Self> {
        let written: WrittenKey = serde_json::from_value(value).ok()?;
        let is_for_signatures = written.purpose.as_deref().is_none_or(|purpose| purpose == "sig")
            && written.key_ops.as_ref().is_none_or(|all| all.iter().any(|one| one == "verify"));
        if !is_for_signatures || written.d.is_some() || written.k.is_some() {
            return None;
        }
        let (fitting, key) = written.read()?;
        let canonical = written.canonical();
        let algorithms: Vec<Algorithm> = match written.alg.as_deref() {
            Some(name) => {
                algorithms::from_name(name).filter(|one| fitting.contains(one)).into_iter().collect()
            }
            None => fitting.to_vec(),
        };
        (!algorithms.is_empty()).then_some(Self { id: written.kid, algorithms, key, canonical })
    }

    /// The SHA-256 thumbprint of RFC 7638.
    pub fn thumbprint(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, self.canonical.as_bytes()))
    }

    /// Whether this key may verify signatures of an algorithm.
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }

    /// Whether the signature of a message is by the owner of this key.
    pub fn verifies(&self, algorithm: Algorithm, message: &str, signature: &str) -> bool {
        self.fits(algorithm)
            && crypto::verify(signature, message.as_bytes(), &self.key, algorithm).unwrap_or(false)
    }
}

impl WrittenKey {
    /// The key and the algorithms that a key of its kind can have. It is tried here, so that a set with a broken key is
    /// known as such when it is fetched and not when a token comes.
    fn read(&self) -> Option<(&'static [Algorithm], DecodingKey)> {
        match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => {
                let (n, e) = (self.bytes(&self.n)?, self.bytes(&self.e)?);
                // An even exponent, or 1, is no exponent of RSA.
                let is_exponent = e.last().is_some_and(|last| last % 2 == 1) && bits(&e) > 1;
                if !is_exponent || !RSA_BITS.contains(&bits(&n)) {
                    return None;
                }
                let components = RsaPublicKeyComponents { n: &n, e: &e };
                components.to_parsed_public_key(&RSA_PKCS1_2048_8192_SHA256).ok()?;
                Some((RSA, DecodingKey::from_rsa_raw_components(&n, &e)))
            }
            ("EC", Some("P-256")) => {
                let point = self.point(32)?;
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &point).parse().ok()?;
                Some((&[Algorithm::ES256], DecodingKey::from_ec_der(&point)))
            }
            ("EC", Some("P-384")) => {
                let point = self.point(48)?;
                UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, &point).parse().ok()?;
                Some((&[Algorithm::ES384], DecodingKey::from_ec_der(&point)))
            }
            ("OKP", Some("Ed25519")) => {
                let x = self.bytes(&self.x).filter(|x| x.len() == 32)?;
                UnparsedPublicKey::new(&ED25519, &x).parse().ok()?;
                Some((&[Algorithm::EdDSA], DecodingKey::from_ed_der(&x)))
            }
            _ => None,
        }
    }

    /// The members that make the key, in the order of their names. Their values are base64 by now and need no escapes.
    fn canonical(&self) -> String {
        let member = |text: &Option<String>| text.clone().unwrap_or_default();
        let (kty, crv, x, y) = (&self.kty, member(&self.crv), member(&self.x), member(&self.y));
        match kty.as_str() {
            "RSA" => format!(r#"{{"e":"{}","kty":"RSA","n":"{}"}}"#, member(&self.e), member(&self.n)),
            "EC" => format!(r#"{{"crv":"{crv}","kty":"EC","x":"{x}","y":"{y}"}}"#),
            _ => format!(r#"{{"crv":"{crv}","kty":"{kty}","x":"{x}"}}"#),
        }
    }

    fn bytes(&self, text: &Option<String>) -> Option<Vec<u8>> {
        URL_SAFE_NO_PAD.decode(text.as_deref()?).ok().filter(|bytes| !bytes.is_empty())
    }

    /// The uncompressed point of a curve whose numbers have so many bytes.
    fn point(&self, width: usize) -> Option<Vec<u8>> {
        let (x, y) = (self.bytes(&self.x)?, self.bytes(&self.y)?);
        (x.len() == width && y.len() == width).then(|| [&[4], &x[..], &y[..]].concat())
    }
}

/// The length of a number, without zeros in front.
fn bits(number: &[u8]) -> usize {
    let leading = number.iter().take_while(|byte| **byte == 0).count();
    number.get(leading).map_or(0, |first| (number.len() - leading) * 8 - first.leading_zeros() as usize)
}
