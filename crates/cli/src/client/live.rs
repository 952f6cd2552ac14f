//! Input that comes bit by bit, such as a pipe or a terminal. A thread of its own reads it, so that waiting for more
//! can end before there is any, because events have waited for long enough or because somebody has asked to stop.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context;

/// What is read at once: as much as a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that may wait to be taken.
const CHUNKS_WAITING: usize = 4;
/// How often it is looked whether somebody has asked to stop.
const LOOKS_EVERY: Duration = Duration::from_millis(100);
/// After that, what does not come within this time was not there before.
const REST_WAIT: Duration = Duration::from_secs(1);
/// After that, no more than this can have been there before: what waits, what is being handed on, and a pipe that is
/// full.
const REST_BYTES: usize = (CHUNKS_WAITING + 2) * CHUNK_BYTES;

/// Asks a run to read no more, and to send what it has read.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The bytes of such an input, in order.
#[derive(Debug)]
pub struct Live {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// What was read, and how much of it is taken.
    chunk: Vec<u8>,
    taken: usize,
    /// Bytes that came after somebody has asked to stop.
    rest: Option<usize>,
}

/// What became of waiting for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    Came,
    /// Nothing within the time.
    Nothing,
    End,
    /// What was there when somebody asked to stop is read.
    Stopped,
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
        Ok(Self { chunks, chunk: Vec::new(), taken: 0, rest: None })
    }

    /// Appends what has come, at most so many bytes. Waits if there is nothing, for ever unless a time is given.
    pub fn read(
        &mut self,
        most: usize,
        wait: Option<Duration>,
        stop: &Stop,
        into: &mut Vec<u8>,
    ) -> io::Result<More> {
        if self.taken == self.chunk.len() {
            self.chunk = match self.next(wait, stop) {
                Ok(chunk) => chunk?,
                Err(other) => return Ok(other),
            };
            self.taken = 0;
        }
        let end = self.chunk.len().min(self.taken.saturating_add(most));
        into.extend_from_slice(&self.chunk[self.taken..end]);
        self.taken = end;
        Ok(More::Came)
    }

    /// The next chunk, or why there is none.
    fn next(&mut self, wait: Option<Duration>, stop: &Stop) -> Result<io::Result<Vec<u8>>, More> {
        let mut waited = Duration::ZERO;
        loop {
            if self.rest.is_none() && stop.is_asked() {
                (self.rest, waited) = (Some(0), Duration::ZERO);
            }
            if self.rest.is_some_and(|bytes| bytes >= REST_BYTES) {
                return Err(More::Stopped);
            }
            let wait = if self.rest.is_some() { Some(REST_WAIT) } else { wait };
            let step = wait.map_or(LOOKS_EVERY, |wait| wait.saturating_sub(waited).min(LOOKS_EVERY));
            match self.chunks.recv_timeout(step) {
                Ok(chunk) => {
                    let length = chunk.as_ref().map_or(0, Vec::len);
                    self.rest = self.rest.map(|bytes| bytes + length);
                    return Ok(chunk);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(More::End),
                Err(RecvTimeoutError::Timeout) => waited += step,
            }
            if wait.is_some_and(|wait| waited >= wait) {
                return Err(if self.rest.is_some() { More::Stopped } else { More::Nothing });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn waiting_ends_and_nothing_is_lost() {
        let (reader, mut writer) = io::pipe().unwrap();
        let (mut live, stop) = (Live::start(reader).unwrap(), Stop::default());
        let mut text = Vec::new();
        assert_eq!(live.read(9, Some(Duration::ZERO), &stop, &mut text).unwrap(), More::Nothing);
        writer.write_all(b"hello").unwrap();
        assert_eq!(live.read(2, None, &stop, &mut text).unwrap(), More::Came);
        assert_eq!(text, b"he");
        assert_eq!(live.read(9, None, &stop, &mut text).unwrap(), More::Came);
        assert_eq!(text, b"hello");
        drop(writer);
        assert_eq!(live.read(9, None, &stop, &mut text).unwrap(), More::End);
        assert_eq!(live.read(9, Some(Duration::ZERO), &stop, &mut text).unwrap(), More::End);
    }

    #[test]
    fn who_stops_gets_what_was_there_and_no_more() {
        let (reader, mut writer) = io::pipe().unwrap();
        let (mut live, stop) = (Live::start(reader).unwrap(), Stop::default());
        let mut text = Vec::new();
        writer.write_all(b"hello").unwrap();
        stop.ask();
        assert_eq!(live.read(9, None, &stop, &mut text).unwrap(), More::Came);
        assert_eq!(text, b"hello");
        assert_eq!(live.read(9, None, &stop, &mut text).unwrap(), More::Stopped);
    }

    #[test]
    fn who_writes_without_end_does_not_keep_it_from_stopping() {
        let (mut live, stop) = (Live::start(io::repeat(b'x')).unwrap(), Stop::default());
        stop.ask();
        let mut text = Vec::new();
        while live.read(usize::MAX, None, &stop, &mut text).unwrap() == More::Came {}
        assert_eq!(text.len(), REST_BYTES);
    }
}
