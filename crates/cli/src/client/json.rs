//! Where the elements of a JSON array end, found by counting brackets outside strings. A file may also hold objects
//! one after the other. Whether it is good JSON is for the server to say.

use anyhow::bail;

/// Looks for the ends of events.
#[derive(Debug, Default)]
pub struct JsonBorders {
    scanned: usize,
    border: usize,
    depth: usize,
    in_string: bool,
    content: Content,
    /// Whether the next part needs a bracket, because an earlier one has taken that of the file.
    is_continued: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Content {
    /// Nothing but white space so far.
    #[default]
    Unknown,
    /// One array, whose elements are the events.
    Array,
    /// The array has ended.
    Ended,
    /// Objects one after the other.
    Objects,
}

impl JsonBorders {
    pub fn scan(&mut self, buffer: &[u8]) -> anyhow::Result<usize> {
        let mut at = self.scanned;
        while let Some(&byte) = buffer.get(at) {
            if self.in_string {
                let Some(found) = memchr::memchr2(b'"', b'\\', &buffer[at..]) else {
                    at = buffer.len();
                    break;
                };
                at += found;
                if buffer[at] == b'"' {
                    self.in_string = false;
                    at += 1;
                } else if at + 2 <= buffer.len() {
                    at += 2; // Whatever follows a backslash does not end the string.
                } else {
                    break; // It is in the next block: look at the backslash again then.
                }
                continue;
            }
            at += 1;
            self.step(byte, at)?;
        }
        self.scanned = at;
        Ok(self.border)
    }

    /// A character outside strings; `after` is the place behind it.
    fn step(&mut self, byte: u8, after: usize) -> anyhow::Result<()> {
        if self.depth == 0 && !byte.is_ascii_whitespace() {
            self.begin(byte)?;
        }
        match byte {
            b'"' => self.in_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.border = after;
                    if self.content == Content::Array {
                        self.content = Content::Ended;
                    }
                }
            }
            b',' if self.depth == 1 && self.content == Content::Array => self.border = after,
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, byte: u8) -> anyhow::Result<()> {
        match (self.content, byte) {
            (Content::Unknown, b'[') => self.content = Content::Array,
            (Content::Unknown, b'{') => self.content = Content::Objects,
            // The mark of UTF-8 that some editors write.
            (Content::Unknown, 0xEF | 0xBB | 0xBF) => {}
            (Content::Unknown, _) => bail!("this is neither a JSON array nor an object"),
            (Content::Ended, _) => {
                bail!("more text follows the JSON array; for one event on each line use --format ndjson")
            }
            _ => {}
        }
        Ok(())
    }

    pub fn cut(&mut self, part: &mut [u8]) {
        self.scanned -= part.len();
        self.border = 0;
        if self.content == Content::Array && self.depth > 0 {
            if let Some(comma) = part.last_mut() {
                *comma = b']';
            }
            self.is_continued = true;
            self.scanned += self.opening().len();
        } else {
            self.is_continued = false;
        }
    }

    pub fn opening(&self) -> &'static [u8] {
        if self.is_continued { b"[" } else { b"" }
    }
}
