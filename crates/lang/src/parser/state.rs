//! How far a text is read, where the present place is, and what has been read. How each part is read is left to the
//! modules that read it, also to those of stages and sources.

use crate::Span;
use crate::cursor::Cursor;
use crate::lexer::Limits;
use crate::tree::{Expr, ExprKind};

/// How high a tree may be. Whoever walks over it may recurse without fear for the stack.
pub(crate) const HEIGHT_MAX: usize = 200;

/// An expression with its height, which is known on the way up without walking over it again.
pub(crate) struct Parsed {
    pub(crate) expr: Expr,
    pub(crate) height: usize,
}

impl Parsed {
    pub(super) fn leaf(kind: ExprKind, span: Span) -> Self {
        Self { expr: Expr::new(kind, span), height: 1 }
    }

    pub(super) fn span(&self) -> Span {
        self.expr.span
    }
}

/// Where an expression stands, which decides what may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// There is no query around it.
    Alone,
    /// In a stage that looks at one row after the other.
    Row,
    /// In `search`, where texts are looked for in all fields.
    Search { is_case_sensitive: bool },
    /// Where aggregates may be called, and nothing but they sees rows.
    Group,
    /// In the arguments of an aggregate.
    Aggregate,
}

/// Reads expressions from a cursor that others may go on with.
pub(crate) struct Parser<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) place: Place,
    /// How deep the present place is nested.
    pub(crate) depth: usize,
    /// Words that end an expression at the present place because the stage goes on with them.
    pub(crate) stops: &'static [&'static str],
    /// The height of the highest tree that the present query holds so far.
    pub(crate) tallest: usize,
    /// How many stages have been read, in all queries of the text.
    pub(crate) stages: usize,
    /// How many tables stages and lists have named, in all queries of the text.
    pub(crate) tables: usize,
    /// Where the present stage begins.
    pub(crate) stage_start: Span,
    /// Whether the present place is in the value of a `let`.
    pub(crate) is_in_let: bool,
    /// Whether a comma could stand at the present place.
    pub(super) is_in_list: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, limits: Limits, place: Place) -> Self {
        let cursor = Cursor::new(text, limits);
        Self {
            cursor,
            place,
            depth: 0,
            stops: &[],
            tallest: 0,
            stages: 0,
            tables: 0,
            stage_start: Span::default(),
            is_in_let: false,
            is_in_list: false,
        }
    }
}
