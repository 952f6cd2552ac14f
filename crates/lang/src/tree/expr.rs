//! Expressions: how one is made, and what it is made of.

use super::query::{Expr, ExprKind, Named};
use crate::Span;

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Forgets where it stands, and where its parts do.
    pub fn forget_places(&mut self) {
        self.span = Span::default();
        self.children_mut().into_iter().for_each(Self::forget_places);
    }

    /// The expressions that it is made of, in their order. Queries in it are left out.
    pub fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Literal(_)
            | ExprKind::Field(_)
            | ExprKind::AllFields
            | ExprKind::Table(_)
            | ExprKind::Error => Vec::new(),
            ExprKind::Named { value, .. } => vec![value],
            ExprKind::Negate(of) | ExprKind::Exists(of) | ExprKind::Not(of) => vec![of],
            ExprKind::Member { of, key } => vec![of, key],
            ExprKind::Binary { left, right, .. } | ExprKind::Text { left, right, .. } => vec![left, right],
            ExprKind::In { value, list, .. } | ExprKind::HasAny { value, list, .. } => {
                std::iter::once(&**value).chain(list).collect()
            }
            ExprKind::Between { value, low, high, .. } => vec![value, low, high],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
        }
    }

    /// As [`Self::children`], to change them.
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.kind {
            ExprKind::Literal(_)
            | ExprKind::Field(_)
            | ExprKind::AllFields
            | ExprKind::Table(_)
            | ExprKind::Error => Vec::new(),
            ExprKind::Named { value, .. } => vec![value],
            ExprKind::Negate(of) | ExprKind::Exists(of) | ExprKind::Not(of) => vec![of],
            ExprKind::Member { of, key } => vec![of, key],
            ExprKind::Binary { left, right, .. } | ExprKind::Text { left, right, .. } => vec![left, right],
            ExprKind::In { value, list, .. } | ExprKind::HasAny { value, list, .. } => {
                std::iter::once(&mut **value).chain(list).collect()
            }
            ExprKind::Between { value, low, high, .. } => vec![value, low, high],
            ExprKind::Call { arguments, .. } => arguments.iter_mut().collect(),
        }
    }
}

impl Named {
    /// Whether it is a field under its own name.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(&self.expr.kind, ExprKind::Field(name) if *name == self.name)
    }
}
