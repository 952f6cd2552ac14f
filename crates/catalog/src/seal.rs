//! Seals what must not be readable in a copy of the database: AES-256-GCM with a key that is kept outside it. Each
//! sealed value is bound to its row, so that it cannot be moved to another.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use tidegauge_model::ErrorKind;

use crate::{Error, Result};

/// The form of a sealed value: this byte, the nonce, then the ciphertext with its tag.
const FORM: u8 = 1;

/// The key that seals secrets.
pub struct SealKey(RandomizedNonceKey);

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(…)")
    }
}

impl SealKey {
    pub const LENGTH: usize = 32;

    pub fn new(bytes: &[u8; Self::LENGTH]) -> Self {
        match RandomizedNonceKey::new(&AES_256_GCM, bytes) {
            Ok(key) => Self(key),
            // The algorithm takes exactly this length, so it cannot refuse the key.
            Err(_) => unreachable!("AES-256-GCM takes a key of 32 bytes"),
        }
    }

    /// Seals a text for the row that `bound_to` names.
    pub(crate) fn seal(&self, bound_to: &str, text: &str) -> Result<Vec<u8>> {
        let mut ciphertext = text.as_bytes().to_vec();
        let nonce = self
            .0
            .seal_in_place_append_tag(Aad::from(bound_to), &mut ciphertext)
            .map_err(|cause| Error::caused(ErrorKind::Internal, "a secret could not be sealed", cause))?;
        let mut sealed = Vec::with_capacity(1 + NONCE_LEN + ciphertext.len());
        sealed.push(FORM);
        sealed.extend_from_slice(nonce.as_ref());
        sealed.append(&mut ciphertext);
        Ok(sealed)
    }

    /// Opens what was sealed for the same row with the same key.
    pub(crate) fn open(&self, bound_to: &str, sealed: &[u8]) -> Result<String> {
        self.try_open(bound_to, sealed).ok_or_else(|| {
            let message = format!("the secrets of {bound_to} cannot be opened: wrong key or damaged row");
            Error::new(ErrorKind::Corrupt, message)
        })
    }

    fn try_open(&self, bound_to: &str, sealed: &[u8]) -> Option<String> {
        let (&form, rest) = sealed.split_first()?;
        if form != FORM || rest.len() < NONCE_LEN {
            return None;
        }
        let (nonce, ciphertext) = rest.split_at(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = ciphertext.to_vec();
        let opened = self.0.open_in_place(nonce, Aad::from(bound_to), &mut text).ok()?.len();
        text.truncate(opened);
        String::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SealKey {
        SealKey::new(&[byte; SealKey::LENGTH])
    }

    #[test]
    fn opens_for_the_same_row_and_key_only() {
        let sealed = key(1).seal("notify_1", "hook").unwrap();
        assert_eq!(key(1).open("notify_1", &sealed).unwrap(), "hook");
        assert!(key(1).open("notify_2", &sealed).is_err());
        assert!(key(2).open("notify_1", &sealed).is_err());
    }

    #[test]
    fn every_altered_or_cut_value_is_refused() {
        let sealed = key(1).seal("notify_1", "hook").unwrap();
        for position in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[position] ^= 1;
            assert!(key(1).open("notify_1", &altered).is_err(), "byte {position}");
            assert!(key(1).open("notify_1", &sealed[..position]).is_err(), "cut at {position}");
        }
    }

    #[test]
    fn the_same_text_never_seals_to_the_same_bytes() {
        assert_ne!(key(1).seal("a", "x").unwrap(), key(1).seal("a", "x").unwrap());
    }
}
