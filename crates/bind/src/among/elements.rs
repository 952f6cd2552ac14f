//! The elements of a list, by what they are: literals as plain values, which take little room however many there are,
//! and expressions.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::json;
use tidegauge_lang::tree::{Literal, Type};

/// A number that stands in the query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

/// A literal of a list.
pub(super) enum Element {
    Text(String),
    Number(Number),
    Time(i64),
    Timespan(i64),
    LongInteger(String),
}

impl Element {
    pub(super) fn into_value(self) -> Value {
        Value::literal(&match self {
            Self::Text(text) => Literal::String(text),
            Self::Number(Number::Integer(integer)) => Literal::Integer(integer),
            Self::Number(Number::Float(float)) => Literal::Float(float),
            Self::Time(time) => Literal::Datetime(time),
            Self::Timespan(timespan) => Literal::Timespan(timespan),
            Self::LongInteger(digits) => Literal::LongInteger(digits),
        })
    }
}

/// All elements of a list. Nothing is equal to null, so there are none of these.
#[derive(Default)]
pub(super) struct Elements {
    pub(super) texts: Vec<String>,
    pub(super) numbers: Vec<Number>,
    pub(super) times: Vec<i64>,
    pub(super) timespans: Vec<i64>,
    /// The digits of integers beyond 64 bits.
    pub(super) long_integers: Vec<String>,
    /// What is tested for itself: expressions, and literals of other types.
    pub(super) singles: Vec<Value>,
}

impl Elements {
    pub(super) fn add(&mut self, value: Value) {
        let literal = match value.variants.as_slice() {
            [] => return,
            [only] => only.as_literal().map(|literal| (only.kind, literal)),
            _ => None,
        };
        let Some((kind, literal)) = literal else {
            self.singles.push(value);
            return;
        };
        if literal.is_null(0) {
            return;
        }
        let whole = || literal.as_primitive::<Int64Type>().value(0);
        match kind {
            Type::String => self.texts.push(literal.as_string_view().value(0).to_owned()),
            Type::Integer => self.numbers.push(Number::Integer(whole())),
            Type::Float => self.numbers.push(Number::Float(literal.as_primitive::<Float64Type>().value(0))),
            Type::Datetime => self.times.push(whole()),
            Type::Timespan => self.timespans.push(whole()),
            Type::LongInteger => self.long_integers.push(literal.as_string_view().value(0).to_owned()),
            Type::Boolean | Type::Array | Type::Map | Type::Dynamic => self.singles.push(value),
        }
    }

    /// Adds the elements of an array that stands in the query, and of the arrays in it. Tells whether it is one.
    pub(super) fn add_array(&mut self, value: &Value) -> bool {
        let Some(literal) = value.of_type(Type::Array).and_then(Typed::as_literal) else { return false };
        literal.is_null(0) || self.add_json(literal.as_string_view().value(0))
    }

    fn add_json(&mut self, array: &str) -> bool {
        let Some(elements) = json::elements(array) else { return false };
        for element in elements {
            match serde_json::from_str::<&str>(element) {
                // Most lists hold short texts, of which each would be an array of its own.
                Ok(text) => self.texts.push(text.to_owned()),
                Err(_) => {
                    let value = Value::of_json(element);
                    if value.of_type(Type::Array).is_none() || !self.add_json(element) {
                        self.add(value);
                    }
                }
            }
        }
        true
    }
}
