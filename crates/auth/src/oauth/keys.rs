//! The keys that an issuer signs with, from its key set (RFC 7517). A key that cannot verify the tokens of an issuer is
//! left out: for encryption, shared secrets, unknown kinds, short ones. What a set can make big is bounded.

use std::ops::RangeInclusive;

use aws_lc_rs::digest;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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

/// What a key of RSA can verify, and by which rules.
const RSA: &[(Algorithm, &RsaParameters)] = &[
    (Algorithm::RS256, &RSA_PKCS1_2048_8192_SHA256),
    (Algorithm::RS384, &RSA_PKCS1_2048_8192_SHA384),
    (Algorithm::RS512, &RSA_PKCS1_2048_8192_SHA512),
    (Algorithm::PS256, &RSA_PSS_2048_8192_SHA256),
    (Algorithm::PS384, &RSA_PSS_2048_8192_SHA384),
    (Algorithm::PS512, &RSA_PSS_2048_8192_SHA512),
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
    /// What it may verify, by its kind and by what it says of itself. A key is read once, because reading it for each
    /// token adds an eighth to what the check takes.
    fitting: Vec<(Algorithm, ParsedPublicKey)>,
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
        self.keys.iter().filter(named).filter(move |key| key.fits(algorithm)).take(CANDIDATES_MAX)
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
        let mut fitting = written.read()?;
        if let Some(name) = &written.alg {
            let named = algorithms::from_name(name)?;
            fitting.retain(|(algorithm, _)| *algorithm == named);
        }
        let canonical = written.canonical();
        (!fitting.is_empty()).then_some(Self { id: written.kid, fitting, canonical })
    }

    /// The SHA-256 thumbprint of RFC 7638.
    pub fn thumbprint(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, self.canonical.as_bytes()))
    }

    /// Whether this key may verify signatures of an algorithm.
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        self.fitting.iter().any(|(fitting, _)| *fitting == algorithm)
    }

    /// Whether the signature of a message, in base64, is by the owner of this key.
    pub fn verifies(&self, algorithm: Algorithm, message: &str, signature: &str) -> bool {
        let key = self.fitting.iter().find(|(fitting, _)| *fitting == algorithm);
        match (key, URL_SAFE_NO_PAD.decode(signature)) {
            (Some((_, key)), Ok(signature)) => key.verify_sig(message.as_bytes(), &signature).is_ok(),
            _ => false,
        }
    }
}

impl WrittenKey {
    /// The key for each algorithm that one of its kind can have. A broken key is known as such here, when a set is
    /// fetched, and not when a token comes.
    fn read(&self) -> Option<Vec<(Algorithm, ParsedPublicKey)>> {
        let only = |algorithm: Algorithm, key: ParsedPublicKey| Some(vec![(algorithm, key)]);
        match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => self.read_rsa(),
            ("EC", Some("P-256")) => {
                let key = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.point(32)?).ok()?;
                only(Algorithm::ES256, key)
            }
            ("EC", Some("P-384")) => {
                let key = ParsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, self.point(48)?).ok()?;
                only(Algorithm::ES384, key)
            }
            ("OKP", Some("Ed25519")) => {
                let x = self.bytes(&self.x).filter(|x| x.len() == 32)?;
                only(Algorithm::EdDSA, ParsedPublicKey::new(&ED25519, x).ok()?)
            }
            _ => None,
        }
    }

    fn read_rsa(&self) -> Option<Vec<(Algorithm, ParsedPublicKey)>> {
        let (n, e) = (self.bytes(&self.n)?, self.bytes(&self.e)?);
        // An even exponent, or 1, is no exponent of RSA.
        let is_exponent = e.last().is_some_and(|last| last % 2 == 1) && bits(&e) > 1;
        if !is_exponent || !RSA_BITS.contains(&bits(&n)) {
            return None;
        }
        let components = RsaPublicKeyComponents { n, e };
        let read = |&(algorithm, rules): &(Algorithm, &'static RsaParameters)| {
            components.to_parsed_public_key(rules).ok().map(|key| (algorithm, key))
        };
        RSA.iter().map(read).collect()
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
