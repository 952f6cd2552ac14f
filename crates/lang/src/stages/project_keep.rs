//! `project-keep`: keeps fields in the order that they have.

use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{NamePattern, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["project-keep"],
    syntax: "project-keep field_or_pattern [, …]",
    doc: "Keeps fields in the order that they have; a `*` in a name stands for any letters.",
    example: "project-keep _time, http*",
    trial: Trial { query: r#"print a = 1, b = 2, b2 = 3 | project-keep b*"#, rows: &[r#"{"b":2,"b2":3}"#] },
    needs: Some("fields to keep"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::ProjectKeep(parser.patterns(OPERATOR.example)))
}

pub(super) fn print(fields: &[NamePattern], printer: &mut Printer) {
    printer.push("project-keep ");
    printer.joined(fields, Printer::pattern);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("project-keep status, path", "project-keep status, path"),
            ("project-keep ['resource.']*", "project-keep ['resource.']*"),
            ("project-keep *time*", "project-keep *time*"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("project-keep", "`project-keep` needs fields to keep", "project-keep", "project-keep _time"),
            ("project-keep 'a'", "a field is missing before `'a'`", "'a'", "project-keep _time"),
            ("project-keep a b", "unexpected `b`", "b", "`,`"),
        ]);
    }
}
