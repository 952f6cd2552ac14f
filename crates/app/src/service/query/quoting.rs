//! Names and values as the query language writes them, so that none of a caller's becomes a part of the query itself.

use tidegauge_lang::tree::{Expr, ExprKind, Literal};
use tidegauge_lang::{Span, print_expression};

/// A name as it stands in a query, whatever it is.
pub(super) fn quoted(name: &str) -> String {
    format!("[{}]", literal(Literal::String(name.to_owned())))
}

pub(super) fn literal(literal: Literal) -> String {
    print_expression(&Expr { kind: ExprKind::Literal(literal), span: Span::default() })
}
