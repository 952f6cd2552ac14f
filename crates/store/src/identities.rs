//! Which row is which, wherever rows are read from: by its time, its request and its place in that.

/// The identity of each row of an input, and when it arrived.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    pub(crate) times: Vec<i64>,
    pub(crate) arrivals: Vec<i64>,
    pub(crate) sequences: Vec<u64>,
    pub(crate) indexes: Vec<u32>,
}
