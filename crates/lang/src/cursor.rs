//! A place in a row of tokens, and the diagnostics found on the way. Every parser of the language reads through this.

use crate::lexer::{Limits, MISTAKES_MAX, Token, TokenKind, tokens};
use crate::{Diagnostic, Span};

/// How many diagnostics are given at most: who has more mistakes than these mends them first.
const DIAGNOSTICS_MAX: usize = 20;

pub(crate) struct Cursor<'a> {
    text: &'a str,
    /// The last one is `End`, which is never passed.
    tokens: Vec<Token>,
    place: usize,
    diagnostics: Vec<Diagnostic>,
    has_given_up: bool,
    /// How many tokens were looked at.
    #[cfg(test)]
    looks: std::cell::Cell<usize>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, limits: Limits) -> Self {
        let (tokens, mut diagnostics) = tokens(text, limits);
        diagnostics.truncate(MISTAKES_MAX);
        Self {
            text,
            tokens,
            place: 0,
            diagnostics,
            has_given_up: false,
            #[cfg(test)]
            looks: std::cell::Cell::default(),
        }
    }

    #[cfg(test)]
    pub(crate) fn looks(&self) -> usize {
        self.looks.get()
    }

    /// The token that stands so many after the present one, or the end.
    pub(crate) fn ahead(&self, count: usize) -> &Token {
        #[cfg(test)]
        self.looks.set(self.looks.get() + 1);
        let last = self.tokens.len() - 1;
        &self.tokens[(self.place + count).min(last)]
    }

    pub(crate) fn peek(&self) -> &TokenKind {
        &self.ahead(0).kind
    }

    pub(crate) fn span(&self) -> Span {
        self.ahead(0).span
    }

    pub(crate) fn is_at(&self, kind: &TokenKind) -> bool {
        self.peek() == kind
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at(&TokenKind::End)
    }

    /// Goes past the present token and tells where it stood.
    pub(crate) fn advance(&mut self) -> Span {
        let span = self.span();
        self.place = (self.place + 1).min(self.tokens.len() - 1);
        span
    }

    /// Goes past the present token if it is of this kind.
    pub(crate) fn accept(&mut self, kind: &TokenKind) -> Option<Span> {
        self.is_at(kind).then(|| self.advance())
    }

    /// The word that stands so many tokens ahead, if one does.
    pub(crate) fn word_ahead(&self, count: usize) -> Option<&'a str> {
        let token = self.ahead(count);
        (token.kind == TokenKind::Word).then(|| self.slice(token.span))
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// The token before the present one.
    pub(crate) fn before(&self) -> Option<&TokenKind> {
        self.place.checked_sub(1).map(|before| &self.tokens[before].kind)
    }

    /// Where the token before the present one stands.
    pub(crate) fn span_before(&self) -> Span {
        self.place.checked_sub(1).map_or(Span::default(), |before| self.tokens[before].span)
    }

    /// The end of the token before the present one, or the start of the text.
    pub(crate) fn end_before(&self) -> Span {
        let end = self.place.checked_sub(1).map_or(0, |before| self.tokens[before].span.end);
        Span { start: end, end }
    }

    /// Whether the token so many ahead stands directly behind the one before it.
    pub(crate) fn is_adjacent(&self, count: usize) -> bool {
        let place = self.place + count;
        match (place.checked_sub(1).and_then(|before| self.tokens.get(before)), self.tokens.get(place)) {
            (Some(before), Some(token)) => before.span.end == token.span.start,
            _ => false,
        }
    }

    /// Whether a line ends between the token before the present one and the present one.
    pub(crate) fn is_on_new_line(&self) -> bool {
        let before = self.end_before();
        self.text[before.start as usize..self.span().start as usize].contains('\n')
    }

    /// Whether a diagnostic stands between this place and the end of the present token.
    pub(crate) fn has_reported_since(&self, place: Span) -> bool {
        let between = place.start..=self.span().end;
        self.has_given_up || self.diagnostics.iter().any(|known| between.contains(&known.span.start))
    }

    /// How the present token is called in a message.
    pub(crate) fn found(&self) -> String {
        match self.peek() {
            TokenKind::End => "the end".to_owned(),
            _ => {
                let shown = self.slice(self.span());
                let mut characters = shown.chars();
                let start: String = characters.by_ref().take(32).collect();
                let rest = if characters.next().is_some() { "…" } else { "" };
                format!("`{}{rest}`", start.replace(char::is_control, " "))
            }
        }
    }

    /// Notes a diagnostic, unless one stands at the same place: the first tells the cause, the next its consequence. With
    /// the last that is noted the rest is left out: what to write instead takes longer to find than a text to read.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let is_wanted = !self.has_given_up && self.diagnostics.len() < MISTAKES_MAX;
        if is_wanted && self.diagnostics.iter().all(|known| known.span.start != diagnostic.span.start) {
            self.diagnostics.push(diagnostic);
            if self.diagnostics.len() == MISTAKES_MAX {
                self.place = self.tokens.len() - 1;
            }
        }
    }

    /// Leaves out all that follows, after a mistake that makes the rest meaningless. It stays the only diagnostic.
    pub(crate) fn give_up(&mut self, diagnostic: Diagnostic) {
        if !self.has_given_up {
            self.diagnostics = vec![diagnostic];
        }
        self.has_given_up = true;
        self.place = self.tokens.len() - 1;
    }

    /// The diagnostics in the order of the text.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        diagnostics.truncate(DIAGNOSTICS_MAX);
        diagnostics
    }
}
