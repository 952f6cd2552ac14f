//! How far a text is read, and what was found in it. How each kind of token is read is left to the modules beside.

use super::token::{Token, TokenKind};
use crate::{Diagnostic, Span};

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) place: usize,
    pub(super) tokens: Vec<Token>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    pub(super) fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, span: Span::new(start, self.place) });
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn rest(&self) -> &str {
        &self.text[self.place..]
    }
}
