//! Input that comes bit by bit, such as a pipe or a terminal. A thread of its own reads it, so that waiting for more
//! can end before there is any.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context;

/// What is read at once: as much as a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that may wait to be taken.
const CHUNKS_WAITING: usize = 4;

/// The bytes of such an input, in order.
#[derive(Debug)]
pub struct Live {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// What was read, and how much of it is taken.
    chunk: Vec<u8>,
    taken: usize,
}

/// What became of waiting for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    Came,
    /// Nothing within the time.
    Nothing,
    End,
}

impl Live {
    pub fn start(mut reader: impl Read + Send + 'static) -> anyhow::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS_WAITING);
        let read = move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = match reader.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(length) => {
                        chunk.truncate(length);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = read.is_err();
                if sender.send(read).is_err() || is_last {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("input".to_owned()).spawn(read).context("starting the reader")?;
        Ok(Self { chunks, chunk: Vec::new(), taken: 0 })
    }

    /// Appends what has come, at most so many bytes. Waits if there is nothing, for ever unless a time is given.
    pub fn read(&mut self, most: usize, wait: Option<Duration>, into: &mut Vec<u8>) -> io::Result<More> {
        if self.taken == self.chunk.len() {
            let next = match wait {
                Some(wait) => self.chunks.recv_timeout(wait),
                None => self.chunks.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            self.chunk = match next {
                Ok(chunk) => chunk?,
                Err(RecvTimeoutError::Timeout) => return Ok(More::Nothing),
                Err(RecvTimeoutError::Disconnected) => return Ok(More::End),
            };
            self.taken = 0;
        }
        let end = self.chunk.len().min(self.taken.saturating_add(most));
        into.extend_from_slice(&self.chunk[self.taken..end]);
        self.taken = end;
        Ok(More::Came)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn waiting_ends_and_nothing_is_lost() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut live = Live::start(reader).unwrap();
        let mut text = Vec::new();
        assert_eq!(live.read(9, Some(Duration::ZERO), &mut text).unwrap(), More::Nothing);
        writer.write_all(b"hello").unwrap();
        assert_eq!(live.read(2, None, &mut text).unwrap(), More::Came);
        assert_eq!(text, b"he");
        assert_eq!(live.read(9, None, &mut text).unwrap(), More::Came);
        assert_eq!(text, b"hello");
        drop(writer);
        assert_eq!(live.read(9, None, &mut text).unwrap(), More::End);
        assert_eq!(live.read(9, Some(Duration::ZERO), &mut text).unwrap(), More::End);
    }
}
