//! `make-series`: aggregates over stretches of equal length as arrays, one row for each group.

use super::summarize;
use super::{Operator, Trial};
use crate::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Expr, ExprKind, MakeSeries, Series, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["make-series"],
    syntax: "make-series [kind=nonempty] [name =] aggregate(…) [default = value] [, …] on field [from start to end] step length [by key, …]",
    doc: "Computes aggregates for stretches of equal length, as arrays, one row for each group.",
    example: "make-series count() default = 0 on _time from ago(1d) to now() step 1h by host",
    trial: Trial {
        query: r#"datatable(at:datetime, x:long)[datetime(2026-06-01), 1, datetime(2026-06-03), 5] | make-series total = sum(x) on at from datetime(2026-06-01) to datetime(2026-06-04) step 1d | project total"#,
        rows: &[r#"{"total":[1,0,5]}"#],
    },
    needs: Some("an aggregate, `on` and `step`"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    // An aggregate may have the name of the setting.
    let is_nonempty = parser.is_at_setting("kind") && parser.cursor.word_ahead(2) == Some("nonempty");
    if is_nonempty {
        (0..3).for_each(|_| {
            parser.cursor.advance();
        });
    }
    let mut items = Vec::new();
    let mut defaults = Vec::new();
    loop {
        items.push(summarize::item(parser, &["default", "on"]));
        defaults.push(default(parser));
        if parser.cursor.accept(&TokenKind::Comma).is_none() {
            break;
        }
    }
    let names = summarize::unique_names(&items);
    let parts = items.into_iter().zip(defaults).zip(names);
    let series = parts.map(|(((_, expr), default), name)| Series { name, expr, default }).collect();
    if !parser.expect_word("on", OPERATOR.example) {
        return None;
    }
    let (name, span) = parser.expect_name("a field after `on`", OPERATOR.example)?;
    let axis = Expr::new(ExprKind::Field(name), span);
    let is_range = parser.is_at_clause("in");
    let (from, to, step) = stretches(parser)?;
    let keys = if parser.accept_word("by").is_some() { summarize::keys(parser) } else { Vec::new() };
    Some(Stage::MakeSeries(MakeSeries { series, axis, from, to, step, is_range, is_nonempty, keys }))
}

fn default(parser: &mut Parser<'_>) -> Option<Expr> {
    parser.accept_word("default")?;
    if parser.cursor.accept(&TokenKind::Equal).is_none() {
        parser.report_missing("`=`", "default = 0");
    }
    Some(parser.expr_until(&["on"]))
}

type Stretches = (Option<Expr>, Option<Expr>, Expr);

/// `from a to b step c`, or `in range(a, b, c)`.
fn stretches(parser: &mut Parser<'_>) -> Option<Stretches> {
    if parser.accept_word("in").is_some() {
        return range(parser);
    }
    const STOPS: &[&str] = &["from", "to", "step", "by"];
    let from = parser.accept_word("from").map(|_| parser.expr_until(STOPS));
    let to = parser.accept_word("to").map(|_| parser.expr_until(STOPS));
    if !parser.expect_word("step", OPERATOR.example) {
        return None;
    }
    if parser.is_at_stage_end() || parser.is_at_clause("by") {
        parser.report_missing("the length of a stretch", "step 1h");
        return None;
    }
    Some((from, to, parser.expr_until(&["by"])))
}

fn range(parser: &mut Parser<'_>) -> Option<Stretches> {
    let expr = parser.expr_until(&["by"]);
    match expr.kind {
        ExprKind::Call { function, arguments } if function == "range" && arguments.len() == 3 => {
            let mut arguments = arguments.into_iter();
            let from = arguments.next();
            let to = arguments.next();
            arguments.next().map(|step| (from, to, step))
        }
        _ => {
            let message = "the range has no start, end and step";
            let hint = "write `in range(start, end, step)`, or `from start to end step step`";
            parser.cursor.report(Diagnostic::new(message, expr.span).with_hint(hint));
            None
        }
    }
}

pub(super) fn print(make: &MakeSeries, printer: &mut Printer) {
    printer.push("make-series ");
    if make.is_nonempty {
        printer.push("kind=nonempty ");
    }
    let names = summarize::counted(make.series.iter().map(|series| series.name.as_str()));
    printer.joined(&make.series, |printer, series| {
        summarize::print_named(&series.name, &series.expr, &names, printer);
        if let Some(default) = &series.default {
            printer.push(" default = ");
            printer.expr(default);
        }
    });
    printer.push(" on ");
    printer.expr(&make.axis);
    match (make.is_range, &make.from, &make.to) {
        (true, Some(from), Some(to)) => {
            printer.push(" in range(");
            printer.joined(&[from, to, &make.step], |printer, expr| printer.expr(expr));
            printer.push(")");
        }
        _ => print_stretches(make, printer),
    }
    summarize::print_keys(&make.keys.iter().collect::<Vec<_>>(), printer);
}

fn print_stretches(make: &MakeSeries, printer: &mut Printer) {
    for (word, expr) in [("from", &make.from), ("to", &make.to)] {
        if let Some(expr) = expr {
            printer.push(&format!(" {word} "));
            printer.expr(expr);
        }
    }
    printer.push(" step ");
    printer.expr(&make.step);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("make-series count() on _time step 1h", "make-series count() on _time step 1h"),
            (
                "make-series n = count() default=0, avg(x) on _time from ago(1d) to now() step 1h by host",
                "make-series n = count() default = 0, avg(x) on _time from ago(1d) to now() step 1h by host",
            ),
            (
                "make-series kind=nonempty kind=max(x) on t step 1",
                "make-series kind=nonempty kind = max(x) on t step 1",
            ),
            (
                "make-series sum(x) on t in range(0, 10, 2) by a, b",
                "make-series sum(x) on t in range(0, 10, 2) by a, b",
            ),
            (
                "make-series max(x) default=real(nan) on _time from datetime(2026-07-01) step 1d",
                "make-series max(x) default = real(nan) on _time from datetime(2026-07-01T00:00:00Z) step 1d",
            ),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            (
                "make-series",
                "`make-series` needs an aggregate, `on` and `step`",
                "make-series",
                "make-series count()",
            ),
            ("make-series count() step 1h", "an operator is missing before `step`", "step", "`on`"),
            ("make-series count() on _time", "`step` is missing before the end", "", "step 1h"),
            (
                "make-series count() on _time step",
                "the length of a stretch is missing before the end",
                "",
                "step 1h",
            ),
            ("make-series x on _time step 1h", "`x` is no aggregate", "x", "max(x)"),
            (
                "make-series count() on _time in range(1, 2)",
                "the range has no start, end and step",
                "range(1, 2)",
                "in range(start, end, step)",
            ),
        ]);
    }
}
