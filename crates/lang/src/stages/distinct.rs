//! `distinct`: the different combinations of some values.

use super::{Operator, Trial};
use crate::lexer::TokenKind;
use crate::parser::{Parser, column_name};
use crate::print::Printer;
use crate::tree::{Named, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["distinct"],
    syntax: "distinct field [, …] | distinct *",
    doc: "Keeps one row for each different combination of these fields, and these fields alone.",
    example: "distinct host, status",
    trial: Trial {
        query: r#"datatable(host:string)["a", "b", "a"] | distinct host | sort by host asc"#,
        rows: &[r#"{"host":"a"}"#, r#"{"host":"b"}"#],
    },
    needs: Some("fields, or `*` for all"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    if parser.cursor.accept(&TokenKind::Star).is_some() {
        return Some(Stage::Distinct(Vec::new()));
    }
    Some(Stage::Distinct(parser.named_list(&[], column_name)))
}

pub(super) fn print(fields: &[Named], printer: &mut Printer) {
    printer.push("distinct ");
    if fields.is_empty() {
        printer.push("*");
    }
    printer.named_list(fields);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("distinct host", "distinct host"),
            ("distinct host, ['geo.city']", "distinct host, geo.city"),
            ("distinct *", "distinct *"),
            ("distinct day = bin(_time, 1d)", "distinct day = bin(_time, 1d)"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("distinct", "`distinct` needs fields, or `*` for all", "distinct", "distinct host"),
            ("distinct a b", "an operator is missing before `b`", "b", "write one"),
            ("distinct count()", "`count` looks at many rows, and this stage at one", "count", "summarize"),
        ]);
    }
}
