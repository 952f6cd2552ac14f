//! Why an access token is not let through, in the words of the caller. What it is in HTTP is decided by the guard.

use tidegauge_auth::oauth::mapping::Unmapped;
use tidegauge_auth::oauth::{ProofRejection, Rejection};
use tidegauge_model::OrgId;

/// Why an access token is not let through.
#[derive(Debug, thiserror::Error)]
pub enum Denial {
    #[error("the text is no access token of anybody whom this service trusts")]
    NotAToken,
    #[error(transparent)]
    Token(#[from] Rejection),
    #[error(transparent)]
    Proof(#[from] ProofRejection),
    /// With what the client is to put into its next proof.
    #[error("the DPoP proof must hold the nonce of the header DPoP-Nonce")]
    NonceNeeded(String),
    #[error("the access token is not bound to a key, which its issuer's settings demand (DPoP)")]
    NotBound,
    #[error("access tokens that are bound to a key (DPoP) are not accepted from this issuer")]
    BoundNotAccepted,
    #[error("the issuer of the access token cannot be asked now: try again")]
    IssuerUnavailable,
    #[error(transparent)]
    Unmapped(#[from] Unmapped),
    #[error("the person of the access token has no account here: ask an administrator for one")]
    UnknownPerson,
    #[error(
        "the e-mail address of the access token belongs to an account that is not linked with its issuer: ask the \
         operator to allow link_verified_email"
    )]
    EmailTaken,
    #[error("the organisation has as many people as its licence allows ({0})")]
    OrgFull(i64),
    #[error("the organisation of the access token does not exist here")]
    UnknownOrg,
    #[error("the person of the access token is not a member of its organisation {0}")]
    NotAMember(OrgId),
    #[error("the access token was revoked")]
    Revoked,
    #[error(transparent)]
    Catalog(#[from] tidegauge_catalog::Error),
}
