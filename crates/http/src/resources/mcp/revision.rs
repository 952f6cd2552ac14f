//! The revisions of the protocol that are spoken here, and the two ways in which they have client and service agree on one.

/// The revisions that say with each request what is spoken.
pub(super) const PER_REQUEST: [&str; 1] = ["2026-07-28"];

/// The revisions that begin with `initialize`, the newest first.
pub(super) const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// How client and service agree on what they speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    Handshake,
    PerRequest,
}

/// Every revision that is spoken here.
pub(super) fn supported() -> Vec<&'static str> {
    PER_REQUEST.into_iter().chain(HANDSHAKE).collect()
}
