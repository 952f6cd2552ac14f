//! What the tools have in common: what a tool is, the right that each needs, reading arguments, how much an answer may be,
//! and an error as a model reads it.

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tidegauge_app::App;
use tidegauge_auth::Access;
use tidegauge_model::{ErrorKind, Rule, Violation};
use tidegauge_web::error::{ApiError, ErrorDetail};
use tidegauge_web::extract::Caller;

/// Most bytes of an answer as JSON: about as much as a model reads of one. What does not fit is left out, and the answer
/// says how much that is.
const ANSWER_BYTES_MAX: usize = 96 * 1024;

/// What is kept free of that for all that is not a list.
const REST_BYTES: usize = 8 * 1024;

/// A tool. Names and arguments are part of what clients have written down.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// What the caller needs so that it is there at all; on what exactly is for the use case to check.
    pub(super) access: Access,
    /// Whether it changes nothing.
    pub(super) is_read_only: bool,
    pub(super) input: fn() -> Value,
    pub(super) call: for<'a> fn(ToolCall<'a>) -> Calling<'a>,
}

type Calling<'a> = Pin<Box<dyn Future<Output = Result<Box<RawValue>, ApiError>> + Send + 'a>>;

/// One call of a tool.
#[derive(Clone, Copy)]
pub(super) struct ToolCall<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) arguments: &'a str,
}

impl Tool {
    pub(super) fn described(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": (self.input)(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.is_read_only,
                "destructiveHint": false,
                "idempotentHint": self.is_read_only,
                "openWorldHint": false,
            },
        })
    }

    pub(super) async fn run(&self, call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
        call.caller.check_access(self.access)?;
        let found = (self.call)(call).await?;
        if found.get().len() <= ANSWER_BYTES_MAX {
            return Ok(found);
        }
        let message = format!("the answer is longer than {ANSWER_BYTES_MAX} bytes");
        Err(ApiError::new(ErrorKind::TooLarge, message).hint("ask for less at once"))
    }
}

impl ToolCall<'_> {
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        tidegauge_web::json::read(self.arguments.as_bytes())
    }
}

/// The schema of arguments, with those that must be there.
pub(super) fn arguments(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A number of things to answer with, between 1 and a maximum.
pub(super) fn limit(given: Option<i64>, usual: usize, max: usize) -> Result<usize, Violation> {
    match given.map(usize::try_from) {
        None => Ok(usual),
        Some(Ok(limit)) if (1..=max).contains(&limit) => Ok(limit),
        Some(_) => Err(Violation::new("limit", Rule::Maximum, format!("must be between 1 and {max}"))),
    }
}

/// What a tool has found, as JSON.
pub(super) fn found(document: &impl Serialize) -> Result<Box<RawValue>, ApiError> {
    to_raw_value(document).map_err(|error| {
        tracing::error!(%error, "an answer of a tool is not JSON");
        ApiError::new(ErrorKind::Internal, "the answer could not be written")
    })
}

/// As many of some things as fit into an answer, in their order, and how many were left out.
pub(super) fn fitting<T: Serialize>(
    items: impl IntoIterator<Item = T>,
) -> Result<(Vec<Box<RawValue>>, usize), ApiError> {
    let mut room = Room::default();
    let mut left_out = 0;
    let mut kept = Vec::new();
    for item in items {
        match found(&item)? {
            item if left_out == 0 && room.takes(&item) => kept.push(item),
            _ => left_out += 1,
        }
    }
    Ok((kept, left_out))
}

/// How much more an answer can hold.
pub(super) struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(ANSWER_BYTES_MAX - REST_BYTES)
    }
}

impl Room {
    pub(super) fn takes(&mut self, item: &RawValue) -> bool {
        match self.0.checked_sub(item.get().len() + 1) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }
}

/// An error as a model reads it: what is wrong, where, and what to do.
pub(super) fn told(error: &ApiError) -> String {
    let body = &error.body;
    let mut text = body.message.replacen(" in body ", " in the arguments ", 1);
    for problem in &body.diagnostics {
        if let (Some(line), Some(column)) = (problem.line, problem.column) {
            let told = format!("line {line}, column {column}: {}", problem.message);
            if !text.contains(&told) {
                text.push_str(&format!("\n{told}"));
            }
        }
        if let Some(picture) = &problem.picture {
            text.push_str(&format!("\n{picture}"));
        }
        if let Some(hint) = &problem.hint {
            text.push_str(&format!("\nhint: {hint}"));
        }
    }
    if let (Some(ErrorDetail::Text(detail)), true) = (&body.detail, body.diagnostics.is_empty()) {
        text.push_str(&format!("\n{detail}"));
    }
    if let Some(hint) = body.hint.as_ref().filter(|hint| !text.contains(hint.as_str())) {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let long = "x".repeat(ANSWER_BYTES_MAX / 4);
        let (kept, left_out) = fitting(vec![long; 6]).unwrap();
        assert_eq!((kept.len(), left_out), (3, 3));
    }

    #[test]
    fn limits_have_ends() {
        assert_eq!(limit(None, 5, 10), Ok(5));
        assert_eq!(limit(Some(10), 5, 10), Ok(10));
        assert!(
            limit(Some(0), 5, 10).is_err()
                && limit(Some(11), 5, 10).is_err()
                && limit(Some(-1), 5, 10).is_err()
        );
    }
}
