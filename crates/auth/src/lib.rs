//! From a bearer token to a principal, and what a principal may do: the forms of tokens and their digests, the
//! capabilities of the built-in roles, and the check of a route's declared access. Looking tokens up is left to
//! `catalog`, HTTP to `http`.

pub mod access;
pub mod bearer;
pub mod embedded;
pub mod oauth;
pub mod opaque;
pub mod principal;
pub mod roles;
pub mod secret;

pub use access::Access;
pub use opaque::OpaqueSecret;
pub use principal::{Principal, Refusal, TokenFacts};
pub use roles::RoleTable;
pub use secret::{TokenKind, TokenSecret};
