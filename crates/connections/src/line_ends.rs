//! Lines in the head of an HTTP/1 request end with CR and LF. The HTTP library takes a bare LF as well, and a proxy before
//! it may not, so that the two would see different heads. This reads along: it knows where heads are, leaves bodies
//! alone, and where it does not know it looks no further. A bare LF in a head becomes a byte that no head may have,
//! which the library answers with 400. So does the end of a line that says for the second time, in another way, how long
//! the body is: the library would forget one of the two.

/// What a bare LF becomes, and the end of a line that is refused.
const REFUSED: u8 = 0;

/// What is kept of a line: the headers that say how long a body is are shorter.
const KEPT_MAX: usize = 64;

/// Reads along a connection.
#[derive(Debug, Default)]
pub(super) struct LineEnds {
    place: Place,
    /// The beginning of the line, without its end.
    line: Vec<u8>,
    /// Whether there is more of the line than what is kept.
    is_cut: bool,
    after_return: bool,
    has_request_line: bool,
    length: Option<u64>,
    is_chunked: bool,
    has_length: bool,
    has_encoding: bool,
    /// Whether it is not known how what follows the head is read.
    is_unclear: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Head,
    /// So many bytes of a body are to come.
    Body(u64),
    ChunkSize,
    /// So many bytes of a chunk and the end of its line are to come.
    Chunk(u64),
    Trailers,
    /// Nothing is known of what comes, or it is none of HTTP/1.
    Unknown,
}

impl LineEnds {
    /// Looks at what came next.
    pub(super) fn check(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let taken = match self.place {
                Place::Unknown => return,
                Place::Body(left) => self.pass(left, bytes.len(), Place::Body, Place::Head),
                Place::Chunk(left) => self.pass(left, bytes.len(), Place::Chunk, Place::ChunkSize),
                Place::Head | Place::ChunkSize | Place::Trailers => self.take_line(bytes),
            };
            bytes = bytes.split_at_mut(taken).1;
        }
    }

    /// Passes over bytes of a body; gives how many.
    fn pass(&mut self, left: u64, there: usize, more: fn(u64) -> Place, then: Place) -> usize {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(there);
        let left = left - taken as u64;
        self.place = if left == 0 { then } else { more(left) };
        taken
    }

    /// Takes bytes up to the end of a line; gives how many.
    fn take_line(&mut self, bytes: &mut [u8]) -> usize {
        for (index, byte) in bytes.iter_mut().enumerate() {
            if *byte != b'\n' {
                if self.line.len() < KEPT_MAX {
                    self.line.push(*byte);
                } else {
                    self.is_cut = true;
                }
                self.after_return = *byte == b'\r';
                continue;
            }
            if !self.after_return {
                if self.place == Place::Head {
                    *byte = REFUSED;
                }
                self.place = Place::Unknown;
                return index + 1;
            }
            if !self.is_cut {
                self.line.pop();
            }
            self.place = self.after_line();
            // Of the two headers that say how long a body is, this line is the second.
            if self.has_length && self.has_encoding {
                *byte = REFUSED;
                self.place = Place::Unknown;
                return index + 1;
            }
            self.line.clear();
            (self.is_cut, self.after_return) = (false, false);
            return index + 1;
        }
        bytes.len()
    }

    /// What comes after the line.
    fn after_line(&mut self) -> Place {
        match self.place {
            Place::Head if !self.has_request_line => self.after_request_line(),
            Place::Head if self.line.is_empty() => self.after_head(),
            Place::Head => self.after_header(),
            Place::ChunkSize => self.after_chunk_size(),
            Place::Trailers if self.line.is_empty() => Place::Head,
            other => other,
        }
    }

    fn after_request_line(&mut self) -> Place {
        // HTTP/2 begins with a line of its own, and what follows CONNECT is anything.
        if self.line.starts_with(b"PRI ") || self.line.starts_with(b"CONNECT ") {
            return Place::Unknown;
        }
        // Empty lines may stand before it.
        self.has_request_line = !self.line.is_empty();
        Place::Head
    }

    fn after_header(&mut self) -> Place {
        let Some(colon) = self.line.iter().position(|byte| *byte == b':') else {
            // A name that long is none of those below; else the library refuses it.
            return if self.is_cut { Place::Head } else { Place::Unknown };
        };
        let (name, value) = (self.line[..colon].to_ascii_lowercase(), self.line[colon + 1..].trim_ascii());
        match name.as_slice() {
            b"content-length" => {
                match (number(value, 10), self.length, self.is_cut) {
                    (Some(length), None, false) => self.length = Some(length),
                    _ => self.is_unclear = true,
                }
                self.has_length = true;
            }
            b"transfer-encoding" => {
                self.is_unclear |= self.is_chunked || !value.eq_ignore_ascii_case(b"chunked");
                (self.is_chunked, self.has_encoding) = (true, true);
            }
            b"upgrade" => self.is_unclear = true,
            _ if name.first().is_none_or(u8::is_ascii_whitespace) => return Place::Unknown,
            _ => {}
        }
        Place::Head
    }

    fn after_head(&mut self) -> Place {
        (self.has_request_line, self.has_length, self.has_encoding) = (false, false, false);
        let is_unclear = std::mem::take(&mut self.is_unclear);
        match (std::mem::take(&mut self.length), std::mem::take(&mut self.is_chunked)) {
            _ if is_unclear => Place::Unknown,
            (None, true) => Place::ChunkSize,
            (Some(_), true) => Place::Unknown,
            (None | Some(0), false) => Place::Head,
            (Some(length), false) => Place::Body(length),
        }
    }

    fn after_chunk_size(&self) -> Place {
        let size = self.line.split(|byte| *byte == b';').next().unwrap_or_default();
        match number(size.trim_ascii(), 16) {
            Some(0) => Place::Trailers,
            Some(size) => size.checked_add(2).map_or(Place::Unknown, Place::Chunk),
            None => Place::Unknown,
        }
    }
}

/// A number of digits alone.
fn number(text: &[u8], radix: u32) -> Option<u64> {
    let is_digits = !text.is_empty() && text.iter().all(|byte| char::from(*byte).is_digit(radix));
    let text = std::str::from_utf8(text).ok().filter(|_| is_digits)?;
    u64::from_str_radix(text, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of bytes, however they are cut.
    fn checked(text: &str) -> String {
        let whole = |piece: usize| {
            let (mut bytes, mut ends) = (text.as_bytes().to_vec(), LineEnds::default());
            bytes.chunks_mut(piece).for_each(|piece| ends.check(piece));
            bytes
        };
        let at_once = whole(text.len());
        for piece in [1, 2, 3, 7, 64] {
            assert_eq!(whole(piece), at_once, "in pieces of {piece}: {text:?}");
        }
        String::from_utf8(at_once).unwrap()
    }

    #[test]
    fn a_bare_line_end_in_a_head_is_refused() {
        let long = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n", "y".repeat(300));
        for (before, after) in [
            ("GET / HTTP/1.1", "Host: a\r\n\r\n"),
            ("GET / HTTP/1.1\r\nHost: a", "\r\n"),
            ("GET / HTTP/1.1\r\nHost: a\r\n", ""),
            ("", "GET / HTTP/1.1\r\n\r\n"),
            (&long, "\r\n"),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1", "Host: b\r\n\r\n"),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na\nbGET / HTTP/1.1", "\r\n"),
            ("POST / HTTP/1.1\r\ncontent-length:0\r\n\r\nGET / HTTP/1.1", "\r\n"),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\na\nb\r\n0\r\nT: x\r\n\r\nGET / HTTP/1.1",
                "\r\n",
            ),
        ] {
            assert_eq!(checked(&format!("{before}\n{after}")), format!("{before}\0{after}"));
        }
    }

    #[test]
    fn a_body_that_is_as_long_in_two_ways_is_refused() {
        let (length, chunked) = ("Content-Length: 4", "Transfer-Encoding: chunked");
        for (first, second) in [
            (length, chunked),
            (chunked, length),
            (length, "transfer-encoding: gzip, chunked"),
            ("Transfer-Encoding: x\r\nUpgrade: y", length),
            ("Content-Length: x", chunked),
        ] {
            let head = format!("POST / HTTP/1.1\r\nHost: a\r\n{first}\r\nX: y\r\n{second}\r");
            assert_eq!(checked(&format!("{head}\n\r\n\n\n")), format!("{head}\0\r\n\n\n"));
        }
    }

    #[test]
    fn bodies_and_good_heads_are_left_alone() {
        for text in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n{}\n{}\n{}\n\n\n\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\nA\r\n{}\n{}\n{}\n\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            // Whose bodies are not known.
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n\n",
            "CONNECT a:1 HTTP/1.1\r\n\r\n\n\n",
            "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\n\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n\n\n\n\n\n",
            "POST / HTTP/1.1\r\nContent-Length: +4\r\n\r\n\n\n",
            "POST / HTTP/1.1\r\n Content-Length: 4\r\n\r\n\n\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n\n\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\n\n",
        ] {
            assert_eq!(checked(text), text);
        }
    }
}
