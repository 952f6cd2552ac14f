//! The statements before a query: `let`, `set` and `declare query_parameters`.

use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::suggest;
use crate::tree::{Column, Let, LetValue, QueryParameter, Setting, Statement};
use crate::{Diagnostic, Span};

/// The settings that there are.
const SETTINGS: &[&str] = &["stricttypes"];

impl Parser<'_> {
    /// All statements that stand here, each with its `;`.
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            let start = self.cursor.span();
            let statement = match self.cursor.word_ahead(0) {
                Some("let") => self.let_statement(),
                Some("set") if self.cursor.word_ahead(1).is_some() => self.set_statement(),
                Some("declare") => self.parameters(),
                _ if self.cursor.is_at(&TokenKind::Semicolon) => None,
                _ => return statements,
            };
            statements.extend(statement);
            self.end_statement(start);
        }
    }

    /// Goes past the `;` after a statement.
    fn end_statement(&mut self, start: Span) {
        if self.cursor.accept(&TokenKind::Semicolon).is_some() {
            return;
        }
        let is_next = self.cursor.is_on_new_line() || self.cursor.is_at_end();
        if is_next && !self.cursor.has_reported_since(start) {
            let place = self.cursor.end_before();
            let diagnostic = Diagnostic::new("`;` is missing after the statement", place);
            self.cursor.report(diagnostic.with_hint("write `;` at its end"));
        }
        if is_next {
            return;
        }
        if !self.cursor.has_reported_since(start) {
            let message = format!("unexpected {} in the statement", self.cursor.found());
            let hint = "write `;` before it, or remove it";
            self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
        }
        while !matches!(self.cursor.peek(), TokenKind::Semicolon | TokenKind::End) {
            self.cursor.advance();
        }
        self.cursor.accept(&TokenKind::Semicolon);
    }

    fn let_statement(&mut self) -> Option<Statement> {
        const EXAMPLE: &str = "let errors = 500;";
        let start = self.cursor.advance();
        let (name, _) = self.expect_name("a name", EXAMPLE)?;
        if self.cursor.accept(&TokenKind::Equal).is_none() {
            self.report_missing("`=`", EXAMPLE);
            return None;
        }
        if self.is_at_terminator() {
            self.report_missing("a value or a table", EXAMPLE);
            return None;
        }
        if self.is_at_definition() {
            let hint = "write the expression itself where it is needed";
            let diagnostic = Diagnostic::new("functions of one's own cannot be defined", self.cursor.span());
            self.cursor.report(diagnostic.with_hint(hint));
            return None;
        }
        self.is_in_let = true;
        let value = if self.is_at_table() {
            let (query, _) = self.inner_query();
            LetValue::Table(query)
        } else {
            LetValue::Scalar(self.expr())
        };
        self.is_in_let = false;
        let span = start.to(self.cursor.end_before());
        Some(Statement::Let(Let { name, value, span }))
    }

    /// Whether `(x:long) {` or `view (` stands here.
    fn is_at_definition(&self) -> bool {
        let open = usize::from(self.cursor.word_ahead(0) == Some("view"));
        self.cursor.ahead(open).kind == TokenKind::LeftParenthesis
            && (self.cursor.ahead(open + 2).kind == TokenKind::Colon
                || (self.cursor.ahead(open + 1).kind == TokenKind::RightParenthesis
                    && self.cursor.ahead(open + 2).kind == TokenKind::Other))
    }

    fn set_statement(&mut self) -> Option<Statement> {
        let start = self.cursor.advance();
        let (name, name_span) = self.expect_name("a setting", "set stricttypes;")?;
        if !SETTINGS.contains(&name.as_str()) {
            let hint = match suggest::nearest(&name, SETTINGS.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "there is one: `set stricttypes;`".to_owned(),
            };
            self.cursor
                .report(Diagnostic::new(format!("unknown setting `{name}`"), name_span).with_hint(hint));
        }
        let value = self.cursor.accept(&TokenKind::Equal).map(|_| self.expr());
        let span = start.to(self.cursor.end_before());
        Some(Statement::Set(Setting { name, value, span }))
    }

    fn parameters(&mut self) -> Option<Statement> {
        const EXAMPLE: &str = "declare query_parameters(host:string = \"\");";
        self.cursor.advance();
        if !self.expect_word("query_parameters", EXAMPLE) {
            return None;
        }
        let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) else {
            self.report_missing("`(` with the parameters", EXAMPLE);
            return None;
        };
        let mut parameters = Vec::new();
        loop {
            let (name, span) = self.expect_name("a parameter", EXAMPLE)?;
            if self.cursor.accept(&TokenKind::Colon).is_none() {
                let hint = format!("write `{name}:string`, or another type");
                self.cursor.report(Diagnostic::new(format!("`{name}` has no type"), span).with_hint(hint));
                return None;
            }
            let kind = self.type_name()?;
            let default = self.cursor.accept(&TokenKind::Equal).map(|_| self.expr());
            parameters.push(QueryParameter { column: Column { name, kind }, default, span });
            if self.cursor.accept(&TokenKind::Comma).is_none() {
                break;
            }
        }
        self.close(TokenKind::RightParenthesis, open);
        Some(Statement::Parameters(parameters))
    }
}
