//! Many expressions joined by one of `and` and `or`. Short chains lean to the left as they are written; long ones,
//! which programs write, become a balanced tree, so that its height stays small. The order of the parts is kept, and
//! with it the meaning: both operators are associative.

use super::{Parsed, Parser};
use crate::Span;
use crate::tree::{BinaryOperator, Expr, ExprKind};

/// The most parts of a chain that leans to the left.
pub(crate) const CHAIN_MAX: usize = 64;

/// Joins expressions. `None` if there are none.
fn chain(operator: BinaryOperator, operands: Vec<Expr>) -> Option<Expr> {
    if operands.len() <= CHAIN_MAX {
        return operands.into_iter().reduce(|left, right| join(operator, left, right));
    }
    balanced(operator, operands)
}

/// Joins expressions to the lowest tree there is. `None` if there are none.
pub(crate) fn balanced(operator: BinaryOperator, operands: Vec<Expr>) -> Option<Expr> {
    let mut level = operands;
    while level.len() > 1 {
        let mut above = Vec::with_capacity(level.len().div_ceil(2));
        let mut parts = level.into_iter();
        while let Some(left) = parts.next() {
            above.push(match parts.next() {
                Some(right) => join(operator, left, right),
                None => left,
            });
        }
        level = above;
    }
    level.pop()
}

fn join(operator: BinaryOperator, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr::new(ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, span)
}

impl Parser<'_> {
    pub(super) fn chained(&mut self, operator: BinaryOperator, operands: Vec<Parsed>) -> Parsed {
        let count = operands.len();
        let tallest = operands.iter().map(|operand| operand.height).max().unwrap_or(0);
        let levels = if count <= CHAIN_MAX {
            count.saturating_sub(1)
        } else {
            count.next_power_of_two().ilog2() as usize
        };
        let span = match (operands.first(), operands.last()) {
            (Some(first), Some(last)) => first.span().to(last.span()),
            _ => Span::default(),
        };
        let operands = operands.into_iter().map(|operand| operand.expr).collect();
        match chain(operator, operands) {
            Some(expr) => self.limited(expr.kind, span, tallest + levels),
            None => self.error(span),
        }
    }
}
