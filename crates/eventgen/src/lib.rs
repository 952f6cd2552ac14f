//! Made-up events for measurements: a stream of web-service logs that is the same for the same seed, byte for byte,
//! on every machine. `event` writes one; the files beside it hold what it draws from. Measuring is left to `benches`.
//! `demo` has others, which are to be looked at.

pub mod demo;
pub mod draws;
pub mod event;
pub mod fleet;
pub mod message;
pub mod questions;
pub mod shape;
pub mod text;
pub mod words;

use std::io::{self, Write};

pub use event::{Events, Pace};
pub use shape::Shape;

/// Events are written in blocks of about this size.
const BLOCK_BYTES: usize = 256 * 1024;

/// Writes the first `count` events of a stream, one on each line.
pub fn write(events: &Events, count: u64, out: &mut impl Write) -> io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK_BYTES + 4096);
    for number in 0..count {
        events.write_line(number, &mut block);
        if block.len() >= BLOCK_BYTES {
            out.write_all(&block)?;
            block.clear();
        }
    }
    out.write_all(&block)?;
    out.flush()
}

#[cfg(test)]
mod tests;
