//! `extend-valid`: as `extend`, with a test whether the values are of use.

use super::{Operator, Trial};
use crate::parser::{Parser, column_name};
use crate::print::Printer;
use crate::tree::{Named, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["extend-valid"],
    syntax: "extend-valid name = expression [, …]",
    doc: "Adds fields whose values are of use: neither null, empty, zero nor false.",
    example: "extend-valid kind = content_type",
    trial: Trial {
        query: r#"datatable(path:string)["/", ""] | extend-valid shown = path"#,
        rows: &[r#"{"path":"/","shown":"/"}"#, r#"{"path":"","shown":null}"#],
    },
    needs: Some("a field to add"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::ExtendValid(parser.named_list(&[], column_name)))
}

pub(super) fn print(fields: &[Named], printer: &mut Printer) {
    printer.push("extend-valid ");
    printer.named_list(fields);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("extend-valid upper = toupper(method)", "extend-valid upper = toupper(method)"),
            ("extend-valid a = 1, b = c", "extend-valid a = 1, b = c"),
            ("extend-valid tags", "extend-valid tags"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("extend-valid", "`extend-valid` needs a field to add", "extend-valid", "extend-valid kind"),
            ("extend_valid a = 1", "unknown operator `extend_valid`", "extend_valid", "`extend-valid`"),
            ("extend-valid a = (1", "`(` is never closed", "(", "`)`"),
        ]);
    }
}
