//! Tokens to an expression, by precedence. Total: where something cannot be understood an `Error` stands in the tree
//! and a diagnostic tells why, and reading goes on behind it. Spans lie inside the text.

mod calls;
mod chain;
mod items;
mod names;
mod operand;
pub(crate) mod operators;
mod state;

use crate::lexer::{self, TokenKind};
use crate::stages;
use crate::timespan;
use crate::tree::{BinaryOperator, Expr, ExprKind, Literal};
use crate::{Diagnostic, Span};

pub(crate) use chain::{CHAIN_MAX, balanced};
pub(crate) use items::{column_name, implied_name};
pub(crate) use names::type_word;
pub(crate) use operand::is_reserved;
pub(crate) use state::{HEIGHT_MAX, Parsed, Parser, Place};

use operators::{Form, LOWEST, Operator};

/// Reads one expression. The text is at most 64 KiB; a tree comes back whatever the text is, and the text was
/// understood if there are no diagnostics.
pub fn parse_expression(text: &str) -> (Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, lexer::EXPRESSION, Place::Alone);
    let mut parsed = parser.full();
    while !parser.cursor.is_at_end() {
        parser.report_unexpected();
        if matches!(parser.cursor.peek(), TokenKind::Pipe | TokenKind::Semicolon) {
            parsed = parser.error(parsed.span());
            break;
        }
        parser.cursor.advance();
        if !parser.is_at_terminator() {
            let rest = parser.full();
            parsed = parser.error(parsed.span().to(rest.span()));
        }
    }
    (parsed.expr, parser.cursor.finish())
}

impl Parser<'_> {
    /// An expression up to a token that ends one, with whatever cannot be understood in between.
    pub(crate) fn full(&mut self) -> Parsed {
        let mut parsed = self.expression(LOWEST);
        while !self.is_at_terminator() && !self.is_at_next() {
            let is_word = self.report_missing_operator();
            if is_word {
                self.cursor.advance();
            } else if self.place != Place::Alone {
                self.skip_expression();
                return self.error(parsed.span());
            }
            let rest = if self.is_at_terminator() { None } else { Some(self.expression(LOWEST)) };
            let end = rest.map_or(self.cursor.span(), |rest| rest.span());
            parsed = self.error(parsed.span().to(end));
        }
        parsed
    }

    /// Goes to what ends the expression, over whatever stands in brackets.
    fn skip_expression(&mut self) {
        let mut depth = 0_usize;
        while !self.cursor.is_at_end() && (depth > 0 || !(self.is_at_terminator() || self.is_at_next())) {
            match self.cursor.peek() {
                TokenKind::LeftParenthesis | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParenthesis | TokenKind::RightBracket => depth = depth.saturating_sub(1),
                TokenKind::Pipe | TokenKind::Semicolon => return,
                _ => {}
            }
            self.cursor.advance();
        }
    }

    /// Whether a further stage or statement begins here, though the `|` or `;` before it is missing.
    pub(crate) fn is_at_next(&self) -> bool {
        self.place != Place::Alone && (self.is_at_operator() || self.is_at_next_statement())
    }

    /// Whether the line of a `let` has ended and something stands here that does not go on with it.
    pub(crate) fn is_at_next_statement(&self) -> bool {
        self.is_in_let && self.cursor.is_on_new_line() && self.cursor.is_at(&TokenKind::Word)
    }

    /// An expression whose operators bind at least so tightly.
    fn expression(&mut self, lowest: u8) -> Parsed {
        self.depth += 1;
        if self.depth > HEIGHT_MAX {
            self.depth -= 1;
            return self.too_high(self.cursor.span());
        }
        let mut left = self.unary();
        while let Some(operator) = self.operator_ahead().filter(|found| found.precedence >= lowest) {
            left = self.operation(left, operator);
            self.check_alone(operator);
        }
        self.depth -= 1;
        left
    }

    /// The operator that stands here. A colon is one in `search` alone.
    fn operator_ahead(&self) -> Option<Operator> {
        if matches!(self.place, Place::Search { .. }) && self.cursor.is_at(&TokenKind::Colon) {
            return Some(operators::COLON);
        }
        operators::ahead(&self.cursor)
    }

    /// Two comparisons beside each other are almost always meant in another way than they would be read.
    fn check_alone(&mut self, operator: Operator) {
        let next = self.operator_ahead().filter(|next| next.precedence == operator.precedence);
        if let Some(next) = next.filter(|_| operator.is_alone()) {
            let message = format!("`{}` cannot follow another comparison", next.name);
            let hint = "put parentheses around one of them, or join two with `and`";
            self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
        }
    }

    /// What an operator makes of the expression before it and what follows.
    fn operation(&mut self, left: Parsed, operator: Operator) -> Parsed {
        self.report_mistake(operator);
        for _ in 0..operator.tokens {
            self.cursor.advance();
        }
        match operator.form {
            Form::Logical(logical) => self.logical(left, operator, logical),
            Form::Binary(_) | Form::Text { .. } | Form::Colon => {
                let right = self.expression(operator.precedence + 1);
                self.joined(left, right, operator)
            }
            Form::In { .. } | Form::HasAny { .. } => self.membership(left, operator),
            Form::Between { is_negated } => self.between(left, is_negated),
        }
    }

    /// All parts of a chain of one of `and` and `or`, whose first operator has been read.
    fn logical(&mut self, left: Parsed, operator: Operator, logical: BinaryOperator) -> Parsed {
        let mut operands = vec![left];
        operands.push(self.expression(operator.precedence + 1));
        while let Some(same) = operators::ahead(&self.cursor).filter(|next| next.form == operator.form) {
            self.report_mistake(same);
            self.cursor.advance();
            operands.push(self.expression(operator.precedence + 1));
        }
        self.chained(logical, operands)
    }

    fn report_mistake(&mut self, operator: Operator) {
        if let Some((message, hint)) = operator.mistake {
            self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
        }
    }

    fn joined(&mut self, left: Parsed, right: Parsed, operator: Operator) -> Parsed {
        let height = left.height.max(right.height) + 1;
        let span = left.span().to(right.span());
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        let kind = match operator.form {
            Form::Binary(operator) => ExprKind::Binary { operator, left, right },
            Form::Text { test, is_negated, is_case_sensitive } => {
                ExprKind::Text { test, is_negated, is_case_sensitive, left, right }
            }
            Form::Colon => {
                let is_case_sensitive = self.place == Place::Search { is_case_sensitive: true };
                stages::search::field_test(*left, *right, is_case_sensitive)
            }
            Form::Logical(_) | Form::In { .. } | Form::HasAny { .. } | Form::Between { .. } => {
                ExprKind::Error
            }
        };
        self.limited(kind, span, height)
    }

    /// A node above others, unless the tree becomes too high by it.
    pub(crate) fn limited(&mut self, kind: ExprKind, span: Span, height: usize) -> Parsed {
        if height > HEIGHT_MAX {
            return self.too_high(span);
        }
        Parsed { expr: Expr::new(kind, span), height }
    }

    pub(crate) fn too_high(&mut self, span: Span) -> Parsed {
        let message = format!("the expression is nested more than {HEIGHT_MAX} deep");
        let hint = "compare with a list by `in (…)`, or compute a part of it in a field of its own";
        self.cursor.give_up(Diagnostic::new(message, span).with_hint(hint));
        self.error(span)
    }

    fn error(&self, span: Span) -> Parsed {
        Parsed::leaf(ExprKind::Error, span)
    }

    /// Whether an expression ends here and something around it goes on.
    pub(crate) fn is_at_terminator(&self) -> bool {
        let is_stop = self.cursor.word_ahead(0).is_some_and(|word| self.stops.contains(&word));
        is_stop
            || matches!(
                self.cursor.peek(),
                TokenKind::End
                    | TokenKind::RightParenthesis
                    | TokenKind::RightBracket
                    | TokenKind::Comma
                    | TokenKind::DotDot
                    | TokenKind::Pipe
                    | TokenKind::Semicolon
            )
    }

    /// Two values stand beside each other, or a word that is no operator between them. Tells whether the present
    /// token was meant as an operator.
    fn report_missing_operator(&mut self) -> bool {
        let span = self.cursor.span();
        let found = self.cursor.found();
        if self.cursor.is_at(&TokenKind::Unknown) {
            return true;
        }
        let hint = match self.stops {
            _ if self.is_at_assignment() => "write `,` before a further item",
            _ if self.is_unit_apart() => "write a timespan without a blank, such as `1h`",
            ["by"] => "write `by` before what rows are grouped by, or `,` before a further item",
            _ if self.is_in_list => "write `,` between two items, or an operator such as `==`",
            ["with"] => "write `with` before the pattern",
            ["as", "with"] => "write `as` and the keys in parentheses",
            ["default", "on"] => "write `on` and the field whose stretches are made, such as `on _time`",
            _ => "write one such as `==`, `and` or `contains` there",
        };
        let missing = Diagnostic::new(format!("an operator is missing before {found}"), span).with_hint(hint);
        let is_negated = self.cursor.is_at(&TokenKind::Bang);
        if let Some(word) = self.cursor.word_ahead(usize::from(is_negated)) {
            let advice = operators::advice(word, is_negated).or_else(|| self.advice_on_clause(word));
            if advice.is_none() && !is_negated {
                self.cursor.report(missing);
                return false;
            }
            let message = format!("`{}{word}` is no operator", if is_negated { "!" } else { "" });
            let span = span.to(self.cursor.ahead(usize::from(is_negated)).span);
            let hint = advice.unwrap_or_else(|| "write one such as `!contains` or `!in` there".to_owned());
            self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
            if is_negated {
                self.cursor.advance();
            }
            return true;
        }
        if matches!(self.cursor.peek(), TokenKind::Literal(_) | TokenKind::LeftParenthesis) {
            self.cursor.report(missing);
            return false;
        }
        self.report_unexpected();
        true
    }

    /// Whether a unit of time stands here and the number that it belongs to before it.
    fn is_unit_apart(&self) -> bool {
        let is_unit = self.cursor.word_ahead(0).is_some_and(|word| timespan::unit(word).is_some());
        is_unit
            && matches!(
                self.cursor.before(),
                Some(TokenKind::Literal(Literal::Integer(_) | Literal::Float(_) | Literal::LongInteger(_)))
            )
    }

    /// What to do with a word that goes on with a stage, in a stage that has no such part.
    fn advice_on_clause(&self, word: &str) -> Option<String> {
        let lower = word.to_lowercase();
        if self.place == Place::Alone {
            return None;
        }
        if lower == "as" {
            let name = self.cursor.word_ahead(1).unwrap_or("name");
            return Some(format!("write the new name first: `{name} = …`"));
        }
        if let Some(stop) = self.stops.iter().find(|stop| **stop == lower) {
            return Some(format!("write `{stop}` in lower case"));
        }
        if let Some(stop) = self.stops.iter().find(|stop| stop.len() > 2 && lower.starts_with(**stop)) {
            return Some(format!("did you mean `{stop}`?"));
        }
        let stage = match lower.as_str() {
            "where" | "having" => "| where",
            "order" | "sort" => "| sort by",
            "limit" | "take" => "| take",
            "select" => "| project",
            "group" if self.stops.contains(&"by") => return Some("write `by` alone".to_owned()),
            "group" => "| summarize … by",
            _ => return None,
        };
        Some(format!("write `{stage}` for a further stage"))
    }

    pub(crate) fn report_unexpected(&mut self) {
        let hint = match self.cursor.peek() {
            TokenKind::RightParenthesis => "remove it, or write `(` before it",
            TokenKind::RightBracket => "remove it, or write `[` before it",
            TokenKind::Other if self.cursor.slice(self.cursor.span()) == "?" => {
                "write `iff(condition, then, otherwise)`"
            }
            TokenKind::Pipe => "only one expression can stand here, without stages",
            TokenKind::Comma => "only one expression can stand here; a list stands in parentheses after `in`",
            TokenKind::DotDot => "a range is written `x between (1 .. 5)`",
            _ => "remove it",
        };
        let message = format!("unexpected {}", self.cursor.found());
        self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
    }
}
