//! Addresses and their parts.

use serde_json::{Map, Value as Json};
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::elements::{self, write_member};
use super::encodings::{unescaped, write_escaped};
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("parse_url", 1, 1, parse_url),
    function("parse_urlquery", 1, 1, parse_query),
    function("format_url", 1, 1, format_url),
];

/// The parts of an address. Those that it does not have are empty.
#[derive(Default)]
struct Parts<'a> {
    scheme: &'a str,
    username: &'a str,
    password: &'a str,
    host: &'a str,
    port: &'a str,
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

impl<'a> Parts<'a> {
    fn of(address: &'a str) -> Self {
        let mut parts = Self::default();
        let mut rest = address.trim();
        let is_scheme = |scheme: &str| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        };
        if let Some((scheme, after)) = rest.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
            (parts.scheme, rest) = (scheme, after);
        }
        (rest, parts.fragment) = rest.split_once('#').unwrap_or((rest, ""));
        (rest, parts.query) = rest.split_once('?').unwrap_or((rest, ""));
        let Some(after) = rest.strip_prefix("//") else {
            parts.path = rest;
            return parts;
        };
        let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
        parts.path = path;
        let (user, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        (parts.username, parts.password) = user.split_once(':').unwrap_or((user, ""));
        // The colons of an address in brackets belong to the host.
        let colon = place.rfind(':').filter(|colon| !place[*colon..].contains(']'));
        (parts.host, parts.port) = colon.map_or((place, ""), |colon| (&place[..colon], &place[colon + 1..]));
        parts
    }
}

fn parse_url(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let parts = Parts::of(row.text(0));
        let written = |value: &str, text: &mut String| json::write_string(value, text);
        text.push('{');
        write_member(text, "scheme", |text| written(parts.scheme, text));
        write_member(text, "host", |text| written(parts.host, text));
        write_member(text, "port", |text| written(parts.port, text));
        write_member(text, "path", |text| written(&unescaped(parts.path, false), text));
        write_member(text, "username", |text| written(&unescaped(parts.username, false), text));
        write_member(text, "password", |text| written(&unescaped(parts.password, false), text));
        write_member(text, "query", |text| write_query(parts.query, text));
        write_member(text, "fragment", |text| written(&unescaped(parts.fragment, false), text));
        text.push('}');
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}

fn parse_query(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let query = row.text(0).trim();
        write_query(query.strip_prefix('?').unwrap_or(query), text);
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}

/// Of a name that comes twice the last value stands.
fn write_query(query: &str, text: &mut String) {
    let mut members = Map::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        members.insert(unescaped(name, true), Json::String(unescaped(value, true)));
    }
    text.push('{');
    for (name, value) in &members {
        write_member(text, name, |text| json::write_string(value.as_str().unwrap_or_default(), text));
    }
    text.push('}');
}

/// The address that a map describes; null for what is no map.
fn format_url(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let parts = elements::members(row.text(0))?;
        let part = |name: &str| parts.get(name).map(plain).unwrap_or_default();
        let (scheme, host, port) = (part("scheme"), part("host"), part("port"));
        let user = parts.get("user").or(parts.get("username")).map(plain).unwrap_or_default();
        if !scheme.is_empty() {
            text.push_str(&scheme);
            text.push_str("://");
        }
        if !user.is_empty() {
            write_escaped(&user, text);
            let password = part("password");
            if !password.is_empty() {
                text.push(':');
                write_escaped(&password, text);
            }
            text.push('@');
        }
        text.push_str(&host);
        if !port.is_empty() {
            text.push(':');
            text.push_str(&port);
        }
        let path = part("path");
        if !path.is_empty() && !path.starts_with('/') && !host.is_empty() {
            text.push('/');
        }
        text.push_str(&path);
        write_tail(&parts, text);
        Some(())
    });
    call.result(Type::String, [call.json(0)?], run)
}

/// The query, a text or a map, and the fragment.
fn write_tail(parts: &Map<String, Json>, text: &mut String) {
    match parts.get("query") {
        Some(Json::Object(members)) => {
            for (place, (name, value)) in members.iter().enumerate() {
                text.push(if place == 0 { '?' } else { '&' });
                write_escaped(name, text);
                text.push('=');
                write_escaped(&plain(value), text);
            }
        }
        Some(Json::String(query)) if !query.is_empty() => {
            text.push('?');
            text.push_str(query.trim_start_matches('?'));
        }
        _ => {}
    }
    if let Some(Json::String(fragment)) = parts.get("fragment")
        && !fragment.is_empty()
    {
        text.push('#');
        text.push_str(fragment.trim_start_matches('#'));
    }
}

fn plain(value: &Json) -> String {
    match value {
        Json::String(value) => value.clone(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}
