//! Equality and order of values. Integers and floats compare exactly, texts by their bytes, and a text with anything
//! else as texts. Equality with null is false and inequality true, unless both are null; order with null is unknown.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::builder::BooleanBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_ord::cmp;
use tidegauge_lang::tree::{BinaryOperator, TextTest, Type};

use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};
use crate::kernels::digits::Number;
use crate::kernels::order::{holds, integer_to_float};
use crate::kernels::{convert, digits, json, logic, text};
use crate::search::Search;
use crate::value::Value;

/// Whether two values are equal; unknown where both are null.
pub fn equal(left: &Value, right: &Value) -> Result<Typed> {
    let mut pairs = Vec::new();
    for l in &left.variants {
        for r in &right.variants {
            if let Some(pair) = compared(l, r, BinaryOperator::Equal)? {
                pairs.push(logic::known(pair)?);
            }
        }
    }
    let is_equal = if pairs.is_empty() { logic::constant(false) } else { Typed::any(pairs) };
    if is_never_null(left) || is_never_null(right) {
        return Ok(is_equal);
    }
    let is_any_there = Typed::any(vec![left.exists()?, right.exists()?]);
    logic::choose(is_any_there, is_equal, logic::null(Type::Boolean))
}

/// How one value stands to another; unknown where either is null or they have no order between them.
pub fn ordered(left: &Value, right: &Value, operator: BinaryOperator) -> Result<Typed> {
    let mut pairs = Vec::new();
    for l in &left.variants {
        for r in &right.variants {
            pairs.extend(compared(l, r, operator)?);
        }
    }
    Ok(logic::first_of(pairs)?.unwrap_or_else(|| logic::null(Type::Boolean)))
}

fn is_never_null(value: &Value) -> bool {
    value.variants.iter().any(|variant| variant.as_literal().is_some_and(|literal| literal.is_valid(0)))
}

/// The comparison of two typed values, if they can be compared.
fn compared(left: &Typed, right: &Typed, operator: BinaryOperator) -> Result<Option<Typed>> {
    use Type::{Array, Boolean, Datetime, Dynamic, Float, Integer, LongInteger, Map, String, Timespan};
    let (left, right) = match (left.kind, right.kind) {
        (LongInteger | Dynamic, Integer | Float)
        | (Integer | Float, LongInteger | Dynamic)
        | (LongInteger, LongInteger | Dynamic)
        | (Dynamic, LongInteger) => {
            return digits::compared(left, right, operator, name(operator)).map(Some);
        }
        // An array and a map are equal to others, but have no order.
        (Dynamic, Array | Map) | (Array | Map, Dynamic) if operator != BinaryOperator::Equal => {
            return Ok(None);
        }
        (Dynamic, Dynamic | Array | Map) | (Array | Map, Dynamic) => {
            let values = vec![left.clone(), right.clone()];
            return Typed::call(name(operator), Boolean, values, dynamics(operator)).map(Some);
        }
        (Integer, Float) | (Float, Integer) => {
            let call = Typed::call(
                name(operator),
                Boolean,
                vec![left.clone(), right.clone()],
                mixed_numbers(operator),
            );
            return call.map(Some);
        }
        (l, r) if l == r => (left.clone(), right.clone()),
        (String, Datetime) if left.as_literal().is_some() => {
            (crate::kernels::times::parse(left.clone())?, right.clone())
        }
        (Datetime, String) if right.as_literal().is_some() => {
            (left.clone(), crate::kernels::times::parse(right.clone())?)
        }
        // Beside a number that stands in the query, texts are no numbers.
        (String, Integer | Float | Boolean | LongInteger) if right.as_literal().is_some() => return Ok(None),
        (Integer | Float | Boolean | LongInteger, String) if left.as_literal().is_some() => return Ok(None),
        // A text is compared with the text of the other.
        (String, _) | (_, String) => (convert::to_text(left.clone())?, convert::to_text(right.clone())?),
        (Dynamic, Boolean) => (convert::dynamic_to_boolean(left.clone())?, right.clone()),
        (Boolean, Dynamic) => (left.clone(), convert::dynamic_to_boolean(right.clone())?),
        (Datetime | Timespan, Integer) | (Integer, Datetime | Timespan) => (left.clone(), right.clone()),
        _ => return Ok(None),
    };
    let run = if left.kind == Float { floats(operator) } else { same_type(operator) };
    let (left, right) = if operator == BinaryOperator::Equal && left.as_literal().is_some() {
        (right, left)
    } else {
        (left, right)
    };
    let is_equality = operator == BinaryOperator::Equal && left.kind == String;
    let needle = text::literal_text(&right).filter(|_| is_equality);
    let run = needle.map_or(run, text::wanted::one_text);
    let search = needle.and_then(|needle| Search::new(TextTest::Equals, true, needle));
    Ok(Some(Typed::call(name(operator), Boolean, vec![left, right], run)?.with_search(search)))
}

fn name(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Greater => ">",
        _ => ">=",
    }
}

fn same_type(operator: BinaryOperator) -> Kernel {
    Arc::new(move |values: &[Values], _| {
        let (left, right) = (&values[0], &values[1]);
        let result = match operator {
            BinaryOperator::Equal => cmp::eq(left, right),
            BinaryOperator::NotEqual => cmp::neq(left, right),
            BinaryOperator::Less => cmp::lt(left, right),
            BinaryOperator::LessOrEqual => cmp::lt_eq(left, right),
            BinaryOperator::Greater => cmp::gt(left, right),
            _ => cmp::gt_eq(left, right),
        }?;
        Ok(Arc::new(result) as ArrayRef)
    })
}

/// Floats as numbers: zero is zero with either sign, and what is no number is not equal to anything.
fn floats(operator: BinaryOperator) -> Kernel {
    match operator {
        BinaryOperator::Equal => by(|left, right| left == right),
        BinaryOperator::NotEqual => by(|left, right| left != right),
        BinaryOperator::Less => by(|left, right| left < right),
        BinaryOperator::LessOrEqual => by(|left, right| left <= right),
        BinaryOperator::Greater => by(|left, right| left > right),
        _ => by(|left, right| left >= right),
    }
}

fn by(holds: impl Fn(f64, f64) -> bool + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let (left, right) = (&values[0], &values[1]);
        let of = |values: &Values| values.array().as_primitive::<Float64Type>().clone();
        let (left_floats, right_floats) = (of(left), of(right));
        let bits = match (left, right) {
            (Values::Array(_), Values::Scalar(_)) => {
                let right = right_floats.value(0);
                BooleanBuffer::collect_bool(rows, |row| holds(left_floats.values()[row], right))
            }
            _ => BooleanBuffer::collect_bool(rows, |row| {
                holds(left_floats.value(left.place(row)), right_floats.value(right.place(row)))
            }),
        };
        let nulls = [left, right].map(|values| match values {
            Values::Array(array) => array.nulls().cloned(),
            Values::Scalar(value) => value.is_null(0).then(|| NullBuffer::new_null(rows)),
        });
        let nulls = NullBuffer::union(nulls[0].as_ref(), nulls[1].as_ref());
        Ok(Arc::new(BooleanArray::new(bits, nulls)) as ArrayRef)
    })
}

/// An integer with a float, without going through a float that may be its neighbour.
fn mixed_numbers(operator: BinaryOperator) -> Kernel {
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let (left, right) = (&values[0], &values[1]);
        let is_left_integer = left.array().data_type() == &arrow_schema::DataType::Int64;
        let (integers, floats) = if is_left_integer { (left, right) } else { (right, left) };
        let mut result = BooleanBuilder::with_capacity(rows);
        for row in 0..rows {
            if integers.is_null(row) || floats.is_null(row) {
                result.append_null();
                continue;
            }
            let integer = integers.array().as_primitive::<Int64Type>().value(integers.place(row));
            let float = floats.array().as_primitive::<Float64Type>().value(floats.place(row));
            let order = integer_to_float(integer, float);
            let order = if is_left_integer { order } else { order.map(Ordering::reverse) };
            result.append_value(order.is_some_and(|order| holds(operator, order)));
        }
        let result: BooleanArray = result.finish();
        Ok(Arc::new(result) as ArrayRef)
    })
}

/// Values whose types are known only in their rows: numbers by their size, all others by what they say.
fn dynamics(operator: BinaryOperator) -> Kernel {
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let (left, right) = (&values[0], &values[1]);
        let (lefts, rights) = (left.array().as_string_view(), right.array().as_string_view());
        let mut result = BooleanBuilder::with_capacity(rows);
        for row in 0..rows {
            if left.is_null(row) || right.is_null(row) {
                result.append_null();
                continue;
            }
            let order = dynamic_order(lefts.value(left.place(row)), rights.value(right.place(row)));
            result.append_value(order.is_some_and(|order| holds(operator, order)));
        }
        Ok(Arc::new(result.finish()) as ArrayRef)
    })
}

fn dynamic_order(left: &str, right: &str) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (Number::of_json(left), Number::of_json(right)) {
        return left.order(right);
    }
    // A text is not equal to another value that reads the same.
    let is_text = |json: &str| json.trim_start().starts_with('"');
    let by_text = || json::plain(left).cmp(&json::plain(right));
    Some(by_text().then_with(|| is_text(left).cmp(&is_text(right))))
}
