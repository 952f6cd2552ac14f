//! Writes the JSON texts in which arrays and maps are stored, and those of answers.

use std::fmt::Write;

use tidegauge_ingest::{not_finite, write_json_string};

/// A JSON text that grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonText {
    text: Vec<u8>,
}

impl JsonText {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
    }

    pub(crate) fn as_str(&self) -> &str {
        // Only whole texts are ever added.
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds text that is JSON already.
    pub(crate) fn raw(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn string(&mut self, text: &str) {
        write_json_string(text.as_bytes(), &mut self.text);
    }

    pub(crate) fn integer(&mut self, value: i64) {
        self.display(value);
    }

    pub(crate) fn unsigned(&mut self, value: u64) {
        self.display(value);
    }

    pub(crate) fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// With a point or an exponent, so that it is read back as a float.
    pub(crate) fn float(&mut self, value: f64) {
        match not_finite(value) {
            Some(word) => self.string(word),
            None => self.display(format_args!("{value:?}")),
        }
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        // Writing to memory does not fail.
        let _ = write!(Bytes(&mut self.text), "{value}");
    }

    /// Opens an array or an object.
    pub(crate) fn open(&mut self, bracket: char) {
        self.raw(if bracket == '{' { "{" } else { "[" });
    }

    pub(crate) fn close(&mut self, bracket: char) {
        self.raw(if bracket == '}' { "}" } else { "]" });
    }

    /// The comma before the next element, unless it is the first.
    pub(crate) fn separate(&mut self) {
        if !matches!(self.text.last(), None | Some(b'{' | b'[')) {
            self.text.push(b',');
        }
    }

    /// The name of the next member.
    pub(crate) fn name(&mut self, name: &str) {
        self.separate();
        self.string(name);
        self.text.push(b':');
    }
}

struct Bytes<'a>(&'a mut Vec<u8>);

impl Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_json() {
        let mut text = JsonText::default();
        text.open('{');
        text.name("a\"b");
        text.open('[');
        text.separate();
        text.float(1.0);
        text.separate();
        text.float(f64::NAN);
        text.separate();
        text.integer(-3);
        text.close(']');
        text.name("c");
        text.boolean(true);
        text.close('}');
        assert_eq!(text.as_str(), r#"{"a\"b":[1.0,"NaN",-3],"c":true}"#);
    }
}
