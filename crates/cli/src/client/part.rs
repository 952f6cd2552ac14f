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

impl Part {
    /// The name under which the server stores the part at most once, however often it is sent in this run. A part and its
    /// first half begin at the same place.
    pub fn idempotency_key(&self, run: &str) -> String {
        let mut hash = Xxh3::new();
        for text in [run, &self.place.file] {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        for number in [self.place.file_number, self.place.first_byte, self.text_bytes] {
            hash.update(&number.to_le_bytes());
        }
        format!("{:032x}", hash.digest128())
    }

    /// Whether each line of its body is an event, or a few are.
    pub fn has_lines(&self) -> bool {
        self.format == Format::Ndjson && self.encoding == Encoding::None
    }

    /// Two parts with about half of the events each; none if it is one.
    pub fn halves(&self) -> Option<(Self, Self)> {
        let (middle, body) = (self.body.len() / 2, &self.body);
        // An event over several lines is kept together: all but its first line are indented, or close something.
        let begins = |at: &usize| {
            let first = body.get(at + 1);
            first.is_some_and(|first| !first.is_ascii_whitespace() && !matches!(first, b'}' | b']' | b','))
        };
        let after = memchr::memchr_iter(b'\n', &body[middle..]).map(|at| middle + at).find(begins);
        let cut = after.or_else(|| memchr::memrchr_iter(b'\n', &body[..middle]).find(begins))? + 1;
        let lines = memchr::memchr_iter(b'\n', &self.body[..cut]).count() as u64;
        let half = |body: Bytes, place: Place| Self {
            text_bytes: body.len() as u64,
            stored_bytes: body.len() as u64,
            body,
            place,
            ..self.clone()
        };
        let place = &self.place;
        let first = Place { last_line: place.first_line + lines - 1, ..place.clone() };
        let second = Place {
            first_line: place.first_line + lines,
            first_byte: place.first_byte + cut as u64,
            ..place.clone()
        };
        Some((half(self.body.slice(..cut), first), half(self.body.slice(cut..), second)))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, first_line: u64) -> Part {
        let lines = text.trim_end().lines().count() as u64;
        Part {
            body: Bytes::copy_from_slice(text.as_bytes()),
            format: Format::Ndjson,
            encoding: Encoding::None,
            csv_fields: None,
            text_bytes: text.len() as u64,
            stored_bytes: text.len() as u64,
            place: Place {
                file: "-".into(),
                file_number: 0,
                first_line,
                last_line: first_line + lines - 1,
                first_byte: 100,
            },
        }
    }

    #[test]
    fn halves_are_whole_lines_and_keep_their_places() {
        for text in ["a\nb\nc\n", "a\nb\nc", "long line\nb\n", "a\nlong line\n", "a\nb", "a"] {
            let mut waiting = vec![part(text, 7)];
            let mut lines = Vec::new();
            let mut byte = 100;
            while let Some(part) = waiting.pop() {
                if let Some((first, second)) = part.halves() {
                    waiting.extend([second, first]);
                    continue;
                }
                assert_eq!(part.place.first_byte, byte, "{text:?}");
                assert_eq!(part.place.first_line, 7 + lines.len() as u64, "{text:?}");
                assert_eq!(part.text_bytes, part.body.len() as u64);
                byte += part.text_bytes;
                lines.push(String::from_utf8(part.body.to_vec()).unwrap());
            }
            assert_eq!(lines.concat(), text);
            assert!(lines.iter().all(|line| line.lines().count() == 1), "{lines:?}");
        }
    }

    #[test]
    fn an_event_over_several_lines_is_not_cut() {
        let whole = "{\n  \"a\": [\n    {}\n  ]\n}\n";
        assert!(part(whole, 1).halves().is_none());
        let (first, second) = part(&format!("{whole}hello\n{whole}"), 1).halves().unwrap();
        let text = |part: &Part| String::from_utf8(part.body.to_vec()).unwrap();
        assert_eq!((text(&first), text(&second)), (format!("{whole}hello\n"), whole.to_owned()));
        assert_eq!(first.halves().map(|(first, second)| (text(&first), text(&second))).unwrap().1, "hello\n");
    }
}
