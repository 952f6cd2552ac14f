//! The signature algorithms that an issuer may be trusted with. Only those with a public and a private key are named
//! here: with a shared secret, who can verify a token can also make one, and `none` is no signature.

pub use jsonwebtoken::Algorithm;

/// Every algorithm that a setting may name.
pub const ALLOWED: &[(&str, Algorithm)] = &[
    ("RS256", Algorithm::RS256),
    ("RS384", Algorithm::RS384),
    ("RS512", Algorithm::RS512),
    ("PS256", Algorithm::PS256),
    ("PS384", Algorithm::PS384),
    ("PS512", Algorithm::PS512),
    ("ES256", Algorithm::ES256),
    ("ES384", Algorithm::ES384),
    ("EdDSA", Algorithm::EdDSA),
];

/// The algorithm with this name, if it may be used.
pub fn from_name(name: &str) -> Option<Algorithm> {
    ALLOWED.iter().find(|(known, _)| *known == name).map(|(_, algorithm)| *algorithm)
}

/// The name of an algorithm as it stands in the header of a token.
pub fn name(algorithm: Algorithm) -> &'static str {
    ALLOWED.iter().find(|(_, known)| *known == algorithm).map_or("none", |(name, _)| name)
}

/// The names, in the order of the table.
pub fn names() -> Vec<&'static str> {
    ALLOWED.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_secrets_and_no_signature_have_no_name() {
        for name in ["none", "None", "HS256", "HS384", "HS512", "rs256", ""] {
            assert!(from_name(name).is_none(), "{name}");
        }
        assert!(names().iter().all(|known| from_name(known).map(name) == Some(*known)));
    }
}
