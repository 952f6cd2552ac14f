//! `union`: the rows of several tables one after the other. It can also begin a query.

use super::{Operator, Trial};
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Stage, Union};

pub(super) const OPERATOR: Operator = Operator {
    names: &["union"],
    syntax: "union [kind=inner|outer] [withsource=field] table_or_pattern [, …]",
    doc: "Puts the rows of other tables beside these; a `*` in a name stands for any letters.",
    example: "union withsource=origin other, (third | where status == 500)",
    trial: Trial {
        query: r#"let old = datatable(x:long)[1]; let new = datatable(x:long, y:string)[2, "b"]; union old, new"#,
        rows: &[r#"{"x":1,"y":null}"#, r#"{"x":2,"y":"b"}"#],
    },
    needs: Some("tables"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    union(parser).map(Stage::Union)
}

/// What follows the word `union`.
pub(crate) fn union(parser: &mut Parser<'_>) -> Option<Union> {
    let mut source_field = None;
    let mut is_inner = false;
    loop {
        if parser.is_at_setting("kind") {
            is_inner = parser.choice("kind", &[("outer", false), ("inner", true)]).unwrap_or(is_inner);
        } else if parser.is_at_setting("withsource") || parser.is_at_setting("with_source") {
            parser.cursor.advance();
            parser.cursor.advance();
            let (name, _) = parser.expect_name("the name of a field", "union withsource=origin other")?;
            source_field = Some(name);
        } else if parser.is_at_setting("isfuzzy") {
            let hint = "remove it: fields that a table does not have are null";
            let diagnostic = crate::Diagnostic::new("`union` has no `isfuzzy`", parser.cursor.span());
            parser.cursor.report(diagnostic.with_hint(hint));
            return None;
        } else {
            break;
        }
    }
    if parser.is_at_stage_end() && !parser.cursor.is_at(&TokenKind::LeftParenthesis) {
        parser.report_missing("a table", "union other");
        return None;
    }
    let tables = parser.separated(|parser, _| parser.table_operand(true));
    Some(Union { source_field, is_inner, tables })
}

pub(crate) fn print(union: &Union, printer: &mut Printer) {
    printer.push("union ");
    if union.is_inner {
        printer.push("kind=inner ");
    }
    if let Some(field) = &union.source_field {
        printer.push("withsource=");
        printer.name_before_value(field);
        printer.push(" ");
    }
    printer.joined(&union.tables, Printer::table_operand);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("union other", "union other"),
            ("union ['other-one'], third", "union ['other-one'], third"),
            ("union withsource=origin github*, *", "union withsource=origin github*, *"),
            ("union ['web-*']", "union ['web-']*"),
            (
                "union kind=inner withsource=['the origin'] a, b",
                "union kind=inner withsource=['the origin'] a, b",
            ),
            ("union (other | where x > 1 | take 5), third", "union (other | where x > 1 | take 5), third"),
            ("union (other)", "union other"),
            ("union (print x = 1)", "union (print x = 1)"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("union", "`union` needs tables", "union", "union withsource"),
            ("union withsource=x", "a table is missing before the end", "", "union other"),
            ("union a,", "a table is missing before the end", "", "other"),
            ("union a-b", "`a-b` is read as a subtraction", "a-b", "['a-b']"),
            ("union kind=left a", "`left` is no kind of this stage", "left", "outer, inner"),
            ("union (other", "`(` is never closed", "(", "`)`"),
            ("union 'other'", "a table is missing before `'other'`", "'other'", "['other']"),
        ]);
    }
}
