//! Where rows come from: datasets by name or pattern, tables that stand in the query, single rows, files at addresses,
//! and what begins a query though it is also a stage.

mod datatable;
mod external;
mod print_row;

use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::print::Printer;
use crate::stages::{self, SOURCES};
use crate::tree::{Expr, ExprKind, Literal, NamePattern, Query, Source, TimeRange};
use crate::{Diagnostic, Span};

const EXAMPLE: &str = "['my-dataset'] | where status == 500";

impl Parser<'_> {
    /// What a query begins with. None if it could not be understood, which is reported.
    pub(crate) fn source(&mut self) -> Option<Source> {
        let start = self.cursor.span();
        let is_called = self.cursor.ahead(1).kind == TokenKind::LeftParenthesis;
        match self.cursor.word_ahead(0) {
            Some("datatable") => self.datatable().map(Source::Values),
            Some("externaldata") => self.external().map(Source::External),
            Some("print") => self.print_row().map(Source::Print),
            Some("union") => {
                self.cursor.advance();
                stages::union::union(self).map(Source::Union)
            }
            Some("search") => {
                self.cursor.advance();
                stages::search::search(self).map(Source::Search)
            }
            Some("table") if is_called => self.table_of_value(),
            Some(word) if is_called => {
                let message = format!("`{word}(…)` is no table");
                let hint = "begin with a dataset, or write `print x = …` to compute a value";
                self.cursor.report(Diagnostic::new(message, start).with_hint(hint));
                None
            }
            _ => self.foreign_beginning().unwrap_or_else(|| self.dataset(false, false)),
        }
    }

    /// The dataset that a value names: `table(parameter)`.
    fn table_of_value(&mut self) -> Option<Source> {
        self.cursor.advance();
        let open = self.cursor.advance();
        if self.cursor.is_at(&TokenKind::RightParenthesis) {
            self.report_missing("the name of a dataset", "table(\"my-dataset\")");
            return None;
        }
        let name = self.expr();
        self.close(TokenKind::RightParenthesis, open);
        Some(Source::Table { name, range: TimeRange::ALL })
    }

    /// A dataset by its name, or by a pattern where one may stand.
    fn dataset(&mut self, is_operand: bool, is_pattern_allowed: bool) -> Option<Source> {
        let Some((pattern, span)) = self.accept_pattern(true) else {
            self.report_no_table(is_operand);
            return None;
        };
        let range = TimeRange::ALL;
        if let Some(whole) = self.hyphened(span) {
            let hint = format!("write `['{whole}']`");
            let message = format!("`{whole}` is read as a subtraction");
            let end = self.cursor.end_before();
            self.cursor.report(Diagnostic::new(message, span.to(end)).with_hint(hint));
        }
        match pattern.plain() {
            Some(name) => Some(Source::Dataset { name: name.to_owned(), range, span }),
            None if is_pattern_allowed => Some(Source::Datasets { pattern, range }),
            None => {
                let text = self.cursor.slice(span);
                let hint = format!("write `union {text}`");
                let message = "a name with `*` stands for several datasets";
                self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
                None
            }
        }
    }

    /// A name that goes on with hyphens, which are passed.
    fn hyphened(&mut self, start: Span) -> Option<String> {
        let mut end = None;
        while self.cursor.is_at(&TokenKind::Minus) && self.cursor.is_adjacent(0) && self.cursor.is_adjacent(1)
        {
            let is_part = matches!(
                self.cursor.ahead(1).kind,
                TokenKind::Word | TokenKind::Literal(Literal::Integer(_)) | TokenKind::Unknown
            );
            if !is_part {
                break;
            }
            self.cursor.advance();
            end = Some(self.cursor.advance());
        }
        end.map(|end| self.cursor.slice(start.to(end)).to_owned())
    }

    fn report_no_table(&mut self, is_operand: bool) {
        if let TokenKind::Literal(Literal::String(name)) = self.cursor.peek() {
            let hint = format!("write `['{name}']` for a dataset");
            let message = format!("a table is missing before {}", self.cursor.found());
            self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
            return;
        }
        if self.cursor.is_at(&TokenKind::LeftBracket) {
            let start = self.cursor.span();
            if !self.cursor.has_reported_since(start) {
                let diagnostic = Diagnostic::new("`[` does not stand around one name in quotes", start);
                self.cursor.report(diagnostic.with_hint("write `['my-dataset']`"));
            }
            return;
        }
        self.report_missing("a table", if is_operand { "other` or `(other | where …)" } else { EXAMPLE });
    }

    /// The beginning of a query in another language. Some if there is one.
    fn foreign_beginning(&mut self) -> Option<Option<Source>> {
        let word = self.cursor.word_ahead(0)?;
        let is_alone = matches!(
            self.cursor.ahead(1).kind,
            TokenKind::Pipe | TokenKind::End | TokenKind::Semicolon | TokenKind::Comma
        );
        let span = self.cursor.span();
        if is_alone {
            return None;
        }
        let lower = word.to_lowercase();
        let (message, hint) = match lower.as_str() {
            "select" | "from" | "with" => (
                format!("`{word}` does not begin a query"),
                "begin with the dataset: `['my-dataset'] | where … | project …`".to_owned(),
            ),
            "range" => {
                ("`range` is no table".to_owned(), "write `print x = range(1, 5) | mv-expand x`".to_owned())
            }
            _ if stages::find(&lower).is_some() => (
                format!("the dataset is missing before `{word}`"),
                format!("write `['my-dataset'] | {lower} …`"),
            ),
            _ => return None,
        };
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
        self.skip_stage();
        Some(None)
    }

    /// A table as a part of a stage: a name, or a query in parentheses.
    pub(crate) fn table_operand(&mut self, is_pattern_allowed: bool) -> Query {
        self.count_table();
        let source = if let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) {
            let (query, _) = self.inner_query_until(&["on"]);
            self.close(TokenKind::RightParenthesis, open);
            return query;
        } else if self.cursor.word_ahead(0).is_some_and(|word| SOURCES.contains(&word)) {
            self.source()
        } else {
            self.dataset(true, is_pattern_allowed)
        };
        Query { source: source.unwrap_or_else(nowhere), stages: Vec::new() }
    }
}

/// What stands in the tree where a source could not be understood.
pub(crate) fn nowhere() -> Source {
    let name = Expr::new(ExprKind::Error, Span::default());
    Source::Table { name, range: TimeRange::ALL }
}

/// Writes a source as text.
pub(crate) fn print(source: &Source, printer: &mut Printer) {
    match source {
        Source::Dataset { name, .. } => printer.dataset(name),
        Source::Datasets { pattern, .. } => {
            // Only a union can name several.
            printer.push("union ");
            printer.pattern(pattern);
        }
        Source::Table { name, .. } => {
            printer.push("table(");
            printer.expr(name);
            printer.push(")");
        }
        Source::Values(table) => datatable::print(table, printer),
        Source::Print(values) => print_row::print(values, printer),
        Source::External(external) => external::print(external, printer),
        Source::Union(union) => stages::union::print(union, printer),
        Source::Search(search) => stages::search::print(search, printer),
    }
}

impl Printer {
    /// The name of a dataset, in brackets where it would be read as something else.
    pub(crate) fn dataset(&mut self, name: &str) {
        if is_taken(name) {
            self.quoted_name(name);
        } else {
            self.name(name);
        }
    }

    /// A table as a part of a stage.
    pub(crate) fn table_operand(&mut self, query: &Query) {
        match &query.source {
            Source::Dataset { name, .. } if query.stages.is_empty() => self.dataset(name),
            Source::Datasets { pattern, .. } if query.stages.is_empty() => self.table_pattern(pattern),
            Source::Table { .. } if query.stages.is_empty() => print(&query.source, self),
            _ => {
                self.push("(");
                self.query(query, " | ");
                self.push(")");
            }
        }
    }

    fn table_pattern(&mut self, pattern: &NamePattern) {
        match pattern.parts.as_slice() {
            [first, rest @ ..] if is_taken(first) => {
                self.quoted_name(first);
                let mut parts = vec![String::new()];
                parts.extend_from_slice(rest);
                self.pattern(&NamePattern::new(parts));
            }
            _ => self.pattern(pattern),
        }
    }
}

/// Whether a name would be read as something else where a table stands.
fn is_taken(name: &str) -> bool {
    let is_foreign = matches!(name.to_lowercase().as_str(), "select" | "from" | "with" | "range" | "on");
    is_foreign || SOURCES.contains(&name) || stages::find(&name.to_lowercase()).is_some()
}
