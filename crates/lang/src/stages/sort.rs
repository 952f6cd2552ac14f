//! `sort` and `order`: puts rows in an order. Plain fields become `Stage::Sort`, which the JSON query has too; what is
//! computed, or says where nulls go, becomes `Stage::Order`.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{ExprKind, Nulls, OrderKey, SortKey, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["sort", "order"],
    syntax: "sort by expression [asc|desc] [nulls first|nulls last] [, …]",
    doc: "Puts rows in an order, the greatest first unless `asc` is said.",
    example: "sort by _time desc",
    trial: Trial {
        query: r#"datatable(x:long)[2, long(null), 3] | sort by x asc nulls last"#,
        rows: &[r#"{"x":2}"#, r#"{"x":3}"#, r#"{"x":null}"#],
    },
    needs: Some("`by` and a field"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    parser.expect_word("by", OPERATOR.example);
    let keys = keys(parser, OPERATOR.example)?;
    let plain: Option<Vec<SortKey>> = keys.iter().map(plain).collect();
    Some(plain.map(Stage::Sort).unwrap_or(Stage::Order(keys)))
}

fn plain(key: &OrderKey) -> Option<SortKey> {
    match &key.expr.kind {
        ExprKind::Field(field) if key.nulls.is_none() => {
            Some(SortKey { field: field.clone(), is_descending: key.is_descending, span: key.expr.span })
        }
        _ => None,
    }
}

/// Expressions with their directions. None if there is nothing.
pub(super) fn keys(parser: &mut Parser<'_>, example: &str) -> Option<Vec<OrderKey>> {
    if parser.is_at_stage_end() {
        parser.report_missing("a field to sort by", example);
        return None;
    }
    Some(parser.separated(|parser, _| key(parser)))
}

fn key(parser: &mut Parser<'_>) -> OrderKey {
    let expr = parser.expr_until(&["asc", "desc", "nulls"]);
    let is_ascending = parser.accept_word("asc").is_some();
    if !is_ascending {
        parser.accept_word("desc");
    }
    OrderKey { expr, is_descending: !is_ascending, nulls: nulls(parser) }
}

fn nulls(parser: &mut Parser<'_>) -> Option<Nulls> {
    let span = parser.accept_word("nulls")?;
    if parser.accept_word("first").is_some() {
        return Some(Nulls::First);
    }
    if parser.accept_word("last").is_some() {
        return Some(Nulls::Last);
    }
    let hint = "write `nulls first` or `nulls last`";
    parser.cursor.report(Diagnostic::new("the place of nulls is missing", span).with_hint(hint));
    None
}

pub(super) fn print(keys: &[OrderKey], printer: &mut Printer) {
    printer.push("sort by ");
    print_keys(keys, printer);
}

pub(super) fn print_keys(keys: &[OrderKey], printer: &mut Printer) {
    printer.joined(keys, |printer, key| {
        printer.expr(&key.expr);
        printer.push(if key.is_descending { " desc" } else { " asc" });
        printer.push(match key.nulls {
            None => "",
            Some(Nulls::First) => " nulls first",
            Some(Nulls::Last) => " nulls last",
        });
    });
}

pub(super) fn print_fields(keys: &[SortKey], printer: &mut Printer) {
    printer.push("sort by ");
    printer.joined(keys, |printer, key| {
        printer.name(&key.field);
        printer.push(if key.is_descending { " desc" } else { " asc" });
    });
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong, stage};
    use crate::tree::{SortKey, Stage};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("sort by status", "sort by status desc"),
            ("order by status asc, _time", "sort by status asc, _time desc"),
            ("sort by tolower(host) asc nulls last", "sort by tolower(host) asc nulls last"),
            ("sort by a desc nulls first, b", "sort by a desc nulls first, b desc"),
            ("sort by ['geo.city'] asc", "sort by geo.city asc"),
        ]);
        let key = SortKey { field: "a".to_owned(), is_descending: true, ..SortKey::default() };
        assert_eq!(stage("sort by a"), Stage::Sort(vec![key]));
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("sort", "`sort` needs `by` and a field", "sort", "sort by _time desc"),
            ("sort status", "`by` is missing before `status`", "status", "sort by _time desc"),
            ("sort by", "a field to sort by is missing before the end", "", "sort by _time desc"),
            ("sort by a DESC", "`DESC` is no operator", "DESC", "`desc` in lower case"),
            ("sort by a desc nulls", "the place of nulls is missing", "nulls", "nulls first"),
            ("sort BY a", "`BY` is not `by`", "BY", "`by`"),
            (
                "sort by count() desc",
                "`count` looks at many rows, and this stage at one",
                "count",
                "summarize",
            ),
        ]);
    }
}
