//! What a request came to, as its answer tells it.

/// What was written of a request, which senders of 2.0 compare with what they sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub samples: u64,
    pub histograms: u64,
    pub exemplars: u64,
}
