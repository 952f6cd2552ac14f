//! JSON documents of callers, which are kept and repeated as they came in: numbers, order and all. Reading one is only
//! for checking it.

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tidegauge_model::{Rule, Violation};

/// Reads a document that must be an object of limited size.
pub fn read_object(field: &str, raw: &RawValue, bytes_max: usize) -> Result<Map<String, Value>, Violation> {
    if raw.get().len() > bytes_max {
        let problem = format!("should be at most {bytes_max} bytes of JSON");
        return Err(Violation::new(field, Rule::TooLong, problem));
    }
    match serde_json::from_str(raw.get()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Null) => Err(Violation::required(field)),
        _ => Err(Violation::wrong_type(field, "an object")),
    }
}
