//! What stands between operators: literals, fields and their members, parentheses, signs.

use super::{Parsed, Parser, Place, operators};
use crate::lexer::TokenKind;
use crate::tree::{Expr, ExprKind, Literal};
use crate::{Diagnostic, Span};

/// Whether a field of this name must be written as `['name']`.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(word, "true" | "True" | "TRUE" | "false" | "False" | "FALSE" | "null" | "not")
        || operators::words().any(|operator| operator == word)
}

impl Parser<'_> {
    /// An operand with the signs before it.
    pub(super) fn unary(&mut self) -> Parsed {
        let start = self.cursor.span();
        match self.cursor.peek() {
            TokenKind::Minus => {
                self.cursor.advance();
                self.negative(start)
            }
            TokenKind::Plus => {
                self.cursor.advance();
                self.nested(Self::unary)
            }
            TokenKind::Bang => {
                let hint = "write `not(…)`";
                self.cursor.report(Diagnostic::new("`!` does not negate a value", start).with_hint(hint));
                self.cursor.advance();
                let operand = self.nested(Self::unary);
                self.wrapped(operand, start, ExprKind::Not)
            }
            _ => {
                let operand = self.primary();
                self.postfix(operand)
            }
        }
    }

    /// What follows a minus. A number directly behind it is a negative literal.
    fn negative(&mut self, start: Span) -> Parsed {
        let is_indexed = matches!(self.cursor.ahead(1).kind, TokenKind::LeftBracket | TokenKind::Dot);
        let literal = match self.cursor.peek() {
            TokenKind::Literal(Literal::Integer(number)) => Some(Literal::Integer(number.wrapping_neg())),
            TokenKind::Literal(Literal::Float(number)) => Some(Literal::Float(-number)),
            // The least integer of 64 bits is longer than the greatest only until its sign is read.
            TokenKind::Literal(Literal::LongInteger(digits)) => Literal::number(&format!("-{digits}")),
            TokenKind::Literal(Literal::Timespan(number)) => Some(Literal::Timespan(number.wrapping_neg())),
            _ => None,
        };
        if let Some(literal) = literal.filter(|_| !is_indexed && self.is_plain_number()) {
            let end = self.cursor.advance();
            return Parsed::leaf(ExprKind::Literal(literal), start.to(end));
        }
        let operand = self.nested(Self::unary);
        self.wrapped(operand, start, ExprKind::Negate)
    }

    /// Whether the present literal is written with a digit first, not as `long(-3)`, whose sign is inside.
    fn is_plain_number(&self) -> bool {
        self.cursor.slice(self.cursor.span()).starts_with(|c: char| c.is_ascii_digit())
    }

    /// Counts one more level while something inside is read.
    pub(crate) fn nested(&mut self, read: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        let parsed =
            if self.depth > super::HEIGHT_MAX { self.too_high(self.cursor.span()) } else { read(self) };
        self.depth -= 1;
        parsed
    }

    fn wrapped(&mut self, operand: Parsed, start: Span, kind: impl FnOnce(Box<Expr>) -> ExprKind) -> Parsed {
        let span = start.to(operand.span());
        self.limited(kind(Box::new(operand.expr)), span, operand.height + 1)
    }

    fn primary(&mut self) -> Parsed {
        let span = self.cursor.span();
        match self.cursor.peek() {
            TokenKind::Literal(literal) => {
                let literal = literal.clone();
                self.cursor.advance();
                self.literal(literal, span)
            }
            TokenKind::Word => self.word(),
            TokenKind::LeftParenthesis => self.parenthesised(),
            TokenKind::LeftBracket => self.bracketed(),
            TokenKind::Star if self.is_at_all_fields() => {
                self.cursor.advance();
                Parsed::leaf(ExprKind::AllFields, span)
            }
            TokenKind::Unknown => {
                self.cursor.advance();
                self.error(span)
            }
            _ => self.missing(),
        }
    }

    /// Whether a star stands for all fields: where it is compared, where it is an argument, and alone in `search`.
    fn is_at_all_fields(&self) -> bool {
        if self.place == Place::Alone {
            return false;
        }
        let is_search = matches!(self.place, Place::Search { .. });
        match &self.cursor.ahead(1).kind {
            TokenKind::Comma | TokenKind::RightParenthesis => self.is_in_list || is_search,
            TokenKind::End | TokenKind::Pipe | TokenKind::Semicolon => is_search,
            TokenKind::Word => {
                self.cursor.word_ahead(1).is_some_and(|word| operators::words().any(|known| known == word))
            }
            TokenKind::EqualEqual
            | TokenKind::BangEqual
            | TokenKind::EqualTilde
            | TokenKind::BangTilde
            | TokenKind::Bang => true,
            _ => false,
        }
    }

    /// A literal. Texts beside each other are one text, so that a long one can be written on several lines.
    fn literal(&mut self, literal: Literal, span: Span) -> Parsed {
        let Literal::String(mut value) = literal else {
            return Parsed::leaf(ExprKind::Literal(literal), span);
        };
        let mut end = span;
        while let TokenKind::Literal(Literal::String(more)) = self.cursor.peek() {
            value.push_str(more);
            end = self.cursor.advance();
        }
        Parsed::leaf(ExprKind::Literal(Literal::String(value)), span.to(end))
    }

    fn word(&mut self) -> Parsed {
        let span = self.cursor.span();
        let word = self.cursor.slice(span);
        let literal = match word {
            "true" | "True" | "TRUE" => Some(Literal::Boolean(true)),
            "false" | "False" | "FALSE" => Some(Literal::Boolean(false)),
            "null" => Some(Literal::Null),
            _ => None,
        };
        let is_called = self.cursor.ahead(1).kind == TokenKind::LeftParenthesis;
        match literal {
            Some(literal) => {
                self.cursor.advance();
                Parsed::leaf(ExprKind::Literal(literal), span)
            }
            None if word == "not" => self.not(),
            None if is_reserved(word) => self.misplaced_operator(word),
            None if is_called => self.call(),
            None => self.field(),
        }
    }

    fn not(&mut self) -> Parsed {
        let start = self.cursor.advance();
        if self.cursor.is_at(&TokenKind::LeftParenthesis) {
            let operand = self.parenthesised();
            return self.wrapped(operand, start, ExprKind::Not);
        }
        let hint = "write `not(…)` around what is negated";
        self.cursor.report(Diagnostic::new("parentheses are missing after `not`", start).with_hint(hint));
        let operand = self.nested(|parser| parser.expression(operators::EQUALITY));
        self.wrapped(operand, start, ExprKind::Not)
    }

    fn misplaced_operator(&mut self, word: &str) -> Parsed {
        let span = self.cursor.advance();
        let hint = format!("write a value before it; a field of this name is written ['{word}']");
        self.cursor.report(Diagnostic::new(format!("`{word}` has nothing before it"), span).with_hint(hint));
        if !self.is_at_terminator() {
            let rest = self.nested(Self::unary);
            return self.error(span.to(rest.span()));
        }
        self.error(span)
    }

    /// A field whose name is words with dots between them.
    fn field(&mut self) -> Parsed {
        let start = self.cursor.advance();
        let mut name = self.cursor.slice(start).to_owned();
        let mut end = start;
        while self.cursor.is_at(&TokenKind::Dot) {
            let Some(part) = self.cursor.word_ahead(1) else { break };
            self.cursor.advance();
            end = self.cursor.advance();
            name.push('.');
            name.push_str(part);
        }
        if self.cursor.is_at(&TokenKind::LeftParenthesis) {
            return self.method_call(&name, start.to(end));
        }
        Parsed::leaf(ExprKind::Field(name), start.to(end))
    }

    /// A function behind a dot, as other languages call it.
    fn method_call(&mut self, name: &str, span: Span) -> Parsed {
        let (of, function) = name.rsplit_once('.').unwrap_or(("", name));
        let hint = format!("write `{function}({of})`");
        let message = format!("`{function}` cannot be called with a dot");
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
        let open = self.cursor.advance();
        let (_, close) = self.list_until(TokenKind::RightParenthesis, open);
        self.error(span.to(close))
    }

    pub(super) fn parenthesised(&mut self) -> Parsed {
        let open = self.cursor.advance();
        let was_in_list = std::mem::replace(&mut self.is_in_list, false);
        let mut inner = self.full();
        self.is_in_list = was_in_list;
        let close = self.close(TokenKind::RightParenthesis, open);
        inner.expr.span = open.to(close);
        inner
    }

    /// A name in brackets, or what somebody took for a list.
    fn bracketed(&mut self) -> Parsed {
        let open = self.cursor.advance();
        let is_name = self.cursor.ahead(1).kind == TokenKind::RightBracket;
        if let TokenKind::Literal(Literal::String(name)) = self.cursor.peek().clone()
            && is_name
        {
            let name_span = self.cursor.advance();
            let close = self.cursor.advance();
            if name.is_empty() {
                let hint = "write the field's name between the quotes";
                self.cursor.report(Diagnostic::new("the name is empty", name_span).with_hint(hint));
                return self.error(open.to(close));
            }
            return Parsed::leaf(ExprKind::Field(name), open.to(close));
        }
        let hint = "write a list as `dynamic([…])`, and a field's name as `['name']`";
        self.cursor.report(Diagnostic::new("a list cannot stand here", open).with_hint(hint));
        let (_, close) = self.list_until(TokenKind::RightBracket, open);
        self.error(open.to(close))
    }

    /// Members and elements: `.name`, `['name']`, `[0]`, one after the other.
    fn postfix(&mut self, mut operand: Parsed) -> Parsed {
        loop {
            let start = self.cursor.span();
            match self.cursor.peek() {
                TokenKind::LeftBracket => {
                    self.cursor.advance();
                    operand = self.index(operand, start);
                }
                TokenKind::Dot if self.cursor.ahead(1).kind == TokenKind::LeftBracket => {
                    self.cursor.advance();
                    self.cursor.advance();
                    operand = self.index(operand, start);
                }
                TokenKind::Dot => {
                    self.cursor.advance();
                    operand = self.member(operand, start);
                }
                _ => return operand,
            }
        }
    }

    fn index(&mut self, operand: Parsed, open: Span) -> Parsed {
        let key = self.full();
        let close = self.close(TokenKind::RightBracket, open);
        let span = operand.span().to(close);
        let height = operand.height.max(key.height) + 1;
        let kind = ExprKind::Member { of: Box::new(operand.expr), key: Box::new(key.expr) };
        self.limited(kind, span, height)
    }

    fn member(&mut self, operand: Parsed, dot: Span) -> Parsed {
        let Some(name) = self.cursor.word_ahead(0) else {
            let is_number = matches!(self.cursor.peek(), TokenKind::Literal(Literal::Integer(_)));
            let hint = if is_number {
                format!("write `[{}]` for an element", self.cursor.slice(self.cursor.span()))
            } else {
                "write a name after it, or `['name']`".to_owned()
            };
            self.cursor.report(Diagnostic::new("a name is missing after `.`", dot).with_hint(hint));
            if is_number {
                self.cursor.advance();
            }
            return self.error(operand.span().to(dot));
        };
        let name_span = self.cursor.advance();
        let span = operand.span().to(name_span);
        let key = Expr::new(ExprKind::Literal(Literal::String(name.to_owned())), name_span);
        let height = operand.height + 1;
        self.limited(ExprKind::Member { of: Box::new(operand.expr), key: Box::new(key) }, span, height)
    }

    /// Goes past a closing mark, or reports that the opening one has none.
    pub(crate) fn close(&mut self, kind: TokenKind, open: Span) -> Span {
        if let Some(span) = self.cursor.accept(&kind) {
            return span;
        }
        let (opening, closing) = if kind == TokenKind::RightBracket { ("[", "]") } else { ("(", ")") };
        let message = format!("`{opening}` is never closed");
        let found = self.cursor.found();
        let hint = format!("write `{closing}` before {found}");
        self.cursor.report(Diagnostic::new(message, open).with_hint(hint));
        let place = self.cursor.span().start;
        Span { start: place, end: place }
    }

    /// Something must stand here and does not.
    fn missing(&mut self) -> Parsed {
        let span = self.cursor.span();
        let hint = match self.cursor.peek() {
            TokenKind::Star if self.place == Place::Alone => {
                "`*` stands for all fields only as an argument of some aggregates; name a field"
            }
            TokenKind::Star => "name fields; all of them are there without it, so remove the stage for all",
            TokenKind::Dot => "write a digit before the dot, such as `0.5`",
            TokenKind::Other | TokenKind::Colon => "remove it; a map is written `dynamic({…})`",
            TokenKind::Equal => "write `==` to compare",
            _ => "write a field, a number, a text in quotes or a function call",
        };
        let message = format!("a value is missing before {}", self.cursor.found());
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
        let is_all = self.place != Place::Alone && self.cursor.is_at(&TokenKind::Star);
        if !is_all && (self.is_at_terminator() || operators::ahead(&self.cursor).is_some()) {
            return self.error(span);
        }
        self.cursor.advance();
        // What follows is probably what the wrong symbol was put before.
        let has_rest = !self.is_at_terminator() && operators::ahead(&self.cursor).is_none();
        let end = if has_rest { self.nested(Self::unary).span() } else { span };
        self.error(span.to(end))
    }
}
