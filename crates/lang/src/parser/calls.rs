//! Function calls, checked against the table of functions, and the lists and ranges of `in`, `has_any` and `between`.

use super::operators::{Form, Operator};
use super::{Parsed, Parser};
use crate::functions::{self, Function};
use crate::lexer::TokenKind;
use crate::tree::{Expr, ExprKind};
use crate::{Diagnostic, Span};

/// Functions over many rows, which people also try where there is only one.
const AGGREGATES: &[&str] = &[
    "arg_max",
    "arg_min",
    "avg",
    "avgif",
    "count",
    "countif",
    "dcount",
    "dcountif",
    "histogram",
    "make_list",
    "make_set",
    "max",
    "maxif",
    "min",
    "minif",
    "percentile",
    "percentiles_array",
    "rate",
    "stdev",
    "sum",
    "sumif",
    "topk",
    "variance",
];

impl Parser<'_> {
    /// A call: the present token is the function's name and the next an opening parenthesis.
    pub(super) fn call(&mut self) -> Parsed {
        let name_span = self.cursor.advance();
        let name = self.cursor.slice(name_span);
        let open = self.cursor.advance();
        let (arguments, close) = self.list_until(TokenKind::RightParenthesis, open);
        let span = name_span.to(close);
        match functions::find(name) {
            Some(function) => self.check_count(function, arguments.len(), span),
            None => self.report_unknown_function(name, name_span),
        }
        let height = 1 + arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        let arguments = arguments.into_iter().map(|argument| argument.expr).collect();
        self.limited(ExprKind::Call { function: name.to_owned(), arguments }, span, height)
    }

    fn check_count(&mut self, function: &Function, count: usize, span: Span) {
        if function.takes(count) {
            return;
        }
        let given = if count == 1 { "1 is given".to_owned() } else { format!("{count} are given") };
        let message = format!("`{}` takes {}, {given}", function.name, function.count_text());
        let hint = format!("write `{}`", function.signature());
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
    }

    fn report_unknown_function(&mut self, name: &str, span: Span) {
        if AGGREGATES.contains(&name) {
            let message = format!("`{name}` looks at many rows, and an expression at one");
            let diagnostic = Diagnostic::new(message, span)
                .with_hint("ask for it in `aggregations`, or use another function");
            self.cursor.report(diagnostic);
            return;
        }
        let message = format!("unknown function `{name}`");
        let hint = match functions::meant(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "write one that there is, such as `tostring`, `iff`, `strcat` or `extract`".to_owned(),
        };
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
    }

    /// Expressions with commas between them, up to and with the closing mark.
    pub(super) fn list_until(&mut self, closing: TokenKind, open: Span) -> (Vec<Parsed>, Span) {
        let mut items = Vec::new();
        let was_in_list = std::mem::replace(&mut self.is_in_list, true);
        if !self.cursor.is_at(&closing) {
            loop {
                items.push(self.full());
                if self.cursor.accept(&TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        self.is_in_list = was_in_list;
        let close = self.close(closing, open);
        (items, close)
    }

    /// What follows `in` or `has_any`: a list in parentheses, or one value that is an array.
    pub(super) fn membership(&mut self, value: Parsed, operator: Operator) -> Parsed {
        let (items, end) = self.items(operator);
        let span = value.span().to(end);
        let height = 1 + items.iter().map(|item| item.height).max().unwrap_or(0).max(value.height);
        let value = Box::new(value.expr);
        let list: Vec<Expr> = items.into_iter().map(|item| item.expr).collect();
        let kind = match operator.form {
            Form::HasAny { is_case_sensitive } => ExprKind::HasAny { value, list, is_case_sensitive },
            Form::In { is_negated, is_case_sensitive } => {
                ExprKind::In { value, list, is_negated, is_case_sensitive }
            }
            Form::Logical(_) | Form::Binary(_) | Form::Text { .. } | Form::Between { .. } => ExprKind::Error,
        };
        self.limited(kind, span, height)
    }

    fn items(&mut self, operator: Operator) -> (Vec<Parsed>, Span) {
        let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) else {
            let item = self.nested(Self::unary);
            let end = item.span();
            return (vec![item], end);
        };
        let (items, close) = self.list_until(TokenKind::RightParenthesis, open);
        if items.is_empty() {
            let hint = format!("write `{} (1, 2)`", operator.name);
            self.cursor.report(Diagnostic::new("the list is empty", open).with_hint(hint));
        }
        (items, close)
    }

    /// What follows `between`: two values with `..` between them, in parentheses.
    pub(super) fn between(&mut self, value: Parsed, is_negated: bool) -> Parsed {
        let Some((low, high, close)) = self.ends() else {
            return self.error(value.span().to(self.cursor.span()));
        };
        let span = value.span().to(close);
        let height = 1 + value.height.max(low.height).max(high.height);
        let (value, low, high) = (Box::new(value.expr), Box::new(low.expr), Box::new(high.expr));
        self.limited(ExprKind::Between { value, low, high, is_negated }, span, height)
    }

    /// The ends of a range, and where it is closed.
    fn ends(&mut self) -> Option<(Parsed, Parsed, Span)> {
        const HINT: &str = "write `x between (1 .. 5)`";
        let span = self.cursor.span();
        let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) else {
            let message = "parentheses are missing after `between`";
            self.cursor.report(Diagnostic::new(message, span).with_hint(HINT));
            if !self.is_at_terminator() {
                self.nested(Self::unary);
            }
            return None;
        };
        let low = self.full();
        let place = self.cursor.span();
        if self.cursor.accept(&TokenKind::DotDot).is_none() {
            self.cursor.report(Diagnostic::new("`..` is missing in the range", place).with_hint(HINT));
            self.cursor.accept(&TokenKind::Comma);
            if !self.is_at_terminator() {
                self.full();
            }
            self.close(TokenKind::RightParenthesis, open);
            return None;
        }
        let high = self.full();
        let close = self.close(TokenKind::RightParenthesis, open);
        Some((low, high, close))
    }
}
