//! A walk through a JSON text by whoever knows its form: objects, arrays and texts are entered, and what is of no
//! interest is passed over or cut out as it stands. Nothing is kept, and nesting takes no stack but the caller's own.

use std::borrow::Cow;

use super::cursor::{Cursor, EXPECTED_VALUE, Stop};
use super::string::string;
use super::text::{SKIPPED, TextMemory, TextReader};
use crate::limits::Limits;

/// A text that is no JSON, or not of the form that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSON at byte {offset}: {reason}")]
pub struct InvalidJson {
    /// In the text, from 0.
    pub offset: usize,
    pub reason: &'static str,
}

impl InvalidJson {
    pub(crate) fn at(cursor: &Cursor<'_>, stop: Stop) -> Self {
        let reason = match stop {
            Stop::More => "it ends too early",
            Stop::Malformed(reason) => reason,
        };
        Self { offset: cursor.position, reason }
    }
}

/// A place in a JSON text.
#[derive(Debug)]
pub struct JsonWalk<'a> {
    cursor: Cursor<'a>,
    memory: TextMemory,
    limits: Limits,
}

impl<'a> JsonWalk<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { cursor: Cursor::new(text, true), memory: TextMemory::default(), limits: Limits::default() }
    }

    /// Where the walk stands.
    pub fn offset(&self) -> usize {
        self.cursor.position
    }

    /// The first byte of the next value, which tells its type; nothing at the end of the text.
    pub fn peek(&mut self) -> Option<u8> {
        self.cursor.next_significant().ok()
    }

    /// Why the value at this place is not taken.
    pub fn wrong(&self, reason: &'static str) -> InvalidJson {
        InvalidJson { offset: self.cursor.position, reason }
    }

    /// Calls for each member of the object at this place, which must read or skip its value. Null has no members.
    pub fn object<E: From<InvalidJson>>(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.open(b'{', "expected an object")? {
            return Ok(());
        }
        let mut first = true;
        while !self.is_closed(b'}', &mut first, "expected ',' or '}' after a value")? {
            let name = self.string()?;
            self.cursor.colon().map_err(|stop| InvalidJson::at(&self.cursor, stop))?;
            member(self, &name)?;
        }
        Ok(())
    }

    /// Calls for each element of the array at this place, which must read or skip it. Null has no elements.
    pub fn array<E: From<InvalidJson>>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.open(b'[', "expected an array")? {
            return Ok(());
        }
        let mut first = true;
        while !self.is_closed(b']', &mut first, "expected ',' or ']' after a value")? {
            element(self)?;
        }
        Ok(())
    }

    /// The text at this place. Bytes that are no UTF-8 are replaced.
    pub fn string(&mut self) -> Result<Cow<'a, str>, InvalidJson> {
        if self.cursor.next_significant() != Ok(b'"') {
            return Err(self.wrong("expected a text in double quotes"));
        }
        let mut unescaped = Vec::new();
        let plain = string(&mut self.cursor, &mut unescaped);
        match plain.map_err(|stop| InvalidJson::at(&self.cursor, stop))? {
            Some(plain) => Ok(String::from_utf8_lossy(plain)),
            None => Ok(Cow::Owned(match String::from_utf8(unescaped) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            })),
        }
    }

    /// The value at this place as a text: that of a string without its quotes, that of anything else as it stands.
    pub fn text(&mut self) -> Result<Cow<'a, str>, InvalidJson> {
        match self.peek() {
            Some(b'"') => self.string(),
            _ => self.value().map(String::from_utf8_lossy),
        }
    }

    /// The value at this place as it stands.
    pub fn value(&mut self) -> Result<&'a [u8], InvalidJson> {
        if self.cursor.next_significant().is_err() {
            return Err(InvalidJson::at(&self.cursor, Stop::Malformed(EXPECTED_VALUE)));
        }
        let start = self.cursor.position;
        let (cursor, memory, limits) = (&mut self.cursor, &mut self.memory, &self.limits);
        let read = TextReader { cursor, memory, limits, clean: true }.read(SKIPPED);
        read.map_err(|stop| InvalidJson::at(&self.cursor, stop))?;
        Ok(&self.cursor.input[start..self.cursor.position])
    }

    /// Whether nothing but whitespace is left.
    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Enters a container; `false` if there is null in its place.
    fn open(&mut self, bracket: u8, expected: &'static str) -> Result<bool, InvalidJson> {
        match self.peek() {
            Some(byte) if byte == bracket => {
                self.cursor.position += 1;
                Ok(true)
            }
            Some(b'n') => {
                self.cursor.word("null").map_err(|stop| InvalidJson::at(&self.cursor, stop))?;
                Ok(false)
            }
            _ => Err(self.wrong(expected)),
        }
    }

    /// Steps over the comma before the next element, or over the closing bracket.
    fn is_closed(
        &mut self,
        closing: u8,
        first: &mut bool,
        expected: &'static str,
    ) -> Result<bool, InvalidJson> {
        match self.peek() {
            Some(byte) if byte == closing => {
                self.cursor.position += 1;
                return Ok(true);
            }
            Some(b',') if !*first => self.cursor.position += 1,
            Some(_) if *first => {}
            None => return Err(self.wrong("it ends too early")),
            Some(_) => return Err(self.wrong(expected)),
        }
        *first = false;
        // A comma with nothing behind it is no element.
        if self.peek() == Some(closing) {
            return Err(self.wrong(EXPECTED_VALUE));
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, InvalidJson> {
        let mut walk = JsonWalk::new(text.as_bytes());
        let mut names = Vec::new();
        walk.object(|walk, name| {
            names.push(format!("{name}={}", walk.text()?));
            Ok::<_, InvalidJson>(())
        })?;
        assert!(walk.is_at_end());
        Ok(names)
    }

    #[test]
    fn members_are_walked_in_their_order() {
        assert_eq!(
            names(r#" { "a" : 1 , "b\n":"x\u0041", "c":[{"d":2}] } "#).as_deref(),
            Ok(&["a=1".to_owned(), "b\n=xA".to_owned(), "c=[{\"d\":2}]".to_owned()][..])
        );
        assert_eq!(names("null"), Ok(Vec::new()));
        assert_eq!(names("{}"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_object_is_told_with_its_place() {
        for (text, offset) in
            [("", 0), ("[", 0), ("{\"a\":1,}", 7), ("{\"a\":1 \"b\":2}", 7), ("{,\"a\":1}", 1), ("{\"a\"", 4)]
        {
            assert_eq!(names(text).map_err(|error| error.offset), Err(offset), "{text}");
        }
    }

    #[test]
    fn nesting_without_end_takes_no_stack() {
        let deep = "[".repeat(1 << 20);
        assert!(JsonWalk::new(deep.as_bytes()).value().is_err());
        let closed = format!("{deep}{}", "]".repeat(1 << 20));
        assert_eq!(JsonWalk::new(closed.as_bytes()).value().map(<[u8]>::len), Ok(2 << 20));
    }
}
