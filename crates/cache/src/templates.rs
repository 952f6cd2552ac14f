//! What a question about texts says of their templates: that every text of a template passes, that none does, or that
//! it depends on the variables. Asked once for each template instead of for each row. Which rows are read because of
//! it is left to `scan`.

mod asked;
mod automaton;
mod literal;
mod sure;
mod texts;
mod within;

pub use asked::{Asked, Searches};
pub use sure::Sure;
pub use texts::Texts;
pub use within::Within;

/// Which texts of a template pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    All,
    None,
    /// It depends on the variables, and only this part of a text has to be looked at.
    Open(Window),
}

/// A part of a template, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: usize,
    pub end: usize,
}

impl Window {
    pub const WHOLE: Self = Self { start: 0, end: usize::MAX };

    /// What reaches as far as both do.
    fn with(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl Verdict {
    /// Nothing is known.
    const UNKNOWN: Self = Self::Open(Window::WHOLE);
}
