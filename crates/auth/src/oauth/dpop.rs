//! Proofs that the sender of a token holds the key that the token is bound to (DPoP, RFC 9449). A proof is for one
//! request: its method, its address, its token and its minute, and it counts once. What was used is left to `memory`.

mod memory;
mod nonces;
mod proven;

use std::time::Duration;

use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use tidegauge_model::Timestamp;
use url::Url;

use super::algorithms::Algorithm;
use super::keys::Key;
use super::times;
use super::token::{Confirmation, Parts};

pub use memory::ProofMemory;
pub use proven::{ProofRejection, Proven};

/// How old a proof may be.
const AGE_MAX: Duration = Duration::from_secs(60);

/// Proofs are small; a longer one is none.
pub const PROOF_BYTES_MAX: usize = 8 * 1024;

/// The longest name of a proof.
const ID_BYTES_MAX: usize = 256;

/// The algorithms that proofs may be signed with: the sender chooses its key, so these are those that are quick to
/// verify and that every library has.
pub const ALGORITHMS: &[Algorithm] =
    &[Algorithm::ES256, Algorithm::ES384, Algorithm::EdDSA, Algorithm::RS256, Algorithm::PS256];

/// Members of a key that only its owner may know.
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// A proof as it came, and what it must fit.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// The value of the header `DPoP`.
    pub text: &'a str,
    /// The method of the request.
    pub method: &'a str,
    /// The address of the request as its sender sees it.
    pub address: &'a str,
    /// The access token that came with it.
    pub token: &'a str,
    /// How much clocks may differ.
    pub leeway: Duration,
}

impl Proof<'_> {
    /// Checks the proof against the key that the token is bound to.
    pub fn check(&self, bound_to: &Confirmation, now: Timestamp) -> Result<Proven, ProofRejection> {
        self.examine(Some(bound_to), now)
    }

    /// Checks a proof that comes to get a token, before there is one.
    pub fn bind(&self, now: Timestamp) -> Result<Proven, ProofRejection> {
        self.examine(None, now)
    }

    fn examine(&self, bound_to: Option<&Confirmation>, now: Timestamp) -> Result<Proven, ProofRejection> {
        if self.text.len() > PROOF_BYTES_MAX {
            return Err(ProofRejection::Malformed);
        }
        let mut parts = Parts::of(self.text).map_err(|rejection| match rejection {
            super::Rejection::AlgorithmNotAllowed => ProofRejection::AlgorithmNotAllowed,
            _ => ProofRejection::Malformed,
        })?;
        if !parts.header.typ.as_deref().is_some_and(|typ| typ.eq_ignore_ascii_case("dpop+jwt")) {
            return Err(ProofRejection::WrongType);
        }
        if !ALGORITHMS.contains(&parts.algorithm) {
            return Err(ProofRejection::AlgorithmNotAllowed);
        }
        let key = public_key(parts.header.jwk.take(), parts.algorithm)?;
        if !key.verifies(parts.algorithm, parts.message, parts.signature) {
            return Err(ProofRejection::BadSignature);
        }
        let (id, good_until) = self.check_claims(&parts.claims, now)?;
        let thumbprint = key.thumbprint();
        if let Some(bound_to) = bound_to {
            self.check_token(&parts.claims)?;
            if thumbprint != bound_to.thumbprint {
                return Err(ProofRejection::OtherKey);
            }
        }
        let nonce = parts.claims.get("nonce").and_then(Value::as_str);
        Ok(Proven::of(&thumbprint, id, good_until, nonce))
    }

    /// The name of the proof and until when it is good, if what it says fits the request.
    fn check_claims<'a>(
        &self,
        claims: &'a Map<String, Value>,
        now: Timestamp,
    ) -> Result<(&'a str, Timestamp), ProofRejection> {
        let text = |claim: &str| claims.get(claim).and_then(Value::as_str).ok_or(ProofRejection::Malformed);
        let id = text("jti")?;
        if id.is_empty() || id.len() > ID_BYTES_MAX {
            return Err(ProofRejection::Malformed);
        }
        if text("htm")? != self.method || !is_same_address(text("htu")?, self.address) {
            return Err(ProofRejection::OtherRequest);
        }
        let made_at = claims.get("iat").and_then(times::read).ok_or(ProofRejection::Malformed)?;
        let leeway = times::bounded(self.leeway);
        let good_until = made_at.plus(AGE_MAX);
        if made_at > now.plus(leeway) || good_until < now {
            return Err(ProofRejection::OtherTime);
        }
        Ok((id, good_until))
    }

    fn check_token(&self, claims: &Map<String, Value>) -> Result<(), ProofRejection> {
        let digest = digest::digest(&digest::SHA256, self.token.as_bytes());
        match claims.get("ath").and_then(Value::as_str) {
            Some(of_token) if of_token == URL_SAFE_NO_PAD.encode(digest) => Ok(()),
            Some(_) => Err(ProofRejection::OtherToken),
            None => Err(ProofRejection::Malformed),
        }
    }
}

fn public_key(written: Option<Value>, algorithm: Algorithm) -> Result<Key, ProofRejection> {
    let written = written.ok_or(ProofRejection::BadKey)?;
    let is_public = |members: &Map<String, Value>| !PRIVATE.iter().any(|name| members.contains_key(*name));
    if !written.as_object().is_some_and(is_public) {
        return Err(ProofRejection::BadKey);
    }
    Key::from_json(written).filter(|key| key.fits(algorithm)).ok_or(ProofRejection::BadKey)
}

/// Whether two addresses are the same but for what follows the path (RFC 9449, 4.3).
fn is_same_address(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => {
            one.origin() == other.origin() && one.path() == other.path() && one.username().is_empty()
        }
        _ => false,
    }
}
