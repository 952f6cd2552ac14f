//! Texts in which what regular expressions find is replaced.

use aws_lc_rs::digest;
use regex::Regex;
use tidegauge_lang::tree::Type;

use super::cellwise;
use crate::error::Result;
use crate::expr::Typed;
use arrow_array::cast::AsArray;

/// What stands where something was found.
#[derive(Clone, Debug)]
pub enum Replacement {
    /// A mark for each character.
    Mark(char),
    /// A text for the whole.
    Text(String),
    /// A short text that equal texts share.
    Hash,
}

/// What is searched for, and what stands there instead.
#[derive(Clone, Debug)]
pub struct Redaction {
    pub patterns: Vec<Regex>,
    pub replacement: Replacement,
    /// Whether only the groups of a pattern are replaced.
    pub is_groups: bool,
}

impl Redaction {
    pub fn of(&self, text: Typed) -> Result<Typed> {
        let redaction = self.clone();
        let run = cellwise::texts(move |array, row, text| {
            redaction.write(array.as_string_view().value(row), text);
        });
        Typed::call("redact", Type::String, vec![text], run)
    }

    fn write(&self, source: &str, text: &mut String) {
        text.push_str(source);
        let mut before = String::new();
        for pattern in &self.patterns {
            std::mem::swap(text, &mut before);
            text.clear();
            let mut copied = 0;
            let mut replace = |start: usize, end: usize| {
                // Groups may lie in each other, and what is empty hides nothing.
                if start >= copied && end > start {
                    text.push_str(&before[copied..start]);
                    self.replacement.write(&before[start..end], text);
                    copied = end;
                }
            };
            if self.is_groups {
                for captures in pattern.captures_iter(&before) {
                    captures.iter().skip(1).flatten().for_each(|group| replace(group.start(), group.end()));
                }
            } else {
                pattern.find_iter(&before).for_each(|found| replace(found.start(), found.end()));
            }
            text.push_str(&before[copied..]);
        }
    }
}

impl Replacement {
    fn write(&self, found: &str, text: &mut String) {
        match self {
            Self::Mark(mark) => text.extend(found.chars().map(|_| *mark)),
            Self::Text(instead) => text.push_str(instead),
            Self::Hash => write_hash(found, text),
        }
    }
}

/// The first 48 bits of the text's SHA-256 as 8 characters of base64 that need no escape in addresses.
fn write_hash(found: &str, text: &mut String) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let hash = digest::digest(&digest::SHA256, found.as_bytes());
    let bits = hash.as_ref().iter().take(6).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    text.extend((0..8).rev().map(|place| char::from(LETTERS[(bits >> (place * 6)) as usize & 63])));
}
