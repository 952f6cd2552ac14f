//! `project-rename`: gives fields other names and leaves them where they are.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Renamed, Stage};

pub(super) const OPERATOR: Operator = Operator {
    names: &["project-rename"],
    syntax: "project-rename new = old [, …]",
    doc: "Gives fields other names and leaves them where they are.",
    example: "project-rename host = hostname",
    trial: Trial {
        query: r#"print hostname = "a" | project-rename host = hostname"#,
        rows: &[r#"{"host":"a"}"#],
    },
    needs: Some("a new name and an old one"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let mut renamed = Vec::new();
    loop {
        let (name, span) = parser.expect_name("the new name", OPERATOR.example)?;
        if parser.cursor.accept(&TokenKind::Equal).is_none() {
            let message = format!("`{name}` has no `=` and no old name after it");
            let hint = format!("write `{}`", OPERATOR.example);
            parser.cursor.report(Diagnostic::new(message, span).with_hint(hint));
            return None;
        }
        let (from, span) = parser.expect_name("the old name", OPERATOR.example)?;
        renamed.push(Renamed { name, from, span });
        if parser.cursor.accept(&TokenKind::Comma).is_none() {
            return Some(Stage::ProjectRename(renamed));
        }
    }
}

pub(super) fn print(fields: &[Renamed], printer: &mut Printer) {
    printer.push("project-rename ");
    printer.joined(fields, |printer, renamed| {
        printer.name(&renamed.name);
        printer.push(" = ");
        printer.name(&renamed.from);
    });
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("project-rename a = b", "project-rename a = b"),
            ("project-rename ['the a'] = ['x.y'], c = d", "project-rename ['the a'] = x.y, c = d"),
            ("project-rename city = geo.city", "project-rename city = geo.city"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            (
                "project-rename",
                "`project-rename` needs a new name and an old one",
                "project-rename",
                "host = hostname",
            ),
            ("project-rename a", "`a` has no `=` and no old name after it", "a", "host = hostname"),
            ("project-rename a = 1", "the old name is missing before `1`", "1", "host = hostname"),
            ("project-rename a = b + 1", "unexpected `+`", "+", "`extend`"),
        ]);
    }
}
