//! Reads JSON into typed bodies and explains what is wrong in the words of the interface: where the syntax breaks, or
//! which field has a value that is not allowed.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tidegauge_model::{ErrorKind, Rule, Violation};

use crate::error::ApiError;

/// Deepest nesting of a body.
const DEPTH_MAX: usize = 100;

/// Reads a body, which must be an object.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    read_as(bytes).map(|Object(value)| value)
}

/// Reads a body, which must be a list.
pub fn read_list<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, ApiError> {
    read_as(bytes)
}

fn read_as<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Violation::new("body", Rule::Required, "is required").into());
    }
    check_depth(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        // A wrong value is found before broken syntax behind it; the syntax is what to mend first.
        match serde_json::from_slice::<IgnoredAny>(bytes) {
            _ if !error.inner().is_data() => malformed(error.inner()),
            Err(syntax) => malformed(&syntax),
            Ok(_) => violation(&error.path().to_string(), &error.inner().to_string()).into(),
        }
    })?;
    deserializer.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

/// Documents that are kept as text are not read level by level, so the depth is counted beforehand.
fn check_depth(bytes: &[u8]) -> Result<(), ApiError> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for &byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            let message = format!("the JSON is nested deeper than {DEPTH_MAX} levels");
            return Err(ApiError::new(ErrorKind::Malformed, message));
        }
    }
    Ok(())
}

fn malformed(error: &serde_json::Error) -> ApiError {
    let message = format!("malformed JSON at line {}, column {}", error.line(), error.column());
    ApiError::new(ErrorKind::Malformed, message).detail(error.to_string())
}

/// Turns serde's account of a wrong value into a violation. The texts are serde's own and part of its interface to
/// every derived type; a text that is not known here still comes out whole.
fn violation(path: &str, text: &str) -> Violation {
    let path = path.replace('[', ".").replace(']', "");
    let path = if path == "." { "" } else { path.trim_start_matches('.') };
    let text = text.split(" at line ").next().unwrap_or(text);
    let field = |name: &str| {
        let parent = path.strip_suffix(name).map_or(path, |rest| rest.trim_end_matches('.'));
        if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
    };
    if let Some(name) = quoted(text, "missing field ") {
        return Violation::required(field(name));
    }
    if let Some(name) = quoted(text, "duplicate field ") {
        return Violation::new(field(name), Rule::Unique, "is given twice");
    }
    if let Some(name) = quoted(text, "unknown field ") {
        let known = text.split_once(", expected ").map_or("", |(_, known)| known);
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let problem = format!("is not known here; what can be given is [{}]", known.join(" "));
        return Violation::new(field(name), Rule::OneOf, problem);
    }
    let place = if path.is_empty() { "body" } else { path };
    if text.starts_with("invalid type: null") {
        return Violation::required(place);
    }
    match text.split_once(", expected ") {
        Some((_, wanted)) if text.starts_with("invalid ") => Violation::wrong_type(place, in_words(wanted)),
        _ => Violation::new(place, Rule::Type, format!("is wrong: {text}")),
    }
}

/// A wrong value in the query string, from the account that its reader gives.
pub fn violation_in_query(text: &str) -> Violation {
    let text = text.rsplit_once("query string: ").map_or(text, |(_, rest)| rest);
    if let Some(name) = quoted(text, "duplicate field ") {
        return Violation::new(name, Rule::Unique, "is given twice").in_query();
    }
    let (field, problem) = text.split_once(": ").unwrap_or(("query", text));
    let is_number = problem.contains("digit") || problem.contains("number too");
    let problem =
        if is_number { "must be a whole number".to_owned() } else { format!("is wrong: {problem}") };
    Violation::new(field, Rule::Type, problem).in_query()
}

/// The name between backticks after a prefix.
fn quoted<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)?.strip_prefix('`')?.split('`').next()
}

/// What was expected, without the names of Rust's types.
fn in_words(wanted: &str) -> &str {
    match wanted {
        "i64" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        wanted if wanted.starts_with("struct ") => "an object",
        wanted => wanted,
    }
}

/// A struct that is read from an object only. By themselves derived structs can be read from a list as well, field by
/// field, which nobody means.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// For a field that holds a struct.
pub fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| value)
}

/// For a field that may hold a struct.
pub fn optional_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(value)| value))
}

/// For a field that may hold any value, as its text: read as a value, its long numbers would lose digits.
pub fn optional_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    let text = Option::<Box<RawValue>>::deserialize(deserializer)?;
    if let Some(text) = &text {
        // A number beyond the range of floats is refused here.
        serde_json::from_str::<serde_json::Value>(text.get())
            .map_err(<D::Error as serde::de::Error>::custom)?;
    }
    Ok(text)
}

/// For a field that may hold a list of structs.
pub fn optional_objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let objects = Option::<Vec<Object<T>>>::deserialize(deserializer)?;
    Ok(objects.map(|objects| objects.into_iter().map(|Object(value)| value).collect()))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read matters")]
    struct Outer {
        name: String,
        #[serde(deserialize_with = "object")]
        inner: Inner,
        #[serde(default, deserialize_with = "optional_objects")]
        list: Option<Vec<Inner>>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read matters")]
    struct Inner {
        limit: Option<i64>,
        flag: Option<bool>,
    }

    #[test]
    fn each_mistake_is_named_in_the_words_of_the_interface() {
        let cases = [
            ("", "body in body is required"),
            ("[\"a\", {}, null]", "body in body must be an object"),
            ("\"a\"", "body in body must be an object"),
            ("{}", "name in body is required"),
            ("{\"name\": null}", "name in body is required"),
            ("{\"name\": 1}", "name in body must be a string"),
            ("{\"name\": \"a\"}", "inner in body is required"),
            ("{\"name\": \"a\", \"name\": \"b\"}", "name in body is given twice"),
            ("{\"name\": \"a\", \"inner\": [1, true]}", "inner in body must be an object"),
            ("{\"name\": \"a\", \"inner\": {\"limit\": 1.5}}", "inner.limit in body must be a whole number"),
            ("{\"name\": \"a\", \"inner\": {\"flag\": \"yes\"}}", "inner.flag in body must be true or false"),
            ("{\"name\": \"a\", \"inner\": {}, \"list\": {}}", "list in body must be a list"),
            ("{\"name\": \"a\", \"inner\": {}, \"list\": [{}, 5]}", "list.1 in body must be an object"),
            ("{\"name\": 1, ", "malformed JSON at line 1, column 12"),
            ("[1,2", "malformed JSON at line 1, column 4"),
            ("{\"name\": \"a\", \"inner\": {}} x", "malformed JSON at line 1, column 28"),
        ];
        for (text, expected) in cases {
            let error = read::<Outer>(text.as_bytes()).unwrap_err();
            assert_eq!(error.body.message, expected, "{text}");
        }
    }

    #[test]
    fn the_query_string_is_explained_too() {
        let text = "Failed to deserialize query string: limit: invalid digit found in string";
        assert_eq!(violation_in_query(text).to_string(), "limit in query must be a whole number");
        let text = "Failed to deserialize query string: duplicate field `limit`";
        assert_eq!(violation_in_query(text).to_string(), "limit in query is given twice");
    }
}
