//! What could be written, before and after it is decided what of it is shown.

/// The most items that are given.
pub const COMPLETIONS_MAX: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What is written, in quotes where the name needs them.
    pub insert: String,
    pub kind: CompletionKind,
    /// How it is called, or its type.
    pub detail: String,
    /// One sentence, or nothing.
    pub doc: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    Dataset,
    Field,
    Function,
    Aggregate,
    Operator,
    Keyword,
    Value,
    Type,
    Snippet,
}

impl CompletionKind {
    /// The word for it in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Field => "field",
            Self::Function => "function",
            Self::Aggregate => "aggregate",
            Self::Operator => "operator",
            Self::Keyword => "keyword",
            Self::Value => "value",
            Self::Type => "type",
            Self::Snippet => "snippet",
        }
    }
}

/// A candidate with where it belongs among the others; the lower goes first.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) group: u8,
    pub(super) item: Completion,
}
