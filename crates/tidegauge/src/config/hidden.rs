//! Texts that must not show up in logs and errors.

use std::fmt;

use serde::Deserialize;

/// A text that may hold a password or token, and never prints itself.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Hidden(pub(super) String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}
