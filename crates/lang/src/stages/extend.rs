//! `extend`: adds or replaces fields.

use super::{Operator, Trial};
use crate::parser::{Parser, column_name};
use crate::print::Printer;
use crate::tree::{Named, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["extend"],
    syntax: "extend name = expression [, …]",
    doc: "Adds fields, or replaces those that have the names already.",
    example: "extend seconds = duration / 1000",
    trial: Trial {
        query: r#"print took = 1500 | extend seconds = took / 1000.0"#,
        rows: &[r#"{"took":1500,"seconds":1.5}"#],
    },
    needs: Some("a field to add"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::Extend(parser.named_list(&[], column_name)))
}

pub(super) fn print(fields: &[Named], printer: &mut Printer) {
    printer.push("extend ");
    printer.named_list(fields);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("extend a = 1, b = a + 1", "extend a = 1, b = a + 1"),
            ("extend ['the name'] = tolower(host)", "extend ['the name'] = tolower(host)"),
            ("extend strlen(path), 2", "extend Column1 = strlen(path), Column2 = 2"),
            ("extend geo.city = x['y']", "extend geo.city = x[\"y\"]"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("extend", "`extend` needs a field to add", "extend", "extend seconds"),
            ("extend a =", "a value is missing before the end", "", "write a field"),
            ("extend a = 1 b = 2", "an operator is missing before `b`", "b", "`,`"),
            ("extend m = max(a, b)", "`max` looks at many rows, and this stage at one", "max", "max_of"),
        ]);
    }
}
