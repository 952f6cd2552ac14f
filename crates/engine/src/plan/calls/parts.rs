//! A call of an aggregate as it stands in a text.

use tidegauge_lang::tree::{Expr, ExprKind};
use tidegauge_lang::{Span, print_expression};

/// A call with its arguments.
pub(super) struct Parts<'a> {
    pub(super) function: &'a str,
    pub(super) arguments: &'a [Expr],
    pub(super) span: Span,
}

impl Parts<'_> {
    /// The call as it would be written, by which equal ones are known.
    pub(super) fn text(&self) -> String {
        let arguments = self.arguments.to_vec();
        print_expression(&Expr::new(
            ExprKind::Call { function: self.function.to_owned(), arguments },
            self.span,
        ))
    }
}
