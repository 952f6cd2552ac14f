//! Admission: whose a token is (`oauth` for those of other issuers, `token_cache` for ours), how many requests an
//! organisation may send (`limits`), how often a password may be tried (`lockout`), and what the operator allows
//! (`config`). Knows neither HTTP nor use cases; who may do what is left to `auth`.

pub mod cached;
pub mod config;
pub mod limits;
pub mod lockout;
pub mod oauth;
pub mod token_cache;
