//! The elements of arrays in order: numbers by their size, then texts, then the rest. Nulls are last either way unless
//! they are wanted first. Further arrays follow the order of the first.

use std::cmp::Ordering;

use serde_json::value::RawValue;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, MANY, function};
use super::elements::{elements, write_array, write_raw};
use crate::error::Result;
use crate::kernels::digits::Number;
use crate::kernels::{convert, logic};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("array_sort_asc", 1, MANY, |call| sort(call, false)),
    function("array_sort_desc", 1, MANY, |call| sort(call, true)),
];

/// One array sorted, or an array of all of them where there are several. A last argument that is true or false says
/// whether nulls are last. What is no array counts as an empty one.
fn sort(call: &Call<'_>, is_descending: bool) -> Result<Value> {
    let last = call.count() - 1;
    let has_flag = last > 0 && call.value(last).of_type(Type::Boolean).is_some();
    let count = if has_flag { last } else { call.count() };
    let run = call.texts_of_all(move |row, text| {
        if row.is_null(0) {
            return None;
        }
        let are_nulls_first = !row.is_null(count) && row.text(count) == "false";
        let first = elements(row.text(0)).unwrap_or_default();
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.sort_by(|one, other| compared(first[*one], first[*other], is_descending, are_nulls_first));
        if count == 1 {
            write_raw(text, order.iter().map(|place| first[*place]));
            return Some(());
        }
        write_array(text, 0..count, |place, text| {
            let array = if row.is_null(place) { None } else { elements(row.text(place)) };
            match array.filter(|array| array.len() == first.len()) {
                Some(array) => write_raw(text, order.iter().map(|place| array[*place])),
                None => text.push_str("null"),
            }
        });
        Some(())
    });
    let Some(first) = call.json(0)? else { return Ok(Value::NULL) };
    let mut arguments = vec![Some(first)];
    for place in 1..count {
        arguments.push(call.json(place)?);
    }
    let flag = if has_flag { call.condition(last)? } else { logic::constant(true) };
    arguments.push(Some(convert::to_json(flag)?));
    call.result_of_all(Type::Array, arguments, run)
}

fn compared(one: &RawValue, other: &RawValue, is_descending: bool, are_nulls_first: bool) -> Ordering {
    let ((one_rank, one), (other_rank, other)) = (rank(one.get()), rank(other.get()));
    let nulls = (one_rank == NULL_RANK).cmp(&(other_rank == NULL_RANK));
    let order = match (Number::of_json(one), Number::of_json(other)) {
        (Some(one), Some(other)) if one_rank == 0 && other_rank == 0 => {
            one.order(other).unwrap_or(Ordering::Equal)
        }
        _ => one.cmp(other),
    };
    let nulls = if are_nulls_first { nulls.reverse() } else { nulls };
    nulls.then(one_rank.cmp(&other_rank)).then(if is_descending { order.reverse() } else { order })
}

const NULL_RANK: u8 = 3;

/// Which kind of value comes first, and the text that orders values of one kind.
fn rank(json: &str) -> (u8, &str) {
    let rank = match json.as_bytes().first() {
        Some(b'0'..=b'9' | b'-') => 0,
        // Without the quotes, so that a text comes before a longer one.
        Some(b'"') => return (1, json.trim_matches('"')),
        Some(b'n') => NULL_RANK,
        _ => 2,
    };
    (rank, json)
}
