//! Text to a whole query: statements, then a source and its stages. Total: a tree comes back whatever the text is, and
//! what could not be understood is told by diagnostics; reading goes on behind the next `|` or `;`.

mod statements;

use crate::cursor::Cursor;
use crate::lexer::{self, TokenKind};
use crate::parser::{Parser, Place};
use crate::sources::nowhere;
use crate::tree::{Program, Query};
use crate::{Diagnostic, Span};

/// How many stages a text may have, in all its queries together.
const STAGES_MAX: usize = 500;

/// How many tables a text may read beside those that its queries begin with: in `union`, `join`, `lookup`, in the list
/// of `search`, and after `in`.
const TABLES_MAX: usize = 1_000;

/// Reads a query. The text is at most 256 KiB; the text was understood if there are no diagnostics.
pub fn parse_query(text: &str) -> (Program, Vec<Diagnostic>) {
    let (program, cursor) = read(text);
    (program, cursor.finish())
}

fn read(text: &str) -> (Program, Cursor<'_>) {
    let mut parser = Parser::new(text, lexer::QUERY, Place::Row);
    let statements = parser.statements();
    let mut query = Query { source: nowhere(), stages: Vec::new() };
    if parser.cursor.is_at_end() {
        let hint = "write a dataset and what to do with it: `['my-dataset'] | take 10`";
        parser.cursor.report(Diagnostic::new("there is no query", parser.cursor.span()).with_hint(hint));
    } else {
        query = parser.query();
        parser.rest(&mut query);
    }
    (Program { statements, query }, parser.cursor)
}

impl Parser<'_> {
    /// A source and its stages, up to a `;`, a closing parenthesis or the end.
    pub(crate) fn query(&mut self) -> Query {
        let start = self.cursor.span();
        let mut query = match self.cursor.accept(&TokenKind::LeftParenthesis) {
            Some(open) => self.enclosed(open),
            None => Query { source: self.source().unwrap_or_else(nowhere), stages: Vec::new() },
        };
        self.more_stages(start, &mut query);
        query
    }

    /// A query in parentheses, whose opening one has been read. What follows goes on with it.
    fn enclosed(&mut self, open: Span) -> Query {
        let (query, _) = self.inner_query();
        self.close(TokenKind::RightParenthesis, open);
        query
    }

    /// The stages behind what has been read.
    fn more_stages(&mut self, mut start: Span, query: &mut Query) {
        loop {
            let is_pipe_missing = self.finish_stage(start);
            if !is_pipe_missing && self.cursor.accept(&TokenKind::Pipe).is_none() {
                return;
            }
            self.stages += 1;
            if self.stages > STAGES_MAX {
                let message = format!("there are more than {STAGES_MAX} stages");
                let diagnostic = Diagnostic::new(message, self.cursor.span());
                self.cursor.give_up(diagnostic.with_hint("join stages, or split the query"));
                return;
            }
            start = self.cursor.span();
            self.stage_start = start;
            query.stages.extend(self.stage());
        }
    }

    /// Counts a table that a stage or a list names, at its beginning.
    pub(crate) fn count_table(&mut self) {
        self.tables += 1;
        if self.tables > TABLES_MAX {
            let message = format!("there are more than {TABLES_MAX} tables");
            let diagnostic = Diagnostic::new(message, self.cursor.span());
            let hint = "name many tables by a pattern such as `union web*`, or split the query";
            self.cursor.give_up(diagnostic.with_hint(hint));
        }
    }

    /// What follows the query: at most a `;`. Whatever else there is is reported, and its stages are read.
    fn rest(&mut self, query: &mut Query) {
        while !self.cursor.is_at_end() {
            let start = self.cursor.span();
            if self.cursor.accept(&TokenKind::Semicolon).is_some() {
                if !self.cursor.is_at_end() {
                    let hint = "remove it, or write `let name =` before the first one";
                    let diagnostic = Diagnostic::new("there is a second query", self.cursor.span());
                    self.cursor.report(diagnostic.with_hint(hint));
                    self.statements();
                    self.skip_stage();
                }
            } else {
                self.report_unexpected();
                self.cursor.advance();
            }
            self.more_stages(start, query);
        }
    }
}

#[cfg(test)]
mod tests;
