//! OAuth 2.0 as the service that is called sees it: what the scopes of an access token allow, which keys its issuer
//! signs with, whether a token is genuine and meant for us, and how a refusal is said. All of it is computed from what
//! is handed in; fetching keys and asking issuers is left to `app`.

pub mod algorithms;
pub mod challenge;
pub mod dpop;
pub mod keys;
pub mod mapping;
mod rejection;
pub mod scopes;
pub mod times;
pub mod token;
pub mod verify;

pub use algorithms::Algorithm;
pub use challenge::Challenge;
pub use dpop::{Proof, ProofMemory, ProofRejection, Proven};
pub use keys::{KeySet, KeySetError};
pub use mapping::{Rules, TokenSubject};
pub use rejection::Rejection;
pub use scopes::Scopes;
pub use token::{AccessToken, Confirmation, Peek, TOKEN_BYTES_MAX};
pub use verify::{Expected, verify};
