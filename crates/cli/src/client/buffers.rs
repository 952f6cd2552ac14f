//! The memory that parts are read into: a fixed number of buffers that come back when their request is done. The
//! reader waits for one, so memory is bounded by the number of connections, and nothing is allocated for each part.

use std::sync::mpsc::{self, Receiver, Sender};

use bytes::Bytes;

#[derive(Debug)]
pub struct Buffers {
    free: Receiver<Vec<u8>>,
    give_back: Sender<Vec<u8>>,
    bytes: usize,
}

impl Buffers {
    /// That many buffers, each for that many bytes; they are allocated when they are first needed.
    pub fn new(count: usize, bytes: usize) -> Self {
        let (give_back, free) = mpsc::channel();
        for _ in 0..count {
            // The receiver is in our hands, so it is there.
            let _ = give_back.send(Vec::new());
        }
        Self { free, give_back, bytes }
    }

    /// Waits for an empty buffer.
    pub fn take(&self) -> Buffer {
        let mut content = self.free.recv().unwrap_or_default();
        content.clear();
        // One long event must not keep its memory for the rest of the run.
        content.shrink_to(self.bytes);
        content.reserve_exact(self.bytes);
        Buffer { content, give_back: self.give_back.clone() }
    }
}

/// A buffer on loan.
#[derive(Debug)]
pub struct Buffer {
    pub content: Vec<u8>,
    give_back: Sender<Vec<u8>>,
}

impl Buffer {
    /// Its content to be sent; the buffer is free again when the last copy of it is gone.
    pub fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // When nobody reads any more there is nobody to give it back to.
        let _ = self.give_back.send(std::mem::take(&mut self.content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_when_its_bytes_are_gone() {
        let buffers = Buffers::new(1, 16);
        let mut buffer = buffers.take();
        buffer.content.extend_from_slice(b"hello");
        let place = buffer.content.as_ptr();
        let bytes = buffer.into_bytes();
        let copy = bytes.slice(1..3);
        drop(bytes);
        assert!(buffers.free.try_recv().is_err(), "a copy is still there");
        assert_eq!(&copy[..], b"el");
        drop(copy);
        let again = buffers.take();
        assert!(again.content.is_empty());
        assert_eq!(again.content.as_ptr(), place);
    }
}
