//! Null, not, and the first of several values: what conditions are made of.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use tidegauge_lang::tree::Type;

use crate::error::Result;
use crate::expr::{At, Typed, Values};

/// The first that is not null, row by row. All have one type.
pub fn first_of(mut parts: Vec<Typed>) -> Result<Option<Typed>> {
    if parts.len() < 2 {
        return Ok(parts.pop());
    }
    let kind = parts[0].kind;
    let run = |values: &[Values], At { rows, .. }: At<'_>| {
        let mut so_far: Option<ArrayRef> = None;
        for value in values {
            // A type that no row of these has costs nothing.
            if matches!(value, Values::Scalar(scalar) if scalar.is_null(0)) {
                continue;
            }
            let next = value.clone().into_array(rows)?;
            so_far = Some(match so_far {
                None => next,
                Some(before) if before.null_count() == 0 => return Ok(before),
                Some(before) => {
                    let is_there = arrow_arith::boolean::is_not_null(&before)?;
                    arrow_select::zip::zip(&is_there, &before, &next)?
                }
            });
        }
        match so_far {
            Some(array) => Ok(array),
            None => values[0].clone().into_array(rows),
        }
    };
    Typed::call("first_of", kind, parts, Arc::new(run)).map(Some)
}

pub fn not(condition: Typed) -> Result<Typed> {
    let run = |values: &[Values], _: At<'_>| {
        Ok(Arc::new(arrow_arith::boolean::not(values[0].array().as_boolean())?) as ArrayRef)
    };
    Typed::call("not", Type::Boolean, vec![condition], Arc::new(run))
}

/// Whether one of several is there, row by row.
pub fn exists(parts: &[Typed]) -> Result<Typed> {
    let parts = parts.iter().map(|part| {
        let run = |values: &[Values], _: At<'_>| {
            Ok(Arc::new(arrow_arith::boolean::is_not_null(values[0].array())?) as ArrayRef)
        };
        Typed::call("is_not_null", Type::Boolean, vec![part.clone()], Arc::new(run))
    });
    let parts = parts.collect::<Result<Vec<Typed>>>()?;
    Ok(if parts.is_empty() { constant(false) } else { Typed::any(parts) })
}

pub fn constant(value: bool) -> Typed {
    Typed::literal(Type::Boolean, Arc::new(BooleanArray::from(vec![value])))
}

/// One value where a condition is true, another where it is not or is unknown.
pub fn choose(condition: Typed, then: Typed, otherwise: Typed) -> Result<Typed> {
    let kind = then.kind;
    let run = |values: &[Values], At { rows, .. }: At<'_>| {
        let condition = values[0].clone().into_array(rows)?;
        let is_true = BooleanArray::new(crate::expr::true_bits(condition.as_boolean()), None);
        let (then, otherwise) = (values[1].clone().into_array(rows)?, values[2].clone().into_array(rows)?);
        Ok(arrow_select::zip::zip(&is_true, &then, &otherwise)?)
    };
    Typed::call("choose", kind, vec![condition, then, otherwise], Arc::new(run))
}

/// An unknown condition as false.
pub fn known(condition: Typed) -> Result<Typed> {
    let run = |values: &[Values], _: At<'_>| {
        let bits: BooleanBuffer = crate::expr::true_bits(values[0].array().as_boolean());
        Ok(Arc::new(BooleanArray::new(bits, None)) as ArrayRef)
    };
    Typed::call("known", Type::Boolean, vec![condition], Arc::new(run))
}

/// A null of a type.
pub fn null(kind: Type) -> Typed {
    Typed::literal(kind, arrow_array::new_null_array(&crate::types::arrow_type(kind), 1))
}
