//! `sample`: keeps a share of the rows by chance.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Expr, ExprKind, Literal, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["sample"],
    syntax: "sample share",
    doc: "Keeps about this share of the rows, between 0 and 1, by chance.",
    example: "sample 0.1",
    trial: Trial {
        query: r#"datatable(x:long)[1, 2, 3, 4] | sample 0.5 | summarize n = count() | project is_part = n <= 4"#,
        rows: &[r#"{"is_part":true}"#],
    },
    needs: Some("a share between 0 and 1"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let share = parser.expr();
    let ExprKind::Literal(literal) = &share.kind else { return Some(Stage::Sample(share)) };
    let hint = match literal {
        Literal::Float(number) if *number > 0.0 && *number < 1.0 => return Some(Stage::Sample(share)),
        Literal::Integer(count) if *count > 1 => {
            format!("write `sample 0.1` for a tenth of them, or `take {count}` for so many")
        }
        _ => "write `sample 0.1` for a tenth of them".to_owned(),
    };
    let message = "the share of rows is a number between 0 and 1";
    parser.cursor.report(Diagnostic::new(message, share.span).with_hint(hint));
    None
}

pub(super) fn print(share: &Expr, printer: &mut Printer) {
    printer.push("sample ");
    printer.expr(share);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("sample 0.5", "sample 0.5"),
            ("sample 1e-3", "sample 0.001"),
            ("sample share / 2", "sample share / 2"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        const MESSAGE: &str = "the share of rows is a number between 0 and 1";
        check_wrong(&[
            ("sample", "`sample` needs a share between 0 and 1", "sample", "sample 0.1"),
            ("sample 10", MESSAGE, "10", "`take 10`"),
            ("sample 0", MESSAGE, "0", "sample 0.1"),
            ("sample 1.5", MESSAGE, "1.5", "sample 0.1"),
            ("sample 10%", "a value is missing before the end", "", "write a field"),
        ]);
    }
}
