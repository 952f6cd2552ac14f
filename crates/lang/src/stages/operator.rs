//! What is known of an operator: how it is written, a sentence, an example with its answer, and who reads it.

use crate::parser::Parser;
use crate::tree::Stage;

/// A query and the rows that it gives, as JSON objects.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub query: &'static str,
    pub rows: &'static [&'static str],
}

/// An operator of the language: what a stage begins with.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The first is the one that is printed.
    pub names: &'static [&'static str],
    /// How it is written, with optional parts in brackets.
    pub syntax: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// A stage that can stand after any dataset, or a whole query where it can only begin one.
    pub example: &'static str,
    /// A query with the operator that needs no data, with its answer.
    pub trial: Trial,
    /// What must follow its name, in words.
    pub(super) needs: Option<&'static str>,
    pub(super) parse: fn(&mut Parser<'_>) -> Option<Stage>,
}
