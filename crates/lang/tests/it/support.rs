//! What the tests share: a short form of trees that shows their shape, and queries that are valid as they are.

use tidegauge_lang::dataset_query::{DatasetQuery, Refused, Surroundings, Translated, translate};
use tidegauge_lang::parse_expression;
use tidegauge_lang::tree::{Expr, ExprKind, Literal};
use tidegauge_model::Violation;

/// 2026-07-01T10:00:00Z.
pub(crate) const NOW: i64 = 1_782_900_000_000_000_000;
pub(crate) const SECOND: i64 = 1_000_000_000;

pub(crate) fn around() -> Surroundings {
    Surroundings { now: NOW, data: None, window_seconds_max: 0 }
}

/// A query for the events of an hour.
pub(crate) fn hour() -> DatasetQuery {
    DatasetQuery {
        start_time: Some("now-1h".to_owned()),
        end_time: Some("now".to_owned()),
        resolution: Some("auto".to_owned()),
        ..DatasetQuery::default()
    }
}

pub(crate) fn translated(query: &DatasetQuery) -> Translated {
    translate("logs", query, around()).unwrap()
}

pub(crate) fn violation(query: &DatasetQuery) -> Violation {
    match translate("logs", query, around()) {
        Err(Refused::Violation(violation)) => violation,
        other => panic!("no violation: {other:?}"),
    }
}

/// The violation as the caller reads it.
pub(crate) fn refusal(query: &DatasetQuery) -> String {
    violation(query).to_string()
}

/// The shape of what a text is read as, which must be without mistakes.
pub(crate) fn read(text: &str) -> String {
    let (expr, diagnostics) = parse_expression(text);
    assert_eq!(diagnostics, [], "{text}");
    shape(&expr)
}

/// A tree with its operators in front: `(and (== a 1) b)`.
pub(crate) fn shape(expr: &Expr) -> String {
    let list = |name: &str, parts: &[&Expr]| {
        let parts: String = parts.iter().map(|part| format!(" {}", shape(part))).collect();
        format!("({name}{parts})")
    };
    match &expr.kind {
        ExprKind::Literal(literal) => literal_shape(literal),
        ExprKind::Field(name) => name.clone(),
        ExprKind::AllFields => "*".to_owned(),
        ExprKind::Named { name, value } => format!("({name} = {})", shape(value)),
        ExprKind::Table(_) => "TABLE".to_owned(),
        ExprKind::Member { of, key } => list("member", &[of, key]),
        ExprKind::Negate(operand) => list("-", &[operand]),
        ExprKind::Binary { operator, left, right } => list(&format!("{operator:?}"), &[left, right]),
        ExprKind::Text { test, is_negated, is_case_sensitive, left, right } => {
            let case = if *is_case_sensitive { "+case" } else { "" };
            list(&format!("{}{test:?}{case}", if *is_negated { "!" } else { "" }), &[left, right])
        }
        ExprKind::In { value, list: items, is_negated, is_case_sensitive } => {
            let case = if *is_case_sensitive { "+case" } else { "" };
            let mut parts = vec![&**value];
            parts.extend(items);
            list(&format!("{}In{case}", if *is_negated { "!" } else { "" }), &parts)
        }
        ExprKind::HasAny { value, list: items, is_case_sensitive } => {
            let mut parts = vec![&**value];
            parts.extend(items);
            list(if *is_case_sensitive { "HasAny+case" } else { "HasAny" }, &parts)
        }
        ExprKind::Between { value, low, high, is_negated } => {
            list(if *is_negated { "!Between" } else { "Between" }, &[value, low, high])
        }
        ExprKind::Call { function, arguments } => list(function, &arguments.iter().collect::<Vec<_>>()),
        ExprKind::Exists(operand) => list("Exists", &[operand]),
        ExprKind::Not(operand) => list("Not", &[operand]),
        ExprKind::Error => "ERROR".to_owned(),
    }
}

fn literal_shape(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) => format!("{value:?}"),
        Literal::LongInteger(digits) => format!("long {digits}"),
        Literal::String(value) => format!("{value:?}"),
        Literal::Datetime(value) => format!("datetime:{value}"),
        Literal::Timespan(value) => format!("timespan:{value}"),
        Literal::Dynamic(json) => format!("dynamic:{json}"),
    }
}
