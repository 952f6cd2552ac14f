//! `project-away`: drops fields.

use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{NamePattern, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["project-away"],
    syntax: "project-away field_or_pattern [, …]",
    doc: "Drops fields; a `*` in a name stands for any letters.",
    example: "project-away secret, data*",
    trial: Trial { query: r#"print a = 1, b = 2, b2 = 3 | project-away b*"#, rows: &[r#"{"a":1}"#] },
    needs: Some("fields to drop"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::ProjectAway(parser.patterns(OPERATOR.example)))
}

pub(super) fn print(fields: &[NamePattern], printer: &mut Printer) {
    printer.push("project-away ");
    printer.joined(fields, Printer::pattern);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("project-away password", "project-away password"),
            ("project-away data*, *_id", "project-away data*, *_id"),
            ("project-away ['geo.']*, geo.city", "project-away ['geo.']*, geo.city"),
            ("project-away geo.*, a.*.d", "project-away ['geo.']*, ['a.']*['.d']"),
            ("project-away a*b*c, *", "project-away a*b*c, *"),
            ("project-away ['a*b']", "project-away ['a*b']"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("project-away", "`project-away` needs fields to drop", "project-away", "project-away secret"),
            ("project-away a,", "a field is missing before the end", "", "project-away secret"),
            ("project_away a", "unknown operator `project_away`", "project_away", "`project-away`"),
            ("project-away a = b", "unexpected `=`", "=", "`,`"),
        ]);
    }
}
