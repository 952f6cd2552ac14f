//! Fluent forward: messages of MessagePack over a connection, with one event, several, or several packed into bytes
//! and perhaps compressed. A batch with a chunk id is acknowledged by that id when it is stored; the id stays the same when the
//! batch is repeated, so it is a key against repetition. Bytes come in and steps come out: nothing here waits.

mod batch;
mod handshake;
mod write;

use crate::answer::Problem;
use crate::msgpack::{Head, Scan, Scanner};
pub use batch::Batch;
pub use handshake::{Handshake, Sha512Hex};

/// What a connection may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardLimits {
    /// A longer message ends the connection.
    pub message_bytes_max: usize,
    /// What the compressed events of one message may become.
    pub unpacked_bytes_max: u64,
}

impl Default for ForwardLimits {
    fn default() -> Self {
        Self { message_bytes_max: 16 << 20, unpacked_bytes_max: 64 << 20 }
    }
}

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A sign of life, which asks for nothing.
    Heartbeat,
    /// The answer to a greeting, for [`Handshake::check`].
    Ping(Vec<u8>),
    Batch(Batch),
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    limits: ForwardLimits,
    buffer: Vec<u8>,
    /// How much of the buffer was taken out.
    taken: usize,
    /// How far the message in hand was looked at.
    scanner: Scanner,
    expects_ping: bool,
}

impl Connection {
    /// `expects_ping` is for one that was greeted: nothing else may come first.
    pub fn new(limits: ForwardLimits, expects_ping: bool) -> Self {
        Self { limits, buffer: Vec::new(), taken: 0, scanner: Scanner::default(), expects_ping }
    }

    /// Takes bytes in. They are looked at by [`next_step`](Self::next_step), which is to be called until it has nothing.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.taken = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    pub fn next_step(&mut self) -> Result<Option<Step>, Problem> {
        let rest = &self.buffer[self.taken..];
        if rest.is_empty() {
            return Ok(None);
        }
        let length = match self.scanner.look(rest) {
            Scan::Whole(length) if length <= self.limits.message_bytes_max => length,
            Scan::Broken => return Err(Problem::malformed("the message is no MessagePack")),
            Scan::Part if rest.len() <= self.limits.message_bytes_max => return Ok(None),
            Scan::Whole(_) | Scan::Part => {
                let max = self.limits.message_bytes_max;
                return Err(Problem::too_large(format!("a message is larger than {max} bytes")));
            }
        };
        let message = rest[..length].to_vec();
        self.taken += length;
        self.scanner = Scanner::default();
        self.step(message).map(Some)
    }

    fn step(&mut self, message: Vec<u8>) -> Result<Step, Problem> {
        let mut input = message.as_slice();
        match Head::take(&mut input)? {
            Head::Nil => Ok(Step::Heartbeat),
            Head::Array(_) if self.expects_ping => {
                self.expects_ping = false;
                Ok(Step::Ping(message))
            }
            Head::Array(count) => {
                Batch::parse(count, message, self.limits.unpacked_bytes_max).map(Step::Batch)
            }
            _ => Err(Problem::malformed("a message must be an array of a tag and events")),
        }
    }
}

/// What to answer when the batch of this chunk is stored.
pub fn acknowledgement(chunk: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write::map(1, &mut out);
    write::text("ack", &mut out);
    write::text(chunk, &mut out);
    out
}
