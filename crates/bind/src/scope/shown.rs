//! What is known of which fields the rows show.

/// The fields that rows show.
#[derive(Debug)]
pub(super) enum Shown {
    /// Every field of the dataset, and after them what was computed.
    Everything { computed: Vec<String> },
    /// These and no others.
    Listed(Vec<String>),
}

impl Default for Shown {
    fn default() -> Self {
        Self::Everything { computed: Vec::new() }
    }
}

impl Shown {
    /// Whether rows may have fields that nobody knows yet.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Everything { .. })
    }
}
