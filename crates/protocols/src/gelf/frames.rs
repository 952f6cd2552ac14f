//! Messages over a connection, each of which ends with a NUL.

use crate::answer::Problem;

/// The frames of one connection.
#[derive(Debug)]
pub struct Frames {
    pending: Vec<u8>,
    frame_bytes_max: usize,
}

impl Frames {
    pub fn new(frame_bytes_max: usize) -> Self {
        Self { pending: Vec::new(), frame_bytes_max }
    }

    /// Hands on each frame that ends in these bytes. A frame that is too long ends the connection: where the next one
    /// would begin may be far.
    pub fn feed(&mut self, bytes: &[u8], mut frame: impl FnMut(&[u8])) -> Result<(), Problem> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(0, rest) {
            self.check(end)?;
            if self.pending.is_empty() {
                frame(&rest[..end]);
            } else {
                self.pending.extend_from_slice(&rest[..end]);
                frame(&self.pending);
                self.pending.clear();
            }
            rest = &rest[end + 1..];
        }
        self.check(rest.len())?;
        self.pending.extend_from_slice(rest);
        Ok(())
    }

    /// What stands behind the last NUL when the connection ends: some senders leave the last one out.
    pub fn finish(&mut self, mut frame: impl FnMut(&[u8])) {
        if !self.pending.is_empty() {
            frame(&self.pending);
            self.pending.clear();
        }
    }

    fn check(&self, more: usize) -> Result<(), Problem> {
        let max = self.frame_bytes_max;
        if self.pending.len() + more > max {
            return Err(Problem::too_large(format!("a frame is larger than {max} bytes")));
        }
        Ok(())
    }
}
