//! `top`: the first rows of an order.

use super::sort;
use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{ExprKind, Stage, Top};

pub(super) const OPERATOR: Operator = Operator {
    names: &["top"],
    syntax: "top count by expression [asc|desc] [nulls first|nulls last] [, …]",
    doc: "Keeps the first rows in an order, the greatest first unless `asc` is said.",
    example: "top 10 by duration desc",
    trial: Trial { query: r#"datatable(x:long)[2, 9, 5] | top 2 by x"#, rows: &[r#"{"x":9}"#, r#"{"x":5}"#] },
    needs: Some("a number and what to sort by"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    if parser.is_at_clause("by") {
        parser.report_missing("a number of rows", OPERATOR.example);
        return None;
    }
    let count = parser.expr_until(&["by"]);
    if matches!(count.kind, ExprKind::Literal(_)) {
        parser.count_of(&count, "the number of rows", OPERATOR.example)?;
    }
    if !parser.expect_word("by", OPERATOR.example) {
        return None;
    }
    Some(Stage::Top(Top { count, keys: sort::keys(parser, OPERATOR.example)? }))
}

pub(super) fn print(top: &Top, printer: &mut Printer) {
    printer.push("top ");
    printer.expr(&top.count);
    printer.push(" by ");
    sort::print_keys(&top.keys, printer);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("top 5 by duration", "top 5 by duration desc"),
            ("top 5 by bytes / 1024 asc", "top 5 by bytes / 1024 asc"),
            ("top n by a asc nulls last, b", "top n by a asc nulls last, b desc"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("top", "`top` needs a number and what to sort by", "top", "top 10 by duration"),
            ("top 5", "`by` is missing before the end", "", "top 10 by duration"),
            ("top -5 by a", "the number of rows cannot be negative", "-5", "top 10"),
            ("top by a", "a number of rows is missing before `by`", "by", "top 10"),
            ("top 1.5 by a", "the number of rows is a whole number", "1.5", "top 10"),
            ("top 5 duration", "an operator is missing before `duration`", "duration", "`by`"),
        ]);
    }
}
