//! `summarize`: groups rows and computes one row for each group. How results without a name are called is decided
//! here.

use std::collections::{HashMap, HashSet};

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::functions;
use crate::parser::{Parser, Place, column_name, implied_name};
use crate::print::Printer;
use crate::tree::{
    AggregateCall, AggregateFunction, Expr, ExprKind, Literal, Named, NamedAggregate, Stage, Summarize,
};

pub(super) const OPERATOR: Operator = Operator {
    names: &["summarize"],
    syntax: "summarize [name =] aggregate(…) [, …] [by [name =] expression [, …]]",
    doc: "Groups rows and computes one row for each group.",
    example: "summarize count(), avg(duration) by bin(_time, 1h), host",
    trial: Trial {
        query: r#"datatable(host:string, took:long)["a", 1, "a", 3, "b", 5] | summarize count(), avg(took) by host"#,
        rows: &[r#"{"host":"a","count_":2,"avg_took":2.0}"#, r#"{"host":"b","count_":1,"avg_took":5.0}"#],
    },
    needs: Some("an aggregate or `by`"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let mut aggregates = Vec::new();
    if !parser.is_at_clause("by") {
        let items = parser.separated(|parser, _| item(parser, &["by"]));
        let names = unique_names(&items);
        for (name, (_, expr)) in names.into_iter().zip(items) {
            let span = expr.span;
            let function = AggregateFunction::Computed(Box::new(expr));
            aggregates.push(NamedAggregate { name, call: AggregateCall { function, of: None, span } });
        }
    }
    let keys = if parser.accept_word("by").is_some() { keys(parser) } else { Vec::new() };
    Some(Stage::Summarize(Summarize { aggregates, keys, bucket: None }))
}

/// One aggregate with the name that it was given.
pub(super) fn item(parser: &mut Parser<'_>, stops: &'static [&'static str]) -> (Option<String>, Expr) {
    let start = parser.cursor.span();
    if parser.is_at_clause("by") {
        parser.report_missing("an aggregate", "count()");
        return (None, Expr::new(ExprKind::Error, start));
    }
    let name = parser.accept_assigned_name();
    let expr = parser.at_place(Place::Group, |parser| parser.expr_until(stops));
    if !parser.cursor.has_reported_since(start) && !has_aggregate(&expr) {
        report_no_aggregate(parser, &expr);
    }
    (name, expr)
}

fn has_aggregate(expr: &Expr) -> bool {
    let is_aggregate = matches!(&expr.kind, ExprKind::Call { function, .. } if functions::find_aggregate(function).is_some());
    is_aggregate || expr.children().into_iter().any(has_aggregate)
}

fn report_no_aggregate(parser: &mut Parser<'_>, expr: &Expr) {
    let (message, hint) = match &expr.kind {
        ExprKind::Field(name) if functions::find_aggregate(name).is_some() => {
            (format!("`{name}` is not called"), format!("write `{name}(…)`; rows are counted with `count()`"))
        }
        ExprKind::Field(name) => (
            format!("`{name}` is no aggregate"),
            format!("write `summarize count() by {name}`, or an aggregate such as `max({name})`"),
        ),
        ExprKind::Call { function, .. } => (
            format!("`{function}` looks at one row, and `summarize` at many"),
            format!("write it after `by`, or in an aggregate such as `max({function}(…))`"),
        ),
        _ => (
            "there is no aggregate in this".to_owned(),
            "write one such as `count()`, `sum(x)` or `avg(x)`; what groups have in common stands after `by`"
                .to_owned(),
        ),
    };
    parser.cursor.report(Diagnostic::new(message, expr.span).with_hint(hint));
}

/// What rows are grouped by.
pub(super) fn keys(parser: &mut Parser<'_>) -> Vec<Named> {
    if parser.is_at_stage_end() {
        parser.report_missing("what to group by", "by host");
        return Vec::new();
    }
    let keys = parser.named_list(&[], column_name);
    for key in &keys {
        if let ExprKind::Literal(Literal::Timespan(_)) = &key.expr.kind {
            let text = parser.cursor.slice(key.expr.span);
            let hint = format!("write `bin(_time, {text})`");
            let diagnostic = Diagnostic::new("rows cannot be grouped by a timespan", key.expr.span);
            parser.cursor.report(diagnostic.with_hint(hint));
        }
    }
    if parser.cursor.word_ahead(0) == Some("by") {
        let hint = "write all keys after one `by`, with `,` between them";
        parser.cursor.report(Diagnostic::new("there is a second `by`", parser.cursor.span()).with_hint(hint));
    }
    keys
}

/// The names of results: those that were given, and for the others the ones that follow from their calls, with a
/// number where another has the name already.
pub(super) fn unique_names(items: &[(Option<String>, Expr)]) -> Vec<String> {
    let mut taken: HashSet<String> = items.iter().filter_map(|(name, _)| name.clone()).collect();
    // The number to try next for a name that is taken: those before it are taken too.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut unnamed = 0;
    let mut names = Vec::with_capacity(items.len());
    for (given, expr) in items {
        let name = given.clone().unwrap_or_else(|| {
            let base = aggregate_name(expr).unwrap_or_else(|| {
                unnamed += 1;
                column_name(unnamed)
            });
            let mut name = base.clone();
            while taken.contains(&name) {
                let number = numbers.entry(base.clone()).or_insert(1);
                name = format!("{base}{number}");
                *number += 1;
            }
            name
        });
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// The name that a call of an aggregate gives its result: `count_`, `sum_x`. That of `arg_max` is its first column's.
fn aggregate_name(expr: &Expr) -> Option<String> {
    let ExprKind::Call { function, arguments } = &expr.kind else { return None };
    functions::find_aggregate(function)?;
    let first = arguments.first();
    let field = first.and_then(|argument| match &argument.kind {
        ExprKind::Named { name, .. } => Some(name.clone()),
        _ => implied_name(argument),
    });
    match (function.as_str(), field) {
        ("arg_max" | "arg_min", Some(field)) => Some(field),
        // A condition is no value that a name could come from.
        ("countif" | "spotlight", _) => Some(format!("{function}_")),
        (_, field) => Some(format!("{function}_{}", field.unwrap_or_default())),
    }
}

pub(super) fn print(summarize: &Summarize, printer: &mut Printer) {
    printer.push("summarize");
    if !summarize.aggregates.is_empty() {
        printer.push(" ");
    }
    let names = counted(summarize.aggregates.iter().map(|aggregate| aggregate.name.as_str()));
    printer.joined(&summarize.aggregates, |printer, aggregate| {
        let expr = printer.aggregate(&aggregate.call);
        print_named(&aggregate.name, &expr, &names, printer);
    });
    let bucket = summarize.bucket.map(|bucket| Printer::bucket_key(bucket.step));
    let keys: Vec<&Named> = bucket.iter().chain(&summarize.keys).collect();
    print_keys(&keys, printer);
}

/// How many have each name.
pub(super) fn counted<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts
}

/// An aggregate with its name, unless it would have the name anyway. Of two with one name both say it.
pub(super) fn print_named(name: &str, expr: &Expr, names: &HashMap<&str, usize>, printer: &mut Printer) {
    let is_only = names.get(name) == Some(&1);
    if !is_only || aggregate_name(expr).as_deref() != Some(name) {
        printer.name(name);
        printer.push(" = ");
    }
    printer.expr(expr);
}

pub(super) fn print_keys(keys: &[&Named], printer: &mut Printer) {
    if keys.is_empty() {
        return;
    }
    printer.push(" by ");
    printer.joined(keys, |printer, key| {
        if implied_name(&key.expr).as_ref() != Some(&key.name) {
            printer.name(&key.name);
            printer.push(" = ");
        }
        printer.expr(&key.expr);
    });
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong, stage};
    use crate::tree::Stage;

    fn names(text: &str) -> Vec<String> {
        let Stage::Summarize(summarize) = stage(text) else { panic!("{text}") };
        let aggregates = summarize.aggregates.into_iter().map(|aggregate| aggregate.name);
        aggregates.chain(summarize.keys.into_iter().map(|key| key.name)).collect()
    }

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("summarize count()", "summarize count()"),
            ("summarize by = count(), by.x = sum(y) by by", "summarize by = count(), by.x = sum(y) by by"),
            ("summarize n = count() by host", "summarize n = count() by host"),
            ("summarize count_ = count(), count()", "summarize count(), count_1 = count()"),
            ("summarize avg(x), max(x) by bin(_time, 1h)", "summarize avg(x), max(x) by bin(_time, 1h)"),
            ("summarize by host, status", "summarize by host, status"),
            (
                "summarize share = 100.0 * countif(a > 1) / count()",
                "summarize share = 100.0 * countif(a > 1) / count()",
            ),
            ("summarize sum(a) / sum(b)", "summarize Column1 = sum(a) / sum(b)"),
            ("summarize arg_max(_time, *) by host", "summarize arg_max(_time, *) by host"),
            ("summarize arg_min(at = _time, p = path)", "summarize arg_min(at = _time, p = path)"),
            (
                "summarize percentiles_array(x, 50, 95) by hour = hourofday(_time)",
                "summarize percentiles_array(x, 50, 95) by hour = hourofday(_time)",
            ),
            ("summarize topk(path, 5) by bin_auto(_time)", "summarize topk(path, 5) by bin_auto(_time)"),
            (
                "summarize spotlight(status == 500, host, path)",
                "summarize spotlight(status == 500, host, path)",
            ),
            ("summarize round(avg(x), 2)", "summarize Column1 = round(avg(x), 2)"),
        ]);
    }

    #[test]
    fn results_have_names() {
        for (text, expected) in [
            ("summarize count(), countif(a > 1), sum(x)", "count_ countif_ sum_x"),
            ("summarize countif(ok), countif(ok), spotlight(ok, x)", "countif_ countif_1 spotlight_"),
            (
                "summarize dcount(user), percentile(x, 95), make_set(geo.city)",
                "dcount_user percentile_x make_set_geo.city",
            ),
            (
                "summarize make_list_if(a, b), varianceif(x, y > 1), rate(x + 1)",
                "make_list_if_a varianceif_x rate_",
            ),
            ("summarize sum(x), sum(x), sum(x)", "sum_x sum_x1 sum_x2"),
            (
                "summarize count() by bin(_time, 5m), bin(x, 10), tolower(host), a['b']",
                "count_ _time x Column1 a_b",
            ),
            ("summarize arg_max(duration, path)", "duration"),
        ] {
            assert_eq!(names(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("summarize", "`summarize` needs an aggregate or `by`", "summarize", "summarize count()"),
            ("summarize count() host", "an operator is missing before `host`", "host", "`by`"),
            ("summarize count by host", "`count` is not called", "count", "`count(…)`"),
            ("summarize host", "`host` is no aggregate", "host", "summarize count() by host"),
            (
                "summarize toupper(host) by x",
                "`toupper` looks at one row, and `summarize` at many",
                "toupper(host)",
                "max(toupper(…))",
            ),
            ("summarize 1 + 2", "there is no aggregate in this", "1 + 2", "count()"),
            ("summarize avg(max(x))", "`max` cannot stand in another aggregate", "max", "summarize"),
            ("summarize count(*)", "`count` takes no `*`: it counts rows", "*", "`count()`"),
            ("summarize cuont()", "unknown function `cuont`", "cuont", "`count`"),
            (
                "summarize percentile(x)",
                "`percentile` takes 2 arguments, 1 is given",
                "percentile(x)",
                "percentile(value, percent)",
            ),
            ("summarize count() group by x", "`group` is no operator", "group", "`by`"),
            ("summarize count(), by x", "an aggregate is missing before `by`", "by", "count()"),
            ("summarize count() by", "what to group by is missing before the end", "", "by host"),
            ("summarize count() by 1h", "rows cannot be grouped by a timespan", "1h", "bin(_time, 1h)"),
            ("summarize sum(x by y", "`(` is never closed", "(", "before `by`"),
            ("summarize count() BY x", "`BY` is no operator", "BY", "`by` in lower case"),
            (
                "summarize count() by sum(x)",
                "`sum` looks at many rows, and this stage at one",
                "sum",
                "summarize",
            ),
        ]);
    }
}
