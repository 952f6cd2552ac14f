//! Keeps what a view calls a field from meaning a value of the query that uses the view.

use std::collections::HashSet;

use crate::tree::{Expr, ExprKind, Query};

/// The function that a field of a view stands in where the query around it has a value of the same name: it is the
/// field or nothing. No text can write its name.
pub const OWN_FIELD: &str = "own field";

/// Keeps the names of a view from meaning values of the query that uses it.
pub(super) fn shield(view: &mut Query, names: &HashSet<String>) {
    if names.is_empty() {
        return;
    }
    for expr in view.exprs_mut() {
        shield_expr(expr, names);
    }
    for inner in view.queries_mut() {
        shield(inner, names);
    }
}

fn shield_expr(expr: &mut Expr, names: &HashSet<String>) {
    if let ExprKind::Field(field) = &expr.kind {
        let mut parts = field.match_indices('.').map(|(at, _)| &field[..at]);
        if names.contains(field) || parts.any(|part| names.contains(part)) {
            let own = Expr::new(expr.kind.clone(), expr.span);
            expr.kind = ExprKind::Call { function: OWN_FIELD.to_owned(), arguments: vec![own] };
        }
        return;
    }
    for child in expr.children_mut() {
        shield_expr(child, names);
    }
}
