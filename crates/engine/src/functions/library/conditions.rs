//! Choices and tests for null.

use crate::Result;
use crate::functions::logic;
use crate::value::Value;

pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Option<Value>> {
    let Some(value) = arguments.first() else { return Ok(None) };
    match name {
        "isnull" => Ok(Some(logic::not(logic::exists(value)?)?.into())),
        "isnotnull" => Ok(Some(logic::exists(value)?.into())),
        _ => Ok(None),
    }
}
