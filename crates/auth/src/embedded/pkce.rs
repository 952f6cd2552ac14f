//! The proof that a code is redeemed by who asked for it (RFC 7636). Only S256 is known: the plain method proves
//! nothing to who has seen the request.

use aws_lc_rs::{constant_time, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The only method.
pub const METHOD: &str = "S256";

/// How long a verifier may be.
const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;

/// A SHA-256 in base64url, without padding.
const CHALLENGE_LENGTH: usize = 43;

/// Whether a text can be the digest of a verifier.
pub fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_LENGTH && URL_SAFE_NO_PAD.decode(text).is_ok()
}

/// The digest of a verifier, which is sent ahead of it.
pub fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
}

/// Whether a verifier is the one that the challenge was made of.
pub fn proves(verifier: &str, challenge: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if !VERIFIER_LENGTHS.contains(&verifier.len()) || !verifier.bytes().all(is_allowed) {
        return false;
    }
    let expected = self::challenge(verifier);
    constant_time::verify_slices_are_equal(expected.as_bytes(), challenge.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_standard_is_proved() {
        assert!(is_challenge(CHALLENGE));
        assert!(proves(VERIFIER, CHALLENGE));
    }

    #[test]
    fn nothing_else_is() {
        let short = &VERIFIER[1..];
        let long = "a".repeat(129);
        for verifier in ["", short, CHALLENGE, &long, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjX!"] {
            assert!(!proves(verifier, CHALLENGE), "{verifier}");
        }
        // What the plain method would take.
        assert!(!proves(VERIFIER, VERIFIER));
        for challenge in ["", "x", &CHALLENGE[1..], "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c=", &long] {
            assert!(!is_challenge(challenge), "{challenge}");
        }
    }
}
