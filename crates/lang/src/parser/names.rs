//! Names as stages take them: of fields and tables, plain or in brackets, with stars for any letters, and with types.

use std::collections::HashSet;

use super::{Parser, Place};
use crate::lexer::TokenKind;
use crate::suggest;
use crate::tree::{Column, Literal, NamePattern, Type};
use crate::{Diagnostic, Span};

/// Every spelling of a type that a column can have. The first of a type is the one that is printed.
const TYPES: &[(&str, Type)] = &[
    ("string", Type::String),
    ("long", Type::Integer),
    ("int", Type::Integer),
    ("real", Type::Float),
    ("double", Type::Float),
    ("bool", Type::Boolean),
    ("boolean", Type::Boolean),
    ("datetime", Type::Datetime),
    ("date", Type::Datetime),
    ("timespan", Type::Timespan),
    ("time", Type::Timespan),
    ("dynamic", Type::Dynamic),
];

/// What other languages call types of this one.
const FOREIGN_TYPES: &[(&str, &str)] = &[
    ("array", "dynamic"),
    ("bigint", "long"),
    ("decimal", "real"),
    ("float", "real"),
    ("guid", "string"),
    ("integer", "long"),
    ("json", "dynamic"),
    ("map", "dynamic"),
    ("number", "real"),
    ("object", "dynamic"),
    ("str", "string"),
    ("text", "string"),
    ("timestamp", "datetime"),
    ("uuid", "string"),
    ("varchar", "string"),
];

/// How a type is written.
pub(crate) fn type_word(wanted: Type) -> &'static str {
    let of_type = TYPES.iter().find(|(_, known)| *known == wanted);
    of_type.map_or("dynamic", |(word, _)| word)
}

impl Parser<'_> {
    /// How many tokens the name that stands so many tokens ahead has. None if no name stands there.
    fn name_length(&self, from: usize) -> Option<usize> {
        match &self.cursor.ahead(from).kind {
            TokenKind::Word => {
                let mut length = 1;
                while self.cursor.ahead(from + length).kind == TokenKind::Dot
                    && self.cursor.word_ahead(from + length + 1).is_some()
                {
                    length += 2;
                }
                Some(length)
            }
            TokenKind::LeftBracket => {
                let is_text =
                    matches!(self.cursor.ahead(from + 1).kind, TokenKind::Literal(Literal::String(_)));
                (is_text && self.cursor.ahead(from + 2).kind == TokenKind::RightBracket).then_some(3)
            }
            _ => None,
        }
    }

    /// A name, if one stands here.
    pub(crate) fn accept_name(&mut self) -> Option<(String, Span)> {
        let length = self.name_length(0)?;
        let start = self.cursor.span();
        let quoted = match &self.cursor.ahead(1).kind {
            TokenKind::Literal(Literal::String(name))
                if length == 3 && self.cursor.word_ahead(0).is_none() =>
            {
                Some(name.clone())
            }
            _ => None,
        };
        let words = (0..length).filter_map(|place| self.cursor.word_ahead(place));
        let name = quoted.unwrap_or_else(|| words.collect::<Vec<_>>().join("."));
        let mut end = start;
        for _ in 0..length {
            end = self.cursor.advance();
        }
        let span = start.to(end);
        if name.is_empty() {
            let hint = "write the name between the quotes";
            self.cursor.report(Diagnostic::new("the name is empty", span).with_hint(hint));
        }
        Some((name, span))
    }

    /// A name, or a diagnostic that it is missing.
    pub(crate) fn expect_name(&mut self, what: &str, example: &str) -> Option<(String, Span)> {
        let name = self.accept_name();
        if name.is_none() {
            let message = format!("{what} is missing before {}", self.cursor.found());
            let hint = format!("write `{example}`");
            self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
        }
        name
    }

    /// Whether `name =` stands here, in a query.
    pub(super) fn is_at_assignment(&self) -> bool {
        let length = self.name_length(0).filter(|_| self.place != Place::Alone);
        length.is_some_and(|length| self.cursor.ahead(length).kind == TokenKind::Equal)
    }

    /// The name of `name = …`, if that stands here. It and the `=` are passed.
    pub(crate) fn accept_assigned_name(&mut self) -> Option<String> {
        let length = self.name_length(0)?;
        if self.cursor.ahead(length).kind != TokenKind::Equal {
            return None;
        }
        let (name, _) = self.accept_name()?;
        self.cursor.advance();
        Some(name)
    }

    /// A name in which stars may stand, if one stands here. In brackets a star is itself, except where it is told to
    /// be a star there too.
    pub(crate) fn accept_pattern(&mut self, has_quoted_stars: bool) -> Option<(NamePattern, Span)> {
        let start = self.cursor.span();
        let mut end = start;
        let mut parts = vec![String::new()];
        let mut is_first = true;
        while is_first || self.cursor.is_adjacent(0) {
            if self.cursor.is_at(&TokenKind::Star) {
                end = self.cursor.advance();
                parts.push(String::new());
            } else if let Some((name, span)) = self.accept_name() {
                end = span;
                let is_quoted = self.cursor.slice(span).starts_with('[');
                let mut pieces = if is_quoted && !has_quoted_stars {
                    vec![name.as_str()]
                } else {
                    name.split('*').collect()
                };
                if let (Some(last), false) = (parts.last_mut(), pieces.is_empty()) {
                    last.push_str(pieces.remove(0));
                }
                parts.extend(pieces.into_iter().map(str::to_owned));
            } else if !is_first && self.is_at_dot_of_pattern() {
                end = self.cursor.advance();
                parts.last_mut().into_iter().for_each(|last| last.push('.'));
            } else {
                break;
            }
            is_first = false;
        }
        let span = start.to(end);
        (!is_first).then_some((NamePattern { parts, span }, span))
    }

    /// Whether a dot stands here that the pattern goes on behind, as in `geo.*` and `*.city`.
    fn is_at_dot_of_pattern(&self) -> bool {
        let goes_on = self.cursor.ahead(1).kind == TokenKind::Star || self.cursor.word_ahead(1).is_some();
        self.cursor.is_at(&TokenKind::Dot) && self.cursor.is_adjacent(1) && goes_on
    }

    /// Names with stars and commas between them.
    pub(crate) fn patterns(&mut self, example: &str) -> Vec<NamePattern> {
        let mut patterns = Vec::new();
        loop {
            match self.accept_pattern(false) {
                Some((pattern, _)) => patterns.push(pattern),
                None => {
                    self.report_missing("a field", example);
                    break;
                }
            }
            if self.cursor.accept(&TokenKind::Comma).is_none() {
                break;
            }
        }
        patterns
    }

    /// The name of a type. None if there is none, which is reported.
    pub(crate) fn type_name(&mut self) -> Option<Type> {
        const HINT: &str = "write one of string, long, real, bool, datetime, timespan and dynamic";
        let span = self.cursor.span();
        let Some(word) = self.cursor.word_ahead(0) else {
            let message = format!("a type is missing before {}", self.cursor.found());
            self.cursor.report(Diagnostic::new(message, span).with_hint(HINT));
            return None;
        };
        self.cursor.advance();
        if let Some((_, known)) = TYPES.iter().find(|(name, _)| *name == word) {
            return Some(*known);
        }
        let foreign = FOREIGN_TYPES.iter().find(|(name, _)| *name == word.to_lowercase());
        let meant = foreign
            .map(|(_, ours)| *ours)
            .or_else(|| suggest::nearest(word, TYPES.iter().map(|(name, _)| *name)));
        let hint = meant.map_or(HINT.to_owned(), |meant| format!("did you mean `{meant}`?"));
        self.cursor.report(Diagnostic::new(format!("`{word}` is no type"), span).with_hint(hint));
        None
    }

    /// `(name:type, …)`. Where types may be left out a column without one holds texts.
    pub(crate) fn columns(&mut self, needs_types: bool, example: &str) -> Vec<Column> {
        let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) else {
            self.report_missing("`(` with the columns", example);
            return Vec::new();
        };
        let mut columns: Vec<Column> = Vec::new();
        let mut known = HashSet::new();
        while !self.cursor.is_at(&TokenKind::RightParenthesis) {
            let Some((name, span)) = self.expect_name("a column", example) else { break };
            let colon = self.cursor.accept(&TokenKind::Colon);
            if colon.is_none() && needs_types {
                let hint = format!("write `{name}:string`, or another type");
                self.cursor.report(Diagnostic::new(format!("`{name}` has no type"), span).with_hint(hint));
            }
            let kind = colon.and_then(|_| self.type_name()).unwrap_or(Type::String);
            if !known.insert(name.clone()) {
                let message = format!("there are two columns `{name}`");
                self.cursor.report(Diagnostic::new(message, span).with_hint("give one another name"));
            }
            columns.push(Column { name, kind });
            if self.cursor.accept(&TokenKind::Comma).is_none() {
                break;
            }
        }
        if self.cursor.has_reported_since(open) {
            self.skip_stage();
        }
        self.close(TokenKind::RightParenthesis, open);
        if columns.is_empty() && !self.cursor.has_reported_since(open) {
            let hint = format!("write `{example}`");
            self.cursor.report(Diagnostic::new("there are no columns", open).with_hint(hint));
        }
        columns
    }

    pub(crate) fn report_missing(&mut self, what: &str, example: &str) {
        let message = format!("{what} is missing before {}", self.cursor.found());
        let hint = format!("write `{example}`");
        self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
    }
}
