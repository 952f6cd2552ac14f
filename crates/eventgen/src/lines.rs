//! A stream of made-up events as who writes it sees it: a line for each number, whatever the events are.

use std::io::{self, Write};

/// Events are written in blocks of about this size.
const BLOCK_BYTES: usize = 256 * 1024;

/// A stream in which every event depends on the seed and its own number alone.
pub trait Lines {
    /// Writes the event with this number and a line break.
    fn write_line(&self, number: u64, out: &mut Vec<u8>);
}

/// Writes the first `count` events of a stream, one on each line.
pub fn write(events: &dyn Lines, count: u64, out: &mut impl Write) -> io::Result<()> {
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
