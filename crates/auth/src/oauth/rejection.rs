//! Why an access token is not accepted, whether it cannot be read or is not what was expected.

/// Why a token is not accepted. The texts go to the caller and repeat nothing of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the access token is longer than this service reads")]
    TooLong,
    #[error("the access token is malformed")]
    Malformed,
    #[error("the access token uses an extension that is not known here")]
    UnknownExtension,
    #[error("the access token is of another type: its header must have the typ at+jwt")]
    WrongType,
    #[error("the access token is signed with an algorithm that is not allowed for its issuer")]
    AlgorithmNotAllowed,
    #[error("the access token is signed with a key that its issuer does not publish")]
    UnknownKey,
    #[error("the signature of the access token is wrong")]
    BadSignature,
    #[error("the access token is from an issuer that this service does not trust")]
    WrongIssuer,
    #[error("the access token is meant for another service")]
    WrongAudience,
    #[error("the access token has expired: get a new one")]
    Expired,
    #[error("the access token is not valid yet")]
    NotYetValid,
    #[error("the access token is from the future: compare the clocks of the issuer and of this service")]
    IssuedInFuture,
    #[error("the access token has no claim {0}, or one of the wrong type")]
    MissingClaim(&'static str),
    #[error("the access token is bound to its sender in a way that is not known here")]
    UnknownBinding,
    #[error("the issuer says that the access token is not active")]
    Inactive,
}
