//! Arrays and maps, kept as JSON text without insignificant whitespace, and values that are skipped. Nesting is
//! followed on a list, not on the stack, so that no body can exhaust it.

use super::cursor::{Cursor, EXPECTED_VALUE, Stop};
use super::number::{Number, number};
use super::string::{string, write_escaped};
use crate::limits::Limits;
use crate::outcome::Replaced;
use crate::rows::{INVALID, TOO_LONG};

/// Memory that is used again for each value.
#[derive(Debug, Default)]
pub(super) struct TextMemory {
    /// The text of the value read last.
    pub(super) out: Vec<u8>,
    unescaped: Vec<u8>,
    /// The closing brackets of the containers around the cursor.
    closing: Vec<u8>,
    /// Whether the value read last has an integer that is kept and that no float can hold.
    pub(super) has_too_large: bool,
    /// What of the value read last is not as it was sent.
    pub(super) replaced: Replaced,
}

impl TextMemory {
    pub(super) fn retained_bytes(&self) -> usize {
        self.out.capacity() + self.unescaped.capacity() + self.closing.capacity()
    }
}

pub(super) struct TextReader<'m, 'c, 'a> {
    pub(super) cursor: &'c mut Cursor<'a>,
    pub(super) memory: &'m mut TextMemory,
    pub(super) limits: &'m Limits,
    /// The input is known to be valid UTF-8.
    pub(super) clean: bool,
}

/// Depth of a value that is only skipped: nothing of it is written.
pub(super) const SKIPPED: usize = usize::MAX - 1;

impl TextReader<'_, '_, '_> {
    /// Reads the value at the cursor. `depth` is the number of containers around it.
    pub(super) fn read(&mut self, depth: usize) -> Result<(), Stop> {
        self.memory.out.clear();
        self.memory.closing.clear();
        self.memory.has_too_large = false;
        self.memory.replaced = Replaced::default();
        loop {
            let opened = match self.cursor.next_significant()? {
                bracket @ (b'{' | b'[') => {
                    self.open(bracket, depth);
                    true
                }
                byte => {
                    self.scalar(byte, depth)?;
                    false
                }
            };
            if self.next_element(opened, depth)? {
                return Ok(());
            }
        }
    }

    /// Whether what stands inside so many containers is written.
    fn is_kept(&self, depth: usize) -> bool {
        self.memory.closing.len().saturating_add(depth) <= self.limits.depth_max
    }

    fn write(&mut self, bytes: &[u8], depth: usize) {
        if self.is_kept(depth) {
            self.memory.out.extend_from_slice(bytes);
        }
    }

    fn open(&mut self, bracket: u8, depth: usize) {
        let around_is_kept = self.is_kept(depth);
        self.memory.closing.push(if bracket == b'{' { b'}' } else { b']' });
        if self.is_kept(depth) {
            self.memory.out.push(bracket);
        } else if around_is_kept {
            self.memory.out.extend_from_slice(b"null");
            self.memory.replaced.too_deep += 1;
        }
        self.cursor.position += 1;
    }

    /// Steps to the next value, over closing brackets, commas and names. True at the end of the outermost value.
    fn next_element(&mut self, opened: bool, depth: usize) -> Result<bool, Stop> {
        let mut first = opened;
        while let Some(closing) = self.memory.closing.last().copied() {
            let byte = self.cursor.next_significant()?;
            if byte == closing {
                self.cursor.position += 1;
                self.write(&[closing], depth);
                self.memory.closing.pop();
                first = false;
                continue;
            }
            if !first {
                if byte != b',' {
                    return Err(Stop::Malformed(match closing {
                        b'}' => "expected ',' or '}' after a value",
                        _ => "expected ',' or ']' after a value",
                    }));
                }
                self.cursor.position += 1;
                self.write(b",", depth);
            }
            if closing == b'}' {
                self.name(depth)?;
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn name(&mut self, depth: usize) -> Result<(), Stop> {
        if self.cursor.next_significant()? != b'"' {
            return Err(Stop::Malformed("expected a field name in double quotes"));
        }
        self.scalar(b'"', depth)?;
        self.cursor.colon()?;
        self.write(b":", depth);
        Ok(())
    }

    fn scalar(&mut self, byte: u8, depth: usize) -> Result<(), Stop> {
        let start = self.cursor.position;
        match byte {
            b'"' => return self.string(depth),
            b'-' | b'0'..=b'9' => {
                let number = number(self.cursor)?;
                if number == Number::Infinite {
                    self.memory.replaced.infinite += u64::from(self.is_kept(depth));
                    self.write(b"null", depth);
                    return Ok(());
                }
                self.memory.has_too_large |= number == Number::TooLarge && self.is_kept(depth);
            }
            b't' => self.cursor.word("true")?,
            b'f' => self.cursor.word("false")?,
            b'n' => self.cursor.word("null")?,
            _ => return Err(Stop::Malformed(EXPECTED_VALUE)),
        }
        let text = &self.cursor.input[start..self.cursor.position];
        self.write(text, depth);
        Ok(())
    }

    /// Escapes are written anew, since some that JSON allows stand for no character.
    fn string(&mut self, depth: usize) -> Result<(), Stop> {
        let plain = string(self.cursor, &mut self.memory.unescaped)?;
        if !self.is_kept(depth) {
            return Ok(());
        }
        let text = plain.unwrap_or(&self.memory.unescaped);
        let text = if text.len() > self.limits.string_bytes_max {
            self.memory.replaced.too_long += 1;
            TOO_LONG
        } else if !self.clean && simdutf8::basic::from_utf8(text).is_err() {
            self.memory.replaced.not_text += 1;
            INVALID
        } else {
            text
        };
        write_escaped(text, &mut self.memory.out);
        Ok(())
    }
}
