//! A place in a body, in the words of an error: line, column and offset.

use crate::outcome::{Malformed, MalformedKind};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    offset: u64,
    /// Line breaks before the offset.
    line_breaks: u64,
    /// Where the line begins.
    line_start: u64,
}

impl Position {
    /// The place behind bytes that are no part of the text.
    pub(crate) fn after(bytes: &[u8]) -> Self {
        let offset = bytes.len() as u64;
        Self { offset, line_breaks: 0, line_start: offset }
    }

    pub(crate) fn advance(&mut self, bytes: &[u8]) {
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.line_breaks += memchr::memchr_iter(b'\n', bytes).count() as u64;
            self.line_start = self.offset + last as u64 + 1;
        }
        self.offset += bytes.len() as u64;
    }

    /// Goes past a line of so many bytes and the break behind it.
    pub(crate) fn pass_line(&mut self, bytes: usize) {
        self.offset += bytes as u64 + 1;
        self.line_breaks += 1;
        self.line_start = self.offset;
    }

    pub(crate) fn malformed(&self, kind: MalformedKind, message: String) -> Malformed {
        Malformed {
            kind,
            line: self.line_breaks + 1,
            column: self.offset - self.line_start + 1,
            offset: self.offset,
            message,
        }
    }

    pub(crate) fn too_large(&self, message: &str) -> Malformed {
        self.malformed(MalformedKind::TooLarge, message.to_owned())
    }
}
