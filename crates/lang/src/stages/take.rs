//! `take` and `limit`: keeps so many rows. A number becomes `Stage::Limit`, which the JSON query has too; a name of
//! `let` or of a parameter becomes `Stage::Take`.

use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Expr, ExprKind, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["take", "limit"],
    syntax: "take count",
    doc: "Keeps so many rows, or so many groups where the rows are groups over time.",
    example: "take 100",
    trial: Trial { query: r#"datatable(x:long)[2, 9, 5] | take 2"#, rows: &[r#"{"x":2}"#, r#"{"x":9}"#] },
    needs: Some("a number of rows"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let count = parser.expr();
    match count.kind {
        ExprKind::Literal(_) => {
            parser.count_of(&count, "the number of rows", OPERATOR.example).map(Stage::Limit)
        }
        _ => Some(Stage::Take(count)),
    }
}

pub(super) fn print(count: &Expr, printer: &mut Printer) {
    printer.push("take ");
    printer.expr(count);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong, stage};
    use crate::tree::Stage;

    #[test]
    fn is_read_and_printed() {
        check_printed(&[("take 10", "take 10"), ("limit 0", "take 0"), ("limit n * 2", "take n * 2")]);
        assert_eq!(stage("limit 7"), Stage::Limit(7));
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("limit", "`limit` needs a number of rows", "limit", "take 100"),
            ("take -1", "the number of rows cannot be negative", "-1", "zero or more"),
            ("take 1.5", "the number of rows is a whole number", "1.5", "take 100"),
            ("take '5'", "the number of rows is a whole number", "'5'", "take 100"),
            ("take 5 rows", "an operator is missing before `rows`", "rows", "write one"),
            ("take 5, 10", "unexpected `,`", ",", "`|`"),
        ]);
    }
}
