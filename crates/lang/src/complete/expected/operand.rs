//! The operand before the cursor and the field that something is compared with.

use super::Completion;
use crate::complete::columns::literal_type;
use crate::complete::cursor_context::CursorContext;
use crate::complete::sources_of;
use crate::functions::{self, ResultType};
use crate::lexer::TokenKind;
use crate::parser::operators;
use crate::tree::{Program, Type};

impl Completion<'_> {
    /// Known values of the field that is compared at the cursor.
    pub(super) fn values(&self) -> Vec<String> {
        let Some(field) = self.compared_field() else { return Vec::new() };
        let mut values = Vec::new();
        if let Some(query) = self.context.query_before() {
            let program = Program { statements: Vec::new(), query };
            for dataset in sources_of(&program) {
                for value in (self.tables.existing.values)(&dataset, &field) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
        }
        values
    }

    /// The field on the left of a comparison whose right side is at the cursor.
    fn compared_field(&self) -> Option<String> {
        let last = self.context.last()?;
        if is_comparison(self.context, last) {
            let is_negated = last > 0 && self.context.kind_at(last - 1) == Some(&TokenKind::Bang);
            return self.context.field_ending_at(last.checked_sub(1 + usize::from(is_negated))?);
        }
        // In the list behind `in`.
        let open = *self.context.opened().last()?;
        let word = open.checked_sub(1)?;
        if !matches!(self.context.word_at(word), Some("in" | "in~" | "has_any" | "has_any_cs")) {
            return None;
        }
        let is_negated = word > 0 && self.context.kind_at(word - 1) == Some(&TokenKind::Bang);
        self.context.field_ending_at(word.checked_sub(1 + usize::from(is_negated))?)
    }

    /// The types of the operand before the cursor, and whether it is the right side of a comparison.
    pub(super) fn operand_before(&self) -> (Vec<Type>, bool) {
        let Some(last) = self.context.last() else { return (Vec::new(), false) };
        let (start, kinds) = match self.context.kind_at(last) {
            Some(TokenKind::Literal(literal)) => (last, literal_type(literal).into_iter().collect()),
            Some(TokenKind::RightParenthesis) => self.call_before(last),
            _ => {
                let name = self.context.field_ending_at(last).unwrap_or_default();
                let length =
                    if self.context.word_at(last).is_some() { 2 * name.matches('.').count() } else { 2 };
                let found = self.columns.find(&name).map(|field| field.kinds.clone());
                (last.saturating_sub(length), found.unwrap_or_default())
            }
        };
        let is_compared = start.checked_sub(1).is_some_and(|before| is_comparison(self.context, before));
        (kinds, is_compared)
    }

    fn call_before(&self, close: usize) -> (usize, Vec<Type>) {
        let Some(open) = self.context.opening_of(close) else { return (close, Vec::new()) };
        let Some(word) = open.checked_sub(1).and_then(|before| self.context.word_at(before)) else {
            return (open, Vec::new());
        };
        if matches!(word, "in" | "in~" | "has_any" | "has_any_cs" | "between") {
            return (open, vec![Type::Boolean]);
        }
        let found = functions::find(word).or_else(|| functions::find_aggregate(word));
        let kinds = match found.map(|function| function.result) {
            Some(ResultType::Always(kind)) => vec![kind],
            _ => Vec::new(),
        };
        (open - 1, kinds)
    }
}

/// Whether the token at a place compares what is on its two sides.
fn is_comparison(context: &CursorContext<'_>, place: usize) -> bool {
    match context.kind_at(place) {
        Some(
            TokenKind::EqualEqual
            | TokenKind::BangEqual
            | TokenKind::EqualTilde
            | TokenKind::BangTilde
            | TokenKind::Less
            | TokenKind::LessEqual
            | TokenKind::Greater
            | TokenKind::GreaterEqual,
        ) => true,
        Some(TokenKind::Word) => {
            let word = context.word_at(place).unwrap_or_default();
            let is_regex = word == "regex";
            is_regex || (operators::words().any(|existing| existing == word) && !matches!(word, "and" | "or"))
        }
        _ => false,
    }
}
