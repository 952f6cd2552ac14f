//! What is wrong with a query, where, and what to write instead.

use std::ops::Range;

/// A stretch of the query's text, in bytes. Empty at zero where there is no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Lowercase, no full stop.
    pub message: String,
    pub span: Span,
    /// What to write instead, if it is known.
    pub hint: Option<String>,
}

impl Span {
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
