//! Where messages end on a connection. Each has its own framing: a digit begins a count of bytes, anything else a line.
//! What is longer than a message may be is cut and told, and the rest of it passed over.

use super::MESSAGE_BYTES_MAX;

/// A count of more digits is none.
const DIGITS_MAX: usize = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a message.
    Start,
    /// In the digits of a count.
    Count,
    /// In a message of which so many bytes are to come.
    Counted { left: u64 },
    /// In a message that ends with its line.
    Line,
}

/// The messages of one connection.
#[derive(Debug)]
pub struct Frames {
    state: State,
    /// The start of the message in hand.
    pending: Vec<u8>,
    is_cut: bool,
}

impl Default for Frames {
    fn default() -> Self {
        Self { state: State::Start, pending: Vec::new(), is_cut: false }
    }
}

impl Frames {
    /// Hands on each message that ends in these bytes, and whether something was cut off it.
    pub fn feed(&mut self, bytes: &[u8], mut message: impl FnMut(&[u8], bool)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = self.step(rest, &mut message);
        }
    }

    fn step<'b>(&mut self, bytes: &'b [u8], message: &mut dyn FnMut(&[u8], bool)) -> &'b [u8] {
        match self.state {
            State::Start => {
                self.state = match bytes[0] {
                    b'1'..=b'9' => State::Count,
                    // What some senders put behind a counted message.
                    b'\n' | b'\r' | b' ' | 0 => return &bytes[1..],
                    _ => State::Line,
                };
                bytes
            }
            State::Count => self.count(bytes),
            State::Counted { left } => {
                let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                self.add(&bytes[..here]);
                let left = left - here as u64;
                self.state = State::Counted { left };
                if left == 0 {
                    self.end(message);
                }
                &bytes[here..]
            }
            State::Line => {
                let end = memchr::memchr(b'\n', bytes);
                self.add(&bytes[..end.unwrap_or(bytes.len())]);
                let Some(end) = end else { return &[] };
                self.end(message);
                &bytes[end + 1..]
            }
        }
    }

    fn count<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let byte = bytes[0];
        if byte.is_ascii_digit() && self.pending.len() < DIGITS_MAX {
            self.pending.push(byte);
            return &bytes[1..];
        }
        let count = std::str::from_utf8(&self.pending).ok().and_then(|digits| digits.parse().ok());
        match count {
            Some(left) if byte == b' ' => {
                self.pending.clear();
                self.state = State::Counted { left };
                &bytes[1..]
            }
            // A line that begins with digits.
            _ => {
                self.state = State::Line;
                bytes
            }
        }
    }

    fn add(&mut self, piece: &[u8]) {
        let room = MESSAGE_BYTES_MAX.saturating_sub(self.pending.len());
        self.is_cut |= piece.len() > room;
        self.pending.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn end(&mut self, message: &mut dyn FnMut(&[u8], bool)) {
        if !self.pending.is_empty() {
            message(&self.pending, self.is_cut);
        }
        self.pending.clear();
        self.is_cut = false;
        self.state = State::Start;
    }

    /// The connection has ended: what is in hand is a message, cut if there was to be more, which nobody knows of a line
    /// that is not read to its end.
    pub fn finish(&mut self, is_read_to_its_end: bool, mut message: impl FnMut(&[u8], bool)) {
        self.is_cut |= !is_read_to_its_end || matches!(self.state, State::Counted { .. });
        self.end(&mut message);
    }
}
