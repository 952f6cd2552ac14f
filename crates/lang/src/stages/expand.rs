//! `mv-expand`: one row for each element of arrays and maps.

use super::{Operator, Trial};
use crate::lexer::TokenKind;
use crate::parser::{Parser, column_name, implied_name, type_word};
use crate::print::Printer;
use crate::tree::{Expand, ExpandKind, ExpandedField, Stage, Type};

const KINDS: &[(&str, ExpandKind)] = &[("bag", ExpandKind::Bag), ("array", ExpandKind::Array)];
const SETTINGS: [&str; 3] = ["kind", "bagexpansion", "with_itemindex"];

pub(super) const OPERATOR: Operator = Operator {
    names: &["mv-expand"],
    syntax: "mv-expand [kind=bag|array] [with_itemindex=name] [name =] field [to typeof(type)] [, …] [limit count]",
    doc: "Makes one row for each element of an array or a map.",
    example: "mv-expand tag = tags to typeof(string)",
    trial: Trial {
        query: r#"print host = "a", tags = dynamic(["x", "y"]) | mv-expand tags"#,
        rows: &[r#"{"host":"a","tags":"x"}"#, r#"{"host":"a","tags":"y"}"#],
    },
    needs: Some("a field"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let mut kind = None;
    let mut index = None;
    loop {
        if parser.is_at_setting("kind") {
            kind = parser.choice("kind", KINDS);
        } else if parser.is_at_setting("bagexpansion") {
            kind = parser.choice("bagexpansion", KINDS);
        } else if parser.is_at_setting("with_itemindex") {
            parser.cursor.advance();
            parser.cursor.advance();
            index = Some(parser.expect_name("the name of a field", "with_itemindex=place")?.0);
        } else {
            break;
        }
    }
    let mut fields = Vec::new();
    let mut unnamed = 0;
    loop {
        fields.push(field(parser, &mut unnamed)?);
        if parser.cursor.accept(&TokenKind::Comma).is_none() {
            break;
        }
    }
    let limit = match parser.accept_word("limit") {
        Some(_) => {
            parser.cursor.accept(&TokenKind::Equal);
            let count = parser.expr();
            Some(parser.count_of(&count, "the number of rows", "mv-expand tags limit 10")?)
        }
        None => None,
    };
    Some(Stage::Expand(Expand { kind, index, fields, limit }))
}

fn field(parser: &mut Parser<'_>, unnamed: &mut usize) -> Option<ExpandedField> {
    let name = parser.accept_assigned_name();
    let expr = parser.expr_until(&["to", "limit"]);
    let name = name.or_else(|| implied_name(&expr)).unwrap_or_else(|| {
        *unnamed += 1;
        column_name(*unnamed)
    });
    let kind = if parser.accept_word("to").is_some() { Some(target(parser)?) } else { None };
    Some(ExpandedField { name, expr, kind })
}

/// `typeof(type)`.
fn target(parser: &mut Parser<'_>) -> Option<Type> {
    const EXAMPLE: &str = "mv-expand tags to typeof(string)";
    if !parser.expect_word("typeof", EXAMPLE) {
        return None;
    }
    let Some(open) = parser.cursor.accept(&TokenKind::LeftParenthesis) else {
        parser.report_missing("`(` with a type", EXAMPLE);
        return None;
    };
    let kind = parser.type_name();
    parser.close(TokenKind::RightParenthesis, open);
    kind
}

pub(super) fn print(expand: &Expand, printer: &mut Printer) {
    printer.push("mv-expand ");
    if let Some((name, _)) = KINDS.iter().find(|(_, kind)| Some(*kind) == expand.kind) {
        printer.push(&format!("kind={name} "));
    }
    if let Some(index) = &expand.index {
        printer.push("with_itemindex=");
        printer.name_before_value(index);
        printer.push(" ");
    }
    printer.joined(&expand.fields, |printer, field| {
        if implied_name(&field.expr).as_ref() != Some(&field.name) {
            // A setting has the same form, so a name that is one's is put in brackets.
            if SETTINGS.contains(&field.name.as_str()) {
                printer.quoted_name(&field.name);
            } else {
                printer.name(&field.name);
            }
            printer.push(" = ");
        }
        printer.expr(&field.expr);
        if let Some(kind) = field.kind {
            printer.push(&format!(" to typeof({})", type_word(kind)));
        }
    });
    if let Some(limit) = expand.limit {
        printer.push(&format!(" limit {limit}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("mv-expand tags", "mv-expand tags"),
            (
                "mv-expand kind=array with_itemindex=i k = labels",
                "mv-expand kind=array with_itemindex=i k = labels",
            ),
            ("mv-expand bagexpansion=bag labels", "mv-expand kind=bag labels"),
            (
                "mv-expand a to typeof(long), b = c.d to typeof(string) limit 5",
                "mv-expand a to typeof(long), b = c.d to typeof(string) limit 5",
            ),
            ("mv-expand ['kind'] = a", "mv-expand ['kind'] = a"),
            ("mv-expand x = split(path, '/')", "mv-expand x = split(path, \"/\")"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("mv-expand", "`mv-expand` needs a field", "mv-expand", "mv-expand tag"),
            ("mvexpand tags", "unknown operator `mvexpand`", "mvexpand", "`mv-expand`"),
            ("mv-expand kind=map tags", "`map` is no kind of this stage", "map", "bag, array"),
            (
                "mv-expand tags to string",
                "`typeof` is missing before `string`",
                "string",
                "to typeof(string)",
            ),
            ("mv-expand tags to typeof(text)", "`text` is no type", "text", "`string`"),
            ("mv-expand tags limit -1", "the number of rows cannot be negative", "-1", "limit 10"),
        ]);
    }
}
