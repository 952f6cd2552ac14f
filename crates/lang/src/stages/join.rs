//! `join`: rows of two tables that belong together. The conditions are read here for `lookup` too: they become pairs
//! of expressions, the first over the rows so far and the second over the other table.

use super::{Operator, Trial};
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{BinaryOperator, Expr, ExprKind, Join, JoinKind, JoinPair, Literal, Query, Stage};
use crate::{Diagnostic, Span};

const KINDS: &[(&str, JoinKind)] = &[
    ("inner", JoinKind::Inner),
    ("innerunique", JoinKind::InnerUnique),
    ("leftouter", JoinKind::LeftOuter),
    ("rightouter", JoinKind::RightOuter),
    ("fullouter", JoinKind::FullOuter),
    ("leftanti", JoinKind::LeftAnti),
    ("rightanti", JoinKind::RightAnti),
    ("leftsemi", JoinKind::LeftSemi),
    ("rightsemi", JoinKind::RightSemi),
    // Second names, which are not printed.
    ("anti", JoinKind::LeftAnti),
    ("leftantisemi", JoinKind::LeftAnti),
    ("rightantisemi", JoinKind::RightAnti),
];

pub(super) const OPERATOR: Operator = Operator {
    names: &["join"],
    syntax: "join [kind=kind] table on field_or_equality [, …]",
    doc: "Puts rows of two tables together whose values are equal.",
    example: "join kind=inner (other | project id, name) on id",
    trial: Trial {
        query: r#"let users = datatable(id:long, name:string)[1, "Ann"]; datatable(id:long, took:long)[1, 5, 2, 7] | join kind=inner users on id"#,
        rows: &[r#"{"id":1,"took":5,"id1":1,"name":"Ann"}"#],
    },
    needs: Some("a table and `on`"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let (kind, right, on) = parts(parser, KINDS, OPERATOR.example)?;
    Some(Stage::Join(Join { kind: kind.unwrap_or(JoinKind::Inner), right: Box::new(right), on }))
}

/// What follows `join` or `lookup`: the kind, the other table and the conditions.
pub(super) fn parts<K: Copy + PartialEq>(
    parser: &mut Parser<'_>,
    kinds: &[(&'static str, K)],
    example: &str,
) -> Option<(Option<K>, Query, Vec<JoinPair>)> {
    let mut kind = parser.choice("kind", kinds);
    if parser.is_at_clause("on") {
        let hint = format!("write the table before `on`: `{example}`");
        let diagnostic = Diagnostic::new("the other table is missing before `on`", parser.cursor.span());
        parser.cursor.report(diagnostic.with_hint(hint));
        return None;
    }
    let right = parser.table_operand(false);
    if parser.is_at_setting("kind") {
        let diagnostic = Diagnostic::new("`kind` stands behind the table", parser.cursor.span());
        parser.cursor.report(diagnostic.with_hint(format!("write it before the table: `{example}`")));
        kind = parser.choice("kind", kinds);
    }
    if !parser.expect_word("on", example) {
        return None;
    }
    if parser.is_at_stage_end() {
        parser.report_missing("a field", example);
        return None;
    }
    let on = parser.separated(|parser, _| condition(parser)).into_iter().flatten().collect();
    Some((kind, right, on))
}

fn condition(parser: &mut Parser<'_>) -> Option<JoinPair> {
    let expr = parser.expr();
    let span = expr.span;
    match expr.kind {
        ExprKind::Field(name) if side_of(&name).is_none() => {
            let field = Expr::new(ExprKind::Field(name), span);
            Some(JoinPair { left: field.clone(), right: field })
        }
        ExprKind::Binary { operator: BinaryOperator::Equal, left, right } => pair(parser, *left, *right),
        ExprKind::Error => None,
        ExprKind::Binary { operator: BinaryOperator::And, .. } => {
            let hint = "write `,` between conditions";
            parser
                .cursor
                .report(Diagnostic::new("`and` cannot join conditions of a join", span).with_hint(hint));
            None
        }
        _ => {
            let message = "this is neither a field nor an equality of two";
            let hint = "write `on id`, or `on $left.id == $right.user_id`";
            parser.cursor.report(Diagnostic::new(message, span).with_hint(hint));
            None
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Two sides of an equality, each with its table's prefix taken away. Without prefixes the left one is of the left.
fn pair(parser: &mut Parser<'_>, mut first: Expr, mut second: Expr) -> Option<JoinPair> {
    let first_side = strip(parser, &mut first)?;
    let second_side = strip(parser, &mut second)?;
    if first_side.is_some() && first_side == second_side {
        let side = if first_side == Some(Side::Left) { "left" } else { "right" };
        let message = format!("both values are of the {side} table");
        let hint = "write `$left.a == $right.b`";
        parser.cursor.report(Diagnostic::new(message, first.span.to(second.span)).with_hint(hint));
        return None;
    }
    if first_side == Some(Side::Right) || second_side == Some(Side::Left) {
        return Some(JoinPair { left: second, right: first });
    }
    Some(JoinPair { left: first, right: second })
}

fn side_of(name: &str) -> Option<Side> {
    match name.split('.').next() {
        Some("$left") => Some(Side::Left),
        Some("$right") => Some(Side::Right),
        _ => None,
    }
}

/// Takes `$left.` and `$right.` away from all fields of an expression. None if they are mixed or used in another way,
/// which is reported.
fn strip(parser: &mut Parser<'_>, expr: &mut Expr) -> Option<Option<Side>> {
    let mut sides: Vec<(Side, Span)> = Vec::new();
    let mut misused = None;
    strip_fields(expr, &mut sides, &mut misused);
    if let Some(span) = misused {
        let hint = "write a field behind it, such as `$left.id` or `$left.['user id']`";
        let diagnostic = Diagnostic::new("the side of the join has no field", span);
        parser.cursor.report(diagnostic.with_hint(hint));
        return None;
    }
    let first = sides.first().map(|(side, _)| *side);
    if let Some((_, span)) = sides.iter().find(|(side, _)| Some(*side) != first) {
        let message = "one value cannot be made of both tables";
        let hint = "write each side of `==` over one table: `$left.a == $right.b`";
        parser.cursor.report(Diagnostic::new(message, *span).with_hint(hint));
        return None;
    }
    Some(first)
}

fn strip_fields(expr: &mut Expr, sides: &mut Vec<(Side, Span)>, misused: &mut Option<Span>) {
    let span = expr.span;
    let stripped = match &expr.kind {
        ExprKind::Field(name) => {
            side_of(name).map(|side| (side, name.split_once('.').map(|(_, rest)| rest.to_owned())))
        }
        ExprKind::Member { of, key } => match (&of.kind, &key.kind) {
            (ExprKind::Field(name), ExprKind::Literal(Literal::String(key))) if !name.contains('.') => {
                side_of(name).map(|side| (side, Some(key.clone())))
            }
            _ => None,
        },
        _ => None,
    };
    match stripped {
        Some((side, Some(name))) => {
            sides.push((side, span));
            expr.kind = ExprKind::Field(name);
        }
        Some((_, None)) => *misused = Some(span),
        None => {
            for child in expr.children_mut() {
                strip_fields(child, sides, misused);
            }
        }
    }
}

pub(super) fn print(join: &Join, printer: &mut Printer) {
    let kind = KINDS.iter().find(|(_, kind)| *kind == join.kind).map_or("inner", |(name, _)| name);
    print_parts("join", kind, &join.right, &join.on, printer);
}

pub(super) fn print_parts(name: &str, kind: &str, right: &Query, on: &[JoinPair], printer: &mut Printer) {
    printer.push(&format!("{name} kind={kind} "));
    printer.table_operand(right);
    printer.push(" on ");
    printer.joined(on, |printer, pair| match (&pair.left.kind, &pair.right.kind) {
        (ExprKind::Field(left), ExprKind::Field(right)) if left == right && side_of(left).is_none() => {
            printer.name(left);
        }
        _ => printer.equality(&pair.left, &pair.right),
    });
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("join other on id", "join kind=inner other on id"),
            (
                "join kind=leftouter (other | project id) on id, host",
                "join kind=leftouter (other | project id) on id, host",
            ),
            ("join kind=innerunique other on $left.a == $right.b", "join kind=innerunique other on a == b"),
            ("join other on $right.b == $left.a", "join kind=inner other on a == b"),
            (
                "join other on $left.['service.name'] == $right.name",
                "join kind=inner other on service.name == name",
            ),
            ("join other on tolower(a) == b", "join kind=inner other on tolower(a) == b"),
            ("join kind=anti other on a == a", "join kind=leftanti other on a"),
            (
                "join kind=fullouter (datatable(a:long)[1, 2]) on a",
                "join kind=fullouter (datatable(a:long)[1, 2]) on a",
            ),
            ("join (a | join (b) on x) on y", "join kind=inner (a | join kind=inner b on x) on y"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("join", "`join` needs a table and `on`", "join", "join kind=inner (other"),
            ("join on id (other)", "the other table is missing before `on`", "on", "before `on`"),
            ("join other", "`on` is missing before the end", "", "join kind=inner"),
            ("join other kind=inner on id", "`kind` stands behind the table", "kind", "before the table"),
            ("join kind=outer other on id", "`outer` is no kind of this stage", "outer", "leftouter"),
            ("join kind=left other on id", "`left` is no kind of this stage", "left", "`leftouter`"),
            (
                "join other on a == b and c == d",
                "`and` cannot join conditions of a join",
                "a == b and c == d",
                "`,`",
            ),
            ("join other on a = b", "`=` does not compare", "=", "`==`"),
            (
                "join other on $left.a == $left.b",
                "both values are of the left table",
                "$left.a == $left.b",
                "$right.b",
            ),
            (
                "join other on a > b",
                "this is neither a field nor an equality of two",
                "a > b",
                "$left.id == $right.user_id",
            ),
            ("join other on $left == $right", "the side of the join has no field", "$left", "$left.id"),
            ("join other on", "a field is missing before the end", "", "join kind=inner"),
        ]);
    }
}
