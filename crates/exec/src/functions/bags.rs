//! Functions of maps. What is no map gives null.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, MANY, function};
use super::elements::{self, members, write_member};
use super::paths::leads_somewhere;
use super::rows;
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("bag_keys", 1, 1, keys),
    function("bag_has_key", 2, 2, has_key),
    function("bag_pack", 1, MANY, pack),
    function("pack", 1, MANY, pack),
    function("pack_dictionary", 2, MANY, pack),
    function("bag_zip", 2, 2, zip),
];

fn keys(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let members = members(row.text(0))?;
        elements::write_array(text, members.keys(), |name, text| json::write_string(name, text));
        Some(())
    });
    call.result(Type::Array, [call.json(0)?], run)
}

/// Whether a map has a key, or something at a path into it, which begins with `$`.
fn has_key(call: &Call<'_>) -> Result<Value> {
    let run = rows::booleans(|row| {
        let (map, key) = (row.text(0), row.text(1));
        let has = || json::member(map, key).is_some() || (key.starts_with('$') && leads_somewhere(map, key));
        map.trim_start().starts_with('{').then(has)
    });
    call.result(Type::Boolean, [call.json(0)?, call.text(1)?], run)
}

/// A map of names and values in turn. A null value stays in it.
fn pack(call: &Call<'_>) -> Result<Value> {
    if call.count() % 2 == 1 {
        let hint = format!("write `{}(\"name\", value, \"name\", value)`", call.name);
        return Err(call.invalid(format!("`{}` takes pairs of a name and a value", call.name), hint));
    }
    let run = call.texts_of_all(|row, text| {
        text.push('{');
        for place in (0..row.count()).step_by(2).filter(|place| !row.is_null(*place)) {
            let value = if row.is_null(place + 1) { "null" } else { row.text(place + 1) };
            write_member(text, row.text(place), |text| text.push_str(value));
        }
        text.push('}');
        Some(())
    });
    let argument = |place: usize| if place.is_multiple_of(2) { call.text(place) } else { call.json(place) };
    let arguments = (0..call.count()).map(argument).collect::<Result<Vec<_>>>()?;
    call.result_of_all(Type::Map, arguments, run)
}

/// A map of an array of names and one of values, as long as the shorter. Names that are no texts are left out.
fn zip(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let (names, values) = (elements::elements(row.text(0))?, elements::elements(row.text(1))?);
        let mut name = String::new();
        text.push('{');
        let named = names.into_iter().zip(values).filter(|(key, _)| key.get().starts_with('"'));
        for (key, value) in named {
            name.clear();
            json::write_plain(key.get(), &mut name);
            write_member(text, &name, |text| text.push_str(value.get()));
        }
        text.push('}');
        Some(())
    });
    call.result(Type::Map, [call.json(0)?, call.json(1)?], run)
}
