//! A piece of a file that goes to the server as one request, with the place that it came from.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use xxhash_rust::xxh3::Xxh3;

use super::input::{Encoding, Format};

#[derive(Clone, Debug)]
pub struct Part {
    pub body: Bytes,
    pub format: Format,
    /// How the body is compressed already.
    pub encoding: Encoding,
    /// Names of the fields, for CSV without its header.
    pub csv_fields: Option<Bytes>,
    /// Bytes of the text, not compressed.
    pub text_bytes: u64,
    /// Bytes of the stored file that were read for this part.
    pub stored_bytes: u64,
    pub place: Place,
}

/// Which part of which file.
#[derive(Clone, Debug)]
pub struct Place {
    pub file: Arc<str>,
    /// Position of the file among those of the run; the same file may be given twice, and counts twice.
    pub file_number: u64,
    /// Counted from one.
    pub first_line: u64,
    pub last_line: u64,
    /// Of the text, from zero.
    pub first_byte: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, first_line, last_line, first_byte, .. } = self;
        if first_line == last_line {
            return write!(f, "{file}, line {first_line}, from byte {first_byte}");
        }
        write!(f, "{file}, lines {first_line} to {last_line}")
    }
}

impl Place {
    /// The name under which the server stores the part at most once, however often it is sent in this run.
    pub fn idempotency_key(&self, run: &str) -> String {
        let mut hash = Xxh3::new();
        for text in [run, &self.file] {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        hash.update(&self.file_number.to_le_bytes());
        hash.update(&self.first_byte.to_le_bytes());
        format!("{:032x}", hash.digest128())
    }
}
