//! A value of an expression as the binder sees it: a field that mixes types has one expression for each, of which at
//! most one is not null in a row. What uses a value asks for it in the type it needs: a number, a text, a condition.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use tidegauge_lang::tree::{Literal, Type};

use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::{convert, digits, logic};

/// A value in every type that it may have. None at all is null.
#[derive(Clone, Debug, Default)]
pub struct Value {
    pub variants: Vec<Typed>,
}

impl From<Typed> for Value {
    fn from(typed: Typed) -> Self {
        Self { variants: vec![typed] }
    }
}

impl Value {
    pub const NULL: Self = Self { variants: Vec::new() };

    pub fn literal(literal: &Literal) -> Self {
        let (kind, array): (Type, ArrayRef) = match literal {
            Literal::Null => return Self::NULL,
            Literal::Boolean(value) => (Type::Boolean, Arc::new(BooleanArray::from(vec![*value]))),
            Literal::Integer(value) => (Type::Integer, Arc::new(Int64Array::from(vec![*value]))),
            Literal::Float(value) => (Type::Float, Arc::new(Float64Array::from(vec![*value]))),
            Literal::LongInteger(digits) => (Type::LongInteger, text_array(digits)),
            Literal::String(value) => (Type::String, text_array(value)),
            Literal::Datetime(value) => (Type::Datetime, Arc::new(Int64Array::from(vec![*value]))),
            Literal::Timespan(value) => (Type::Timespan, Arc::new(Int64Array::from(vec![*value]))),
            Literal::Dynamic(json) => {
                let kind = match json.trim_start().as_bytes().first() {
                    Some(b'[') => Type::Array,
                    Some(b'{') => Type::Map,
                    _ => Type::Dynamic,
                };
                (kind, text_array(json))
            }
        };
        Typed::literal(kind, array).into()
    }

    /// What JSON text says, as a value of the query.
    pub fn of_json(json: &str) -> Self {
        Self::literal(&literal_of_json(json))
    }

    /// Whether it is null in every row.
    pub fn is_null(&self) -> bool {
        self.variants.is_empty()
    }

    /// Whether it is there, row by row.
    pub fn exists(&self) -> Result<Typed> {
        logic::exists(&self.variants)
    }

    /// How long the texts are that it holds by itself, whatever the rows are.
    pub fn literal_bytes(&self) -> usize {
        let literals = self.variants.iter().filter_map(Typed::as_literal);
        let texts = literals.filter_map(|literal| literal.as_string_view_opt());
        texts.flat_map(StringViewArray::iter).flatten().map(str::len).sum()
    }

    pub fn types(&self) -> Vec<Type> {
        self.variants.iter().map(|variant| variant.kind).collect()
    }

    pub fn of_type(&self, kind: Type) -> Option<&Typed> {
        self.variants.iter().find(|variant| variant.kind == kind)
    }

    /// The text of whatever it is.
    pub fn text(&self) -> Result<Option<Typed>> {
        let texts = self.variants.iter().map(|variant| convert::to_text(variant.clone()));
        logic::first_of(texts.collect::<Result<Vec<Typed>>>()?)
    }

    /// The numbers among its values: integers where there are only such of 64 bits, else floats. Texts are not parsed.
    /// A value whose type is known only at run time gives the numbers it holds.
    pub fn number(&self) -> Result<Option<Typed>> {
        let integer = self.of_type(Type::Integer);
        let others = [Type::Float, Type::Dynamic, Type::LongInteger].map(|kind| self.of_type(kind));
        let mut floats = Vec::new();
        for other in others.into_iter().flatten() {
            floats.push(convert::to_float(other.clone())?);
        }
        match (integer, floats.is_empty()) {
            (Some(integer), true) => Ok(Some(integer.clone())),
            (None, true) => Ok(None),
            (integer, false) => {
                if let Some(integer) = integer {
                    floats.push(convert::to_float(integer.clone())?);
                }
                logic::first_of(floats)
            }
        }
    }

    /// The numbers among its values as floats.
    pub fn float(&self) -> Result<Option<Typed>> {
        self.number()?.map(convert::to_float).transpose()
    }

    /// What a condition is made of: booleans as they are; anything else is no condition.
    pub fn condition(&self) -> Result<Option<Typed>> {
        let dynamic = self.of_type(Type::Dynamic).cloned().map(convert::dynamic_to_boolean).transpose()?;
        logic::first_of(self.of_type(Type::Boolean).cloned().into_iter().chain(dynamic).collect())
    }

    /// The times among its values.
    pub fn datetime(&self) -> Option<Typed> {
        self.of_type(Type::Datetime).cloned()
    }

    /// JSON text of whatever it is, so that values of all types stand in one column. Dynamic values are as they were
    /// written, and a float beyond 64 bits is one whatever stands beside it.
    pub fn json(&self) -> Result<Option<Typed>> {
        let texts = self.variants.iter().map(|variant| convert::to_json(variant.clone()));
        logic::first_of(texts.collect::<Result<Vec<Typed>>>()?)
    }

    /// JSON text that tells values apart: equal numbers have equal texts, however they are written and wherever they
    /// stand.
    pub fn json_key(&self) -> Result<Option<Typed>> {
        self.json_key_beside(false)
    }

    /// The same for values that are compared with others. Where some of either may be long integers, a whole float is
    /// one with the long integer that it is equal to.
    pub fn json_key_beside(&self, has_long: bool) -> Result<Option<Typed>> {
        let has_long = has_long || self.may_have_long_integers();
        let texts = self.variants.iter().map(|variant| match variant.kind {
            Type::Float if has_long => digits::float_to_json(variant.clone()),
            Type::Dynamic => digits::dynamic_key(variant.clone()),
            _ => convert::to_json(variant.clone()),
        });
        logic::first_of(texts.collect::<Result<Vec<Typed>>>()?)
    }

    /// Whether some of its values are integers beyond 64 bits, or may be at run time.
    pub fn may_have_long_integers(&self) -> bool {
        self.has_long_integers() || self.of_type(Type::Dynamic).is_some()
    }

    /// Whether some of its values are integers beyond 64 bits.
    pub fn has_long_integers(&self) -> bool {
        self.of_type(Type::LongInteger).is_some()
    }

    /// The numbers among its values, each in its type, and what may be numbers inside of dynamic values.
    pub fn only_numbers(&self) -> Self {
        let kinds = [Type::Integer, Type::Float, Type::LongInteger, Type::Dynamic];
        Self { variants: kinds.into_iter().filter_map(|kind| self.of_type(kind).cloned()).collect() }
    }

    /// One column that tells values apart: by its own type where there is one, as JSON where types are mixed.
    pub fn key(&self) -> Result<Option<Typed>> {
        match self.variants.as_slice() {
            [] => Ok(None),
            [only] if only.kind == Type::Float => convert::with_one_zero(only.clone()).map(Some),
            // The order of digits as texts is not that of the numbers.
            [only] if !matches!(only.kind, Type::LongInteger | Type::Dynamic) => Ok(Some(only.clone())),
            _ => self.json_key(),
        }
    }
}

fn text_array(text: &str) -> ArrayRef {
    Arc::new(StringViewArray::from(vec![text]))
}

/// What JSON text says, as a literal of the query.
pub fn literal_of_json(json: &str) -> Literal {
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(serde_json::Value::Null) | Err(_) => Literal::Null,
        Ok(serde_json::Value::Bool(value)) => Literal::Boolean(value),
        Ok(serde_json::Value::String(text)) => Literal::String(text),
        Ok(serde_json::Value::Number(_)) => Literal::number(json.trim()).unwrap_or(Literal::Null),
        Ok(serde_json::Value::Array(_) | serde_json::Value::Object(_)) => Literal::Dynamic(json.to_owned()),
    }
}
