//! `project`: keeps and computes exactly the fields that are named, in their order.

use super::{Operator, Trial};
use crate::parser::{Parser, column_name};
use crate::print::Printer;
use crate::tree::{Named, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["project"],
    syntax: "project field [= expression] [, …]",
    doc: "Keeps these fields alone, in this order, and computes new ones.",
    example: "project _time, status, seconds = duration / 1000",
    trial: Trial {
        query: r#"print host = "a", took = 1500 | project host, seconds = took / 1000.0"#,
        rows: &[r#"{"host":"a","seconds":1.5}"#],
    },
    needs: Some("fields"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::Project(parser.named_list(&[], column_name)))
}

pub(super) fn print(fields: &[Named], printer: &mut Printer) {
    printer.push("project ");
    printer.named_list(fields);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("project status, path", "project status, path"),
            ("project ['geo.city'], ['the path'] = path", "project geo.city, ['the path'] = path"),
            ("project a.b, c['d'], e[0]", "project a.b, c_d = c[\"d\"], e_0 = e[0]"),
            ("project now(), x = 1", "project Column1 = now(), x = 1"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("project", "`project` needs fields", "project", "project _time"),
            ("project a,", "a value is missing before the end", "", "write a field"),
            ("project a as b", "`as` is no operator", "as", "`b = …`"),
            ("project *", "a value is missing before `*`", "*", "remove the stage"),
        ]);
    }
}
