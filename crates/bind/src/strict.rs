//! `set stricttypes`: comparisons of values whose types do not fit are refused. Without it they are answered, and what
//! cannot be equal is not.

use arrow_array::Array;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::words::type_names;
use tidegauge_exec::{Message, Result, Value, invalid_with};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Type};

use crate::scope::Scope;

impl Scope {
    /// Refuses a comparison where the query wants types that fit, and these do not.
    pub(super) fn check_comparison(&self, span: Span, left: &Value, right: &Value) -> Result<()> {
        if !self.surroundings().is_strict || fit(left, right) {
            return Ok(());
        }
        let message = format!("{} is compared with {}", type_names(left), type_names(right));
        let hint = match has_texts(left) || has_texts(right) {
            true => "convert one side, as with `tostring(…)` or `tolong(…)`, or leave out `set stricttypes`",
            false => "convert one side, or leave out `set stricttypes`",
        };
        Err(invalid_with(span, message, hint))
    }

    /// Notes that a field of texts is compared with a number of the query. Both are what they are: a text is no number
    /// even where it looks like one, as what comes from CSV does.
    pub(super) fn tell_of_text_with_number(&self, named: &Expr, value: &Value, other: &Value) {
        let is_number = |typed: &Typed| matches!(typed.kind, Type::Integer | Type::Float);
        let is_written = |typed: &Typed| typed.as_literal().is_some_and(|literal| literal.is_valid(0));
        let is_text = !value.is_null() && value.variants.iter().all(|typed| typed.kind == Type::String);
        if let ExprKind::Field(name) = &named.kind
            && is_text
            && let [other] = other.variants.as_slice()
            && is_number(other)
            && is_written(other)
        {
            self.surroundings().notices.tell(Message::TextWithNumber(name.clone()));
        }
    }
}

/// Whether every type of each side has one on the other side that it can be compared with. Nulls fit everything, and
/// so do dynamic values, whose types are known only row by row.
fn fit(left: &Value, right: &Value) -> bool {
    let (left, right) = (families(left), families(right));
    let is_open = |types: &[Type]| types.is_empty() || types.contains(&Type::Dynamic);
    is_open(&left)
        || is_open(&right)
        || (left.iter().all(|kind| right.contains(kind)) && right.iter().all(|kind| left.contains(kind)))
}

/// The types of a value, where all numbers are of one.
fn families(value: &Value) -> Vec<Type> {
    if value.is_null() {
        return Vec::new();
    }
    let is_integer = |kind: Type| matches!(kind, Type::Integer | Type::LongInteger);
    let family = |kind: Type| if is_integer(kind) { Type::Float } else { kind };
    value.types().into_iter().map(family).collect()
}

fn has_texts(value: &Value) -> bool {
    value.of_type(Type::String).is_some()
}
