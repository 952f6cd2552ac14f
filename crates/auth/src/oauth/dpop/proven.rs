//! What the check of a proof ends with: a proof that counts as long as it was not used before, or why it does not count.

use aws_lc_rs::digest;
use tidegauge_model::Timestamp;

/// The digest of a proof's key and name.
pub(super) type Mark = [u8; 16];

/// Why a proof does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofRejection {
    #[error("the access token is bound to a key: send it as \"Authorization: DPoP …\" with one header DPoP")]
    Missing,
    #[error("the DPoP proof is malformed")]
    Malformed,
    #[error("the DPoP proof must have the typ dpop+jwt")]
    WrongType,
    #[error("the DPoP proof is signed with an algorithm that is not allowed")]
    AlgorithmNotAllowed,
    #[error("the DPoP proof must hold a public key in its header, and no private part of it")]
    BadKey,
    #[error("the signature of the DPoP proof is wrong")]
    BadSignature,
    #[error("the DPoP proof is for another method or address")]
    OtherRequest,
    #[error("the DPoP proof is too old or from the future")]
    OtherTime,
    #[error("the DPoP proof is for another access token")]
    OtherToken,
    #[error("the access token is bound to another key than the one of the DPoP proof")]
    OtherKey,
    #[error("the DPoP proof was used before")]
    Replayed,
    #[error("the DPoP proof must hold the nonce of the header DPoP-Nonce")]
    NonceNeeded,
    #[error("too many DPoP proofs at once: try again in a minute")]
    TooMany,
}

/// A proof that is genuine and fits its request. Whether it was used before is asked of a memory, last of all, so that
/// nobody fills it who has not proved who they are.
#[derive(Clone, Debug)]
pub struct Proven {
    /// That of the key.
    pub thumbprint: String,
    pub(super) mark: Mark,
    /// After that it is too old.
    pub(super) good_until: Timestamp,
    pub(super) nonce: Option<String>,
}

impl Proven {
    pub(super) fn of(thumbprint: &str, id: &str, good_until: Timestamp, nonce: Option<&str>) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(thumbprint.as_bytes());
        context.update(b".");
        context.update(id.as_bytes());
        let mut mark = Mark::default();
        let length = mark.len();
        mark.copy_from_slice(&context.finish().as_ref()[..length]);
        Self { thumbprint: thumbprint.to_owned(), mark, good_until, nonce: nonce.map(str::to_owned) }
    }
}
