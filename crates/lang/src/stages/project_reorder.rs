//! `project-reorder`: puts fields first, in this order or in the order of their names.

use super::{Operator, Trial};
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{ReorderBy, Reordered, Stage};

const ORDERS: &[(&str, ReorderBy)] = &[
    ("asc", ReorderBy::Ascending),
    ("desc", ReorderBy::Descending),
    ("granny-asc", ReorderBy::GrannyAscending),
    ("granny-desc", ReorderBy::GrannyDescending),
];

pub(super) const OPERATOR: Operator = Operator {
    names: &["project-reorder"],
    syntax: "project-reorder field_or_pattern [asc|desc|granny-asc|granny-desc] [, …]",
    doc: "Puts fields first and leaves the others behind them in their order.",
    example: "project-reorder _time, http* asc",
    trial: Trial {
        query: r#"print a = 1, b9 = 2, b10 = 3 | project-reorder b* granny-asc"#,
        rows: &[r#"{"b9":2,"b10":3,"a":1}"#],
    },
    needs: Some("fields to put first"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let mut fields = Vec::new();
    loop {
        let Some((pattern, _)) = parser.accept_pattern(false) else {
            parser.report_missing("a field", OPERATOR.example);
            return None;
        };
        fields.push(Reordered { pattern, order: order(parser) });
        if parser.cursor.accept(&TokenKind::Comma).is_none() {
            return Some(Stage::ProjectReorder(fields));
        }
    }
}

fn order(parser: &mut Parser<'_>) -> Option<ReorderBy> {
    let is_granny = parser.cursor.word_ahead(0) == Some("granny")
        && parser.cursor.ahead(1).kind == TokenKind::Minus
        && parser.cursor.word_ahead(2).is_some();
    let length = if is_granny { 3 } else { 1 };
    let word: String =
        (0..length).map(|place| parser.cursor.slice(parser.cursor.ahead(place).span)).collect();
    let (_, order) = ORDERS.iter().find(|(name, _)| *name == word)?;
    for _ in 0..length {
        parser.cursor.advance();
    }
    Some(*order)
}

pub(super) fn print(fields: &[Reordered], printer: &mut Printer) {
    printer.push("project-reorder ");
    printer.joined(fields, |printer, field| {
        printer.pattern(&field.pattern);
        if let Some((name, _)) = ORDERS.iter().find(|(_, order)| Some(*order) == field.order) {
            printer.push(" ");
            printer.push(name);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("project-reorder a, *, z", "project-reorder a, *, z"),
            ("project-reorder b* asc, c* desc", "project-reorder b* asc, c* desc"),
            (
                "project-reorder b* granny-asc, ['c d'] granny-desc",
                "project-reorder b* granny-asc, ['c d'] granny-desc",
            ),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            (
                "project-reorder",
                "`project-reorder` needs fields to put first",
                "project-reorder",
                "project-reorder _time",
            ),
            ("project-reorder a,", "a field is missing before the end", "", "project-reorder _time"),
            ("project-reorder a ascending", "unexpected `ascending`", "ascending", "`asc`"),
        ]);
    }
}
