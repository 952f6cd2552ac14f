//! What is known of a source or a stage as it is written.

use super::query::{Source, Stage};
use crate::Span;

impl Source {
    /// Where it stands in the text, if it says so.
    pub fn place(&self) -> Span {
        match self {
            Self::Dataset { span, .. } => *span,
            Self::Datasets { pattern, .. } => pattern.span,
            Self::Table { name, .. } => name.span,
            _ => Span::default(),
        }
    }
}

impl Stage {
    /// Whether it makes one row of each, whatever the others are, and leaves them in their order.
    pub fn keeps_rows(&self) -> bool {
        matches!(
            self,
            Self::Extend(_)
                | Self::ExtendValid(_)
                | Self::Project(_)
                | Self::ProjectAway(_)
                | Self::ProjectKeep(_)
                | Self::ProjectRename(_)
                | Self::ProjectReorder(_)
                | Self::Redact(_)
                | Self::Parse(_)
                | Self::ParseKeyValue(_)
        )
    }
}
