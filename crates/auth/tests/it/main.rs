//! What an attacker or a careless issuer can send, each against the public face of `oauth`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod any_bytes;
mod attacks;
mod claims;
mod holders;
mod key_sets;
mod proofs;
mod signer;
