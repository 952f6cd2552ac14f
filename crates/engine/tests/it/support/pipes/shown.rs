//! The rows of an answer beside those that it must have: as lists where the query gives an order, else as the same
//! rows in any order. Numbers are equal whatever their type, floats within what summing in another order changes.

use serde_json::Value as Json;
use tidegauge_engine::Table as Answered;

use super::table::Table;
use super::value::Val;
use crate::support::reply::value;

/// Why an answer is not what it must be.
pub(crate) fn compare(expected: &Table, found: &Answered) -> Result<(), String> {
    let is_shown = |name: &str| !name.starts_with("_sysTime");
    let wanted_names: Vec<&str> = expected.names().into_iter().filter(|name| is_shown(name)).collect();
    let found_names: Vec<&str> =
        found.fields.iter().map(|field| field.name.as_str()).filter(|name| is_shown(name)).collect();
    let sorted = |names: &[&str]| {
        let mut names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        names.sort();
        names
    };
    let is_same = if expected.has_column_order {
        wanted_names == found_names
    } else {
        sorted(&wanted_names) == sorted(&found_names)
    };
    if !is_same {
        return Err(format!("columns {found_names:?}, not {wanted_names:?}"));
    }
    let is_listed = |name: &str| expected.listed.iter().any(|listed| listed == name);
    let wanted_row = |row: &Vec<Val>| {
        let cell = |name: &&str| text(&row[expected.place(name).unwrap()].json(), is_listed(name));
        wanted_names.iter().map(cell).collect::<Vec<String>>().join(" | ")
    };
    let found_row = |row: usize| {
        let field = |name: &&str| found.fields.iter().find(|field| field.name == **name).unwrap();
        let cell = |name: &&str| text(&value(field(name), row), is_listed(name));
        wanted_names.iter().map(cell).collect::<Vec<String>>().join(" | ")
    };
    let mut wanted: Vec<String> = expected.rows.iter().map(wanted_row).collect();
    let mut given: Vec<String> = (0..found.rows).map(found_row).collect();
    if !expected.is_ordered {
        wanted.sort();
        given.sort();
    }
    if wanted == given {
        return Ok(());
    }
    let rows = |rows: &[String]| rows.iter().map(|row| format!("    {row}\n")).collect::<String>();
    Err(format!("columns {wanted_names:?}\n  found\n{}  not\n{}", rows(&given), rows(&wanted)))
}

/// A value as a text that equal values have in common. Lists are sorted where they have no order.
fn text(json: &Json, is_listed: bool) -> String {
    match json {
        Json::Number(number) if number.is_u64() || number.is_i64() => number.to_string(),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => integer.to_string(),
            (None, Some(float)) if float.fract() == 0.0 && float.abs() < 1e20 => (float as i128).to_string(),
            (None, float) => format!("{:.9e}", float.unwrap()),
        },
        Json::Array(elements) => {
            let mut texts: Vec<String> = elements.iter().map(|element| text(element, is_listed)).collect();
            if !is_listed {
                texts.sort();
            }
            format!("[{}]", texts.join(", "))
        }
        other => other.to_string(),
    }
}
