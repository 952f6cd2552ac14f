//! Tokens: what a text is made of, with where each stands.

use crate::Span;
use crate::tree::Literal;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A name, a keyword or an operator that is a word; `in~` too.
    Word,
    Literal(Literal),
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    Comma,
    Dot,
    DotDot,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Equal,
    EqualEqual,
    EqualEqualEqual,
    EqualTilde,
    Bang,
    BangEqual,
    BangEqualEqual,
    BangTilde,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    AmpersandAmpersand,
    PipePipe,
    Pipe,
    Semicolon,
    Colon,
    /// Read and of no use anywhere: `{`, `}`, `?`.
    Other,
    /// What could not be read. A diagnostic tells why.
    Unknown,
    End,
}
