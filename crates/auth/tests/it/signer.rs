//! Makes keys and signed tokens for tests, by hand, so that every part of one can be wrong.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// A key with its private part.
pub(crate) enum Signer {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
    Rs256(RsaKeyPair),
    Ps256(RsaKeyPair),
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    pub(crate) fn es256() -> Self {
        Self::Es256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    pub(crate) fn eddsa() -> Self {
        Self::EdDsa(Ed25519KeyPair::generate().unwrap())
    }

    pub(crate) fn rs256() -> Self {
        Self::Rs256(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    pub(crate) fn ps256() -> Self {
        Self::Ps256(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Es256(_) => "ES256",
            Self::EdDsa(_) => "EdDSA",
            Self::Rs256(_) => "RS256",
            Self::Ps256(_) => "PS256",
        }
    }

    /// The bytes of the public key as issuers publish them.
    pub(crate) fn public_bytes(&self) -> Vec<u8> {
        match self {
            Self::Es256(key) => key.public_key().as_ref().to_vec(),
            Self::EdDsa(key) => key.public_key().as_ref().to_vec(),
            Self::Rs256(key) | Self::Ps256(key) => key.public_key().as_ref().to_vec(),
        }
    }

    /// The public key as RFC 7517 writes it, without a name.
    pub(crate) fn public_key(&self) -> Value {
        let bytes = self.public_bytes();
        match self {
            Self::Es256(_) => {
                json!({"kty": "EC", "crv": "P-256", "x": encode(&bytes[1..33]), "y": encode(&bytes[33..])})
            }
            Self::EdDsa(_) => json!({"kty": "OKP", "crv": "Ed25519", "x": encode(&bytes)}),
            // A key of 2048 bits in DER has its modulus there, and 65537 behind it.
            Self::Rs256(_) | Self::Ps256(_) => {
                json!({"kty": "RSA", "n": encode(&bytes[9..265]), "e": encode([1, 0, 1])})
            }
        }
    }

    /// The public key with a name and what it is for.
    pub(crate) fn named(&self, id: &str) -> Value {
        let mut key = self.public_key();
        key["kid"] = id.into();
        key["use"] = "sig".into();
        key["alg"] = self.algorithm().into();
        key
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Es256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::EdDsa(key) => key.sign(message).as_ref().to_vec(),
            Self::Rs256(key) | Self::Ps256(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                let padding: &'static dyn aws_lc_rs::signature::RsaEncoding =
                    if matches!(self, Self::Rs256(_)) { &RSA_PKCS1_SHA256 } else { &RSA_PSS_SHA256 };
                key.sign(padding, &random, message, &mut signature).unwrap();
                signature
            }
        }
    }

    /// A token with any header and any claims.
    pub(crate) fn token(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let signature = encode(self.sign(message.as_bytes()));
        format!("{message}.{signature}")
    }

    /// A token as an issuer makes it.
    pub(crate) fn access_token(&self, id: &str, claims: &Value) -> String {
        self.token(&json!({"typ": "at+jwt", "alg": self.algorithm(), "kid": id}), claims)
    }
}
