//! Fields that a request adds to each of its events, given as one JSON object.

use std::sync::Arc;

use super::cursor::{Cursor, Stop};
use super::text::{SKIPPED, TextMemory, TextReader};
use crate::limits::Limits;

/// A JSON object that is known to be well-formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    text: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event labels must be one JSON object, like {{\"region\":\"eu-west-1\"}}: {reason}")]
pub struct InvalidLabels {
    reason: &'static str,
}

impl Labels {
    pub fn parse(text: &str) -> Result<Self, InvalidLabels> {
        let text = text.trim();
        if !text.starts_with('{') {
            return Err(InvalidLabels { reason: "it does not start with '{'" });
        }
        let mut cursor = Cursor::new(text.as_bytes(), true);
        let mut memory = TextMemory::default();
        let limits = Limits::default();
        let read = TextReader { cursor: &mut cursor, memory: &mut memory, limits: &limits, clean: true }
            .read(SKIPPED);
        match read {
            Ok(()) if cursor.position == text.len() => Ok(Self { text: text.into() }),
            Ok(()) => Err(InvalidLabels { reason: "there is more after the object" }),
            Err(Stop::More) => Err(InvalidLabels { reason: "it ends too early" }),
            Err(Stop::Malformed(reason)) => Err(InvalidLabels { reason }),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}
