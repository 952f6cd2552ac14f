//! Function calls, checked against the table of functions, and the lists and ranges of `in`, `has_any` and `between`.

use super::operators::{Form, Operator};
use super::{Parsed, Parser, Place};
use crate::functions::{self, Function};
use crate::lexer::TokenKind;
use crate::tree::{Expr, ExprKind};
use crate::{Diagnostic, Span};

/// Functions that take `*` for all fields.
const OF_ALL_FIELDS: &[&str] = &["arg_max", "arg_min", "spotlight", "pack", "bag_pack", "pack_array"];

/// Aggregates that take `*` for the histogram of a row, and the place where they do.
const OF_HISTOGRAMS: &[(&str, usize)] = &[("histogram_increase", 0), ("histogram_quantile", 1)];

/// Aggregates whose arguments may have names: `arg_max(slowest = duration, at = path)`.
const NAMES_ARGUMENTS: &[&str] = &["arg_max", "arg_min"];

impl Parser<'_> {
    /// A call: the present token is the function's name and the next an opening parenthesis.
    pub(super) fn call(&mut self) -> Parsed {
        let name_span = self.cursor.advance();
        let name = self.cursor.slice(name_span);
        let open = self.cursor.advance();
        let aggregate = functions::find_aggregate(name);
        let around = self.place;
        if aggregate.is_some() {
            self.enter_aggregate(name, name_span);
        }
        let (arguments, close) = self.arguments(name, open);
        self.place = around;
        let span = name_span.to(close);
        let count = arguments.len();
        let is_alone = self.place == Place::Alone;
        match (aggregate, functions::find(name), functions::find_signature(name)) {
            (Some(_), ..) if is_alone => {}
            (Some(aggregate), ..) => self.check_aggregate(aggregate, &arguments, span),
            (None, Some(function), _) => {
                self.check_count(function.takes(count), count, span, &Told::of(function))
            }
            (None, None, Some(signature)) => {
                let told = Told { name, takes: signature.count_text(), form: None };
                self.check_count(signature.takes(count), count, span, &told);
            }
            (None, None, None) => self.report_unknown_function(name, name_span),
        }
        self.check_all_fields(name, &arguments);
        let height = 1 + arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        let arguments = arguments.into_iter().map(|argument| argument.expr).collect();
        self.limited(ExprKind::Call { function: name.to_owned(), arguments }, span, height)
    }

    /// The arguments of a function and where they end.
    fn arguments(&mut self, name: &str, open: Span) -> (Vec<Parsed>, Span) {
        if name == "typeof" {
            return self.type_argument(open);
        }
        if name == "count"
            && self.cursor.word_ahead(0) == Some("distinct")
            && self.cursor.word_ahead(1).is_some()
        {
            let span = self.cursor.advance();
            let field = self.cursor.word_ahead(0).unwrap_or_default();
            let hint = format!("write `dcount({field})`");
            let diagnostic = Diagnostic::new("`distinct` cannot stand in `count`", span);
            self.cursor.report(diagnostic.with_hint(hint));
        }
        let has_names = NAMES_ARGUMENTS.contains(&name) && self.place != Place::Alone;
        let item = if has_names { Self::argument_with_name } else { Self::full };
        self.items_until(TokenKind::RightParenthesis, open, item)
    }

    /// `name = value`, or the value alone.
    fn argument_with_name(&mut self) -> Parsed {
        let start = self.cursor.span();
        let Some(name) = self.accept_assigned_name() else { return self.full() };
        let value = self.full();
        let span = start.to(value.span());
        let kind = ExprKind::Named { name, value: Box::new(value.expr) };
        self.limited(kind, span, value.height + 1)
    }

    /// The name of a type in parentheses, which is no field.
    fn type_argument(&mut self, open: Span) -> (Vec<Parsed>, Span) {
        let span = self.cursor.span();
        let name = self.cursor.slice(span);
        self.type_name();
        let close = self.close(TokenKind::RightParenthesis, open);
        (vec![Parsed::leaf(ExprKind::Field(name.to_owned()), span)], close)
    }

    /// Reports an aggregate where there is only one row, or in another aggregate.
    fn enter_aggregate(&mut self, name: &str, span: Span) {
        let (message, hint) = match self.place {
            Place::Group => {
                self.place = Place::Aggregate;
                return;
            }
            Place::Alone => (
                format!("`{name}` looks at many rows, and an expression at one"),
                "ask for it in `aggregations`, or use another function".to_owned(),
            ),
            Place::Row | Place::Search { .. } => (
                format!("`{name}` looks at many rows, and this stage at one"),
                match name {
                    "max" | "min" => {
                        format!("write `{name}_of(…)` for values of one row, or use `summarize`")
                    }
                    _ => format!("compute it with `summarize x = {name}(…)` first, and use `x` after that"),
                },
            ),
            Place::Aggregate => (
                format!("`{name}` cannot stand in another aggregate"),
                "compute the inner one in a `summarize` of its own before this one".to_owned(),
            ),
        };
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
    }

    fn check_aggregate(&mut self, aggregate: &Function, arguments: &[Parsed], span: Span) {
        let is_all = matches!(arguments, [only] if only.expr.kind == ExprKind::AllFields);
        if aggregate.name == "count" && is_all {
            let message = "`count` takes no `*`: it counts rows";
            self.cursor.report(Diagnostic::new(message, arguments[0].span()).with_hint("write `count()`"));
            return;
        }
        let count = arguments.len();
        self.check_count(aggregate.takes(count), count, span, &Told::of(aggregate));
    }

    fn check_count(&mut self, is_right: bool, count: usize, span: Span, told: &Told<'_>) {
        if is_right {
            return;
        }
        let given = if count == 1 { "1 is given".to_owned() } else { format!("{count} are given") };
        let message = format!("`{}` takes {}, {given}", told.name, told.takes);
        let hint = match &told.form {
            Some(form) => format!("write `{form}`"),
            None => format!("give it {}", told.takes),
        };
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
    }

    fn check_all_fields(&mut self, name: &str, arguments: &[Parsed]) {
        // What is compared or tested first is one value in any case.
        let first = match name {
            "arg_max" | "arg_min" | "spotlight" => 1,
            _ if OF_ALL_FIELDS.contains(&name) => return,
            _ => arguments.len(),
        };
        let of_histogram = OF_HISTOGRAMS.iter().find(|(known, _)| *known == name).map(|(_, place)| *place);
        let is_wrong = |(place, argument): &(usize, &Parsed)| {
            argument.expr.kind == ExprKind::AllFields && Some(*place) != of_histogram
        };
        if let Some((_, argument)) = arguments.iter().take(first).enumerate().find(is_wrong) {
            let message = format!("`{name}` does not take `*` here");
            let diagnostic = Diagnostic::new(message, argument.span()).with_hint("name a field");
            self.cursor.report(diagnostic);
        }
    }

    fn report_unknown_function(&mut self, name: &str, span: Span) {
        let message = format!("unknown function `{name}`");
        let is_group = matches!(self.place, Place::Group);
        let hint = match functions::meant(name, is_group) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if is_group => {
                "write one that there is, such as `count`, `sum`, `avg` or `dcount`".to_owned()
            }
            None => "write one that there is, such as `tostring`, `iff`, `strcat` or `extract`".to_owned(),
        };
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
    }

    /// Expressions with commas between them, up to and with the closing mark.
    pub(crate) fn list_until(&mut self, closing: TokenKind, open: Span) -> (Vec<Parsed>, Span) {
        self.items_until(closing, open, Self::full)
    }

    /// Items of any kind with commas between them, up to and with the closing mark.
    fn items_until(
        &mut self,
        closing: TokenKind,
        open: Span,
        item: fn(&mut Self) -> Parsed,
    ) -> (Vec<Parsed>, Span) {
        let mut items = Vec::new();
        let was_in_list = std::mem::replace(&mut self.is_in_list, true);
        if !self.cursor.is_at(&closing) {
            loop {
                items.push(item(self));
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
            Form::Logical(_) | Form::Binary(_) | Form::Text { .. } | Form::Between { .. } | Form::Colon => {
                ExprKind::Error
            }
        };
        self.limited(kind, span, height)
    }

    fn items(&mut self, operator: Operator) -> (Vec<Parsed>, Span) {
        let Some(open) = self.cursor.accept(&TokenKind::LeftParenthesis) else {
            let item = self.nested(Self::unary);
            let end = item.span();
            return (vec![item], end);
        };
        if self.place != Place::Alone && self.is_at_table() {
            let table = self.table_in_parentheses(open);
            let end = table.span();
            return (vec![table], end);
        }
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

/// What a message tells of a function.
struct Told<'a> {
    name: &'a str,
    takes: String,
    form: Option<String>,
}

impl Told<'_> {
    fn of(function: &Function) -> Self {
        Self { name: function.name, takes: function.count_text(), form: Some(function.signature()) }
    }
}
