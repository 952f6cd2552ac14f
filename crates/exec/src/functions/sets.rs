//! Arrays as sets: each value once, in the order of the first array.

use hashbrown::HashSet;
use serde_json::value::RawValue;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, MANY, function};
use super::elements::{elements, key, write_raw};
use super::rows::{self, Row};
use crate::error::Result;
use crate::expr::Typed;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("set_union", 2, MANY, union),
    function("set_intersect", 2, MANY, |call| filtered(call, true)),
    function("set_difference", 2, MANY, |call| filtered(call, false)),
    function("set_has_element", 2, 2, has_element),
];

fn arrays(call: &Call<'_>) -> Result<Option<Vec<Typed>>> {
    (0..call.count()).map(|place| call.json(place)).collect()
}

fn keys(row: Row<'_, '_>, place: usize) -> Option<HashSet<String>> {
    Some(elements(row.text(place))?.into_iter().map(|element| key(element.get())).collect())
}

fn union(call: &Call<'_>) -> Result<Value> {
    let Some(arrays) = arrays(call)? else { return Ok(Value::NULL) };
    let run = call.texts(|row, text| {
        let mut seen = HashSet::new();
        let mut all: Vec<&RawValue> = Vec::new();
        for place in 0..row.count() {
            all.extend(
                elements(row.text(place))?.into_iter().filter(|element| seen.insert(key(element.get()))),
            );
        }
        write_raw(text, all);
        Some(())
    });
    Ok(Typed::call(call.name, Type::Array, arrays, run)?.into())
}

/// What of the first array is in all others, or in none of them.
fn filtered(call: &Call<'_>, is_in: bool) -> Result<Value> {
    let Some(arrays) = arrays(call)? else { return Ok(Value::NULL) };
    let run = call.texts(move |row, text| {
        let others = (1..row.count()).map(|place| keys(row, place)).collect::<Option<Vec<_>>>()?;
        let mut seen = HashSet::new();
        let mut first = elements(row.text(0))?;
        first.retain(|element| {
            let key = key(element.get());
            others.iter().all(|other| other.contains(&key) == is_in) && seen.insert(key)
        });
        write_raw(text, first);
        Some(())
    });
    Ok(Typed::call(call.name, Type::Array, arrays, run)?.into())
}

fn has_element(call: &Call<'_>) -> Result<Value> {
    let run = rows::booleans(|row| {
        let wanted = key(row.text(1));
        Some(elements(row.text(0))?.into_iter().any(|element| key(element.get()) == wanted))
    });
    call.result(Type::Boolean, [call.json(0)?, call.json(1)?], run)
}
