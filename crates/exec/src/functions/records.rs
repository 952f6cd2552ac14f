//! Lines of comma-separated values.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::elements;
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[function("parse_csv", 1, 1, parse_csv)];

/// The values of the first record.
fn parse_csv(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let values = values(row.text(0));
        elements::write_array(text, &values, |value, text| json::write_string(value, text));
        Some(())
    });
    call.result(Type::Array, [call.text(0)?], run)
}

/// Values stand between commas, without the blanks around them. In quotes they hold anything, a quote as two.
fn values(record: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut rest = record;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let mut value = String::new();
        while let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"').unwrap_or(quoted.len());
            value.push_str(&quoted[..end]);
            rest = quoted.get(end + 1..).unwrap_or_default();
            if rest.starts_with('"') {
                value.push('"');
            }
        }
        let end = rest.find([',', '\n', '\r']).unwrap_or(rest.len());
        value.push_str(rest[..end].trim_end_matches([' ', '\t']));
        values.push(value);
        match rest[end..].strip_prefix(',') {
            Some(after) => rest = after,
            None => return values,
        }
    }
}
