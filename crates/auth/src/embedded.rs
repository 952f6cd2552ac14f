//! The parts of the embedded authorisation server that are computed from what is handed in: where codes may be sent,
//! the proof of who asked for them, the codes that people type, and the tokens that are signed. Keeping and serving is
//! left to `catalog` and `app`.

pub mod pkce;
pub mod redirect;
pub mod signing;
pub mod user_code;

pub use redirect::RedirectProblem;
pub use signing::{AccessClaims, KeyPair};
pub use user_code::UserCode;
