//! Secrets of 256 random bits without a form of their own: what a browser keeps of its session, and one-time links.
//! What is kept of them here is their digest. A secret never prints itself.

use std::fmt;

use aws_lc_rs::{constant_time, digest, hmac};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tidegauge_model::hex;
use tidegauge_model::rng::{self, Rng};

const BYTES: usize = 32;

/// A random text that opens something for whoever has it.
#[derive(Clone)]
pub struct OpaqueSecret(String);

impl OpaqueSecret {
    pub fn generate(rng: &dyn Rng) -> Self {
        Self(URL_SAFE_NO_PAD.encode(rng::bytes::<BYTES>(rng)))
    }

    /// Reads a text that has the form of such a secret; anything else is none.
    pub fn parse(text: &str) -> Option<Self> {
        // The decoder refuses every second way to write the same bytes.
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == BYTES).then(|| Self(text.to_owned()))
    }

    /// The secret itself, for who is to have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored and looked up. A plain SHA-256 is enough, because there is no dictionary of such texts.
    pub fn digest(&self) -> String {
        digest_of(&self.0)
    }

    /// Another secret that only who has this one can compute, and that tells nothing about it.
    pub fn derive(&self, purpose: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes());
        hex::encode(hmac::sign(&key, purpose.as_bytes()).as_ref())
    }
}

impl fmt::Debug for OpaqueSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpaqueSecret(…)")
    }
}

/// The SHA-256 of a text, in hexadecimal.
pub fn digest_of(text: &str) -> String {
    hex::encode(digest::digest(&digest::SHA256, text.as_bytes()).as_ref())
}

/// The SHA-512 of some bytes one after the other, in hexadecimal: what a sender and a listener that share a key prove it
/// by.
pub fn sha512_hex(parts: &[&[u8]]) -> String {
    let mut context = digest::Context::new(&digest::SHA512);
    for part in parts {
        context.update(part);
    }
    hex::encode(context.finish().as_ref())
}

/// Compares two secrets without telling by the time it takes where they differ.
pub fn are_equal(left: &str, right: &str) -> bool {
    constant_time::verify_slices_are_equal(left.as_bytes(), right.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    #[test]
    fn a_new_secret_reads_back_and_hides_itself() {
        let secret = OpaqueSecret::generate(&SeededRng::new(7));
        assert_eq!(secret.reveal().len(), 43);
        assert_eq!(OpaqueSecret::parse(secret.reveal()).unwrap().digest(), secret.digest());
        assert!(!format!("{secret:?}").contains(secret.reveal()));
    }

    #[test]
    fn other_texts_are_not_secrets() {
        let secret = OpaqueSecret::generate(&SeededRng::new(7));
        let longer = format!("{}A", secret.reveal());
        // Its last character has two bits that count for nothing; only one way to write them is the secret.
        let other_end = format!("{}_", &secret.reveal()[..42]);
        for text in ["", "x", "=", "ä", &secret.reveal()[1..], &longer, &other_end] {
            assert!(OpaqueSecret::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_derived_differs_by_secret_and_purpose() {
        let (one, two) =
            (OpaqueSecret::generate(&SeededRng::new(1)), OpaqueSecret::generate(&SeededRng::new(2)));
        assert!(are_equal(&one.derive("form"), &one.derive("form")));
        assert!(!are_equal(&one.derive("form"), &two.derive("form")));
        assert!(!are_equal(&one.derive("form"), &one.derive("other")));
        assert!(!are_equal("", &one.derive("form")));
    }
}
