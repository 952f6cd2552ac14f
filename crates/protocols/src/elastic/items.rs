//! The items of a bulk request, as small as they can be: a request has up to a million of them.

use std::ops::Range;

/// What is to be done with a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Index,
    Create,
    Update,
    Delete,
}

impl Action {
    pub(super) fn parse(word: &str) -> Option<Self> {
        [Self::Index, Self::Create, Self::Update, Self::Delete]
            .into_iter()
            .find(|action| action.word() == word)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// A part of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Places are within the body, which is smaller than 4 GiB.
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// A part of this one.
    pub(super) fn within(line: Self, (start, end): (usize, usize)) -> Self {
        Self::new(line.start as usize + start, line.start as usize + end)
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nobody has read it.
    Waiting,
    Stored,
    Refused(u16),
}

impl State {
    pub(super) fn status(self) -> u16 {
        match self {
            Self::Stored => 201,
            Self::Refused(status) => status,
            // Its dataset was neither read nor refused, so it is safest to send it again.
            Self::Waiting => 503,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) action: Action,
    pub(super) dataset: u32,
    pub(super) id: Span,
    pub(super) source: Span,
    pub(super) state: State,
}
