//! A JSON merge patch (RFC 7396) of one chart, on texts: what the patch does not name keeps its text, digit by digit.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use tidegauge_model::ErrorKind;

use super::document::{BYTES_MAX, read};
use super::fault::invalid;
use crate::service::{Error, Result};

/// The members of an object in their order, each with its text.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor).map(Self)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> std::result::Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

/// The members of what is an object.
fn members(value: &RawValue) -> Option<Members<'_>> {
    serde_json::from_str(value.get()).ok()
}

/// Refuses a patch that is none, or that would give the chart another id.
pub(super) fn check_patch(patch: &RawValue, chart: &str) -> Result<()> {
    if patch.get().len() > BYTES_MAX {
        return Err(invalid("chart", format!("should be at most {BYTES_MAX} bytes of JSON")));
    }
    match read(patch.get())? {
        Value::Object(members) => match members.get("id") {
            None => Ok(()),
            Some(id) if id == chart => Ok(()),
            Some(_) => Err(invalid("chart id", "must be the id of the path: a chart keeps its id")),
        },
        _ => Err(invalid("chart", "must be an object")),
    }
}

/// The document with the patch applied to one of its charts; none if it has no such chart.
pub(super) fn patched(document: &str, chart: &str, patch: &RawValue) -> Result<Option<String>> {
    let damaged = |_| Error::new(ErrorKind::Corrupt, "the request could not be completed");
    let Members(parts) = serde_json::from_str(document).map_err(damaged)?;
    let mut was_found = false;
    let mut written = Vec::with_capacity(parts.len());
    for (key, value) in parts {
        if key != "charts" {
            written.push(member(&key, value.get()));
            continue;
        }
        let charts: Vec<&RawValue> = serde_json::from_str(value.get()).map_err(damaged)?;
        let charts: Vec<String> = charts
            .into_iter()
            .map(|present| {
                if !is_chart(present, chart) {
                    return present.get().to_owned();
                }
                was_found = true;
                merged(Some(present), patch)
            })
            .collect();
        written.push(member(&key, &format!("[{}]", charts.join(","))));
    }
    Ok(was_found.then(|| format!("{{{}}}", written.join(","))))
}

fn is_chart(present: &RawValue, id: &str) -> bool {
    #[derive(Deserialize)]
    struct Identified {
        id: String,
    }
    serde_json::from_str::<Identified>(present.get()).is_ok_and(|identified| identified.id == id)
}

fn merged(present: Option<&RawValue>, patch: &RawValue) -> String {
    let Some(Members(changes)) = members(patch) else {
        return patch.get().to_owned();
    };
    let before = present.and_then(members).map_or_else(Vec::new, |Members(before)| before);
    let known: HashSet<&str> = before.iter().map(|(key, _)| key.as_str()).collect();
    let by_key: HashMap<&str, &RawValue> =
        changes.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let mut written = Vec::new();
    for (key, value) in &before {
        match by_key.get(key.as_str()) {
            None => written.push(member(key, value.get())),
            Some(change) if is_null(change) => {}
            Some(change) => written.push(member(key, &merged(Some(*value), change))),
        }
    }
    let added = changes.iter().filter(|(key, change)| !known.contains(key.as_str()) && !is_null(change));
    written.extend(added.map(|(key, change)| member(key, &merged(None, change))));
    format!("{{{}}}", written.join(","))
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

fn member(key: &str, text: &str) -> String {
    format!("{}:{text}", Value::from(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn the_examples_of_the_standard_come_out() {
        let cases = [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ];
        for (target, patch, expected) in cases {
            assert_eq!(merged(Some(&raw(target)), &raw(patch)), expected, "{target} with {patch}");
        }
    }

    #[test]
    fn what_a_patch_does_not_name_keeps_its_text() {
        let document = r#"{ "n": 1.50, "charts": [{"id": "a", "v": 1.0e2, "o": { "x" : 0.10 }}, { "id": "b" }],  "z": 12345678901234567890 }"#;
        let patch = raw(r#"{"name": "é", "o": {"y": 2.0}}"#);
        let expected = concat!(
            r#"{"n":1.50,"charts":[{"id":"a","v":1.0e2,"o":{"x":0.10,"y":2.0},"name":"é"},{ "id": "b" }],"#,
            r#""z":12345678901234567890}"#
        );
        assert_eq!(patched(document, "a", &patch).unwrap().as_deref(), Some(expected));
        assert_eq!(patched(document, "c", &patch).unwrap(), None);
        assert_eq!(patched("[]", "a", &patch).unwrap_err().kind, ErrorKind::Corrupt);
    }

    #[test]
    fn a_patch_is_an_object_and_keeps_the_id() {
        for good in [r#"{"id": "a"}"#, r#"{"name": null}"#, "{}"] {
            assert!(check_patch(&raw(good), "a").is_ok(), "{good}");
        }
        for bad in ["[]", "null", r#"{"id": "b"}"#, r#"{"id": null}"#, r#"{"a": 1, "a": 2}"#] {
            assert_eq!(check_patch(&raw(bad), "a").unwrap_err().kind, ErrorKind::Malformed, "{bad}");
        }
    }
}
