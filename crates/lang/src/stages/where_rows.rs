//! `where`: keeps the rows for which a condition is true.

use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Expr, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["where", "filter"],
    syntax: "where condition",
    doc: "Keeps the rows for which the condition is true.",
    example: "where status == 500",
    trial: Trial {
        query: r#"datatable(host:string, status:long)["a", 200, "b", 500] | where status >= 500"#,
        rows: &[r#"{"host":"b","status":500}"#],
    },
    needs: Some("a condition"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::Filter(parser.expr()))
}

pub(super) fn print(condition: &Expr, printer: &mut Printer) {
    printer.push("where ");
    printer.expr(condition);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            (
                "where status >= 500 and path startswith '/api'",
                "where status >= 500 and path startswith \"/api\"",
            ),
            ("filter not(isnull(user))", "where not(isnull(user))"),
            ("where * has 'timeout'", "where * has \"timeout\""),
            ("where host in (web | distinct host)", "where host in (web | distinct host)"),
            (
                "where host !in ((web | where up | project host))",
                "where host !in (web | where up | project host)",
            ),
            ("where _time > ago(1h)", "where _time > ago(1h)"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("where", "`where` needs a condition", "where", "where status == 500"),
            ("where a = 1", "`=` does not compare", "=", "`==`"),
            (
                "where count() > 5",
                "`count` looks at many rows, and this stage at one",
                "count",
                "summarize x = count(…)",
            ),
            ("where a == 1 order by b", "`|` is missing before `order`", "order", "| order"),
            ("where a & b", "`&` is no operator", "&", "`and`"),
        ]);
    }
}
