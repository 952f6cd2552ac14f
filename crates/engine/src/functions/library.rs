//! The functions that a query calls by name, by family.

mod conditions;
mod conversions;

use crate::Result;
use crate::value::Value;

/// Calls a function; none where there is no such.
pub(crate) fn call(name: &str, arguments: &[Value], now: i64) -> Result<Option<Value>> {
    let _ = now;
    for family in [conversions::call, conditions::call] {
        if let Some(value) = family(name, arguments)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}
