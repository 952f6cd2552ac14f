//! `tostring`, `toint` and their kin: a value in another type, null where it has no counterpart.

use tidegauge_lang::tree::Type;

use crate::Result;
use crate::expr::Typed;
use crate::functions::{convert, logic, times};
use crate::value::Value;

pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Option<Value>> {
    let Some(value) = arguments.first() else { return Ok(None) };
    let each = |convert: fn(Typed) -> Result<Typed>| {
        let converted = value.variants.iter().map(|variant| convert(variant.clone()));
        Ok(Some(
            logic::first_of(converted.collect::<Result<Vec<Typed>>>()?)?.map(Value::from).unwrap_or_default(),
        ))
    };
    match name {
        "tostring" => each(convert::to_text),
        "toint" | "tolong" => each(convert::parse_integer),
        "todouble" | "toreal" => each(convert::parse_float),
        "tobool" => each(convert::parse_boolean),
        "todatetime" => match value.datetime() {
            Some(time) => Ok(Some(time.into())),
            None => Ok(Some(
                value
                    .of_type(Type::String)
                    .cloned()
                    .map(times::parse)
                    .transpose()?
                    .map(Value::from)
                    .unwrap_or_default(),
            )),
        },
        _ => Ok(None),
    }
}
