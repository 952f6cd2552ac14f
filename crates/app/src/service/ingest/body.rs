//! The body of a request with events: read as it comes, decompressed, counted against the limits and the memory that
//! is shared by all requests, and handed on piece by piece.

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tidegauge_admission::config::IngestLimits;
use tidegauge_ingest::{
    DecodeError, DecompressLimits, Decompressor, Encoding, Malformed, MalformedKind, UndecodableBody,
};
use tidegauge_model::ErrorKind;
use xxhash_rust::xxh3::Xxh3;

use super::memory::{Memory, Patience, busy};
use super::state::IngestState;
use crate::service::{Error, Result};

/// The events in as many bytes of a body as are read at once may take so much, counted with their labels.
const STEP_BYTES: usize = 1 << 20;

/// So much of a body as it is sent is read before it is asked whether there is memory for more.
const PART_BYTES: usize = 32 << 10;

/// The shortest event, with the comma behind it.
const EVENT_BYTES_MIN: usize = 3;

/// What an event takes beside its fields, at most.
const EVENT_COST: usize = 32;

/// A body on its way in.
pub(super) struct Source<'a, S> {
    body: S,
    decompressor: Decompressor,
    body_bytes_max: u64,
    body_bytes: u64,
    bytes: u64,
    /// Large, and needed only by a request with a key.
    hash: Option<Box<Xxh3>>,
    memory: Memory<'a>,
    step_bytes: usize,
}

/// Why a body cannot be taken.
pub(super) enum BodyError {
    Malformed(Malformed),
    /// There is no memory for it.
    Starved,
    Undecodable(UndecodableBody),
}

impl From<Malformed> for BodyError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl From<BodyError> for Error {
    fn from(error: BodyError) -> Self {
        let (kind, message) = match error {
            BodyError::Starved => return busy(),
            BodyError::Malformed(malformed) => match malformed.kind {
                MalformedKind::Malformed => (ErrorKind::Malformed, malformed.to_string()),
                MalformedKind::TooLarge => (ErrorKind::TooLarge, malformed.to_string()),
            },
            BodyError::Undecodable(body) => match body {
                UndecodableBody::TooLarge { .. } | UndecodableBody::TooDense { .. } => {
                    (ErrorKind::TooLarge, body.to_string())
                }
                UndecodableBody::Corrupt { .. } | UndecodableBody::Truncated { .. } => {
                    (ErrorKind::Malformed, body.to_string())
                }
            },
        };
        Self::new(kind, message).hint("nothing of this request was stored")
    }
}

impl<'a, S, E> Source<'a, S>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Send + Unpin,
    E: std::fmt::Display,
{
    pub(super) fn new(
        state: &'a IngestState,
        limits: &IngestLimits,
        encoding: Encoding,
        label_bytes: usize,
        patience: Patience,
        body: S,
    ) -> Result<Self> {
        let decompress = DecompressLimits { bytes_max: limits.max_uncompressed_bytes, ..Default::default() };
        let decompressor = Decompressor::new(encoding, decompress).map_err(BodyError::Undecodable)?;
        Ok(Self {
            body,
            decompressor,
            body_bytes_max: limits.max_body_bytes,
            body_bytes: 0,
            bytes: 0,
            hash: None,
            memory: Memory::of(&state.memory, patience),
            step_bytes: (STEP_BYTES * EVENT_BYTES_MIN / (label_bytes + EVENT_COST)).max(1),
        })
    }

    /// The size of the body after decompression.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The memory that was taken, for who has kept what was read.
    pub(super) fn into_memory(self) -> Memory<'a> {
        self.memory
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.hash.as_ref().map_or(0, |hash| hash.digest())
    }

    /// Reads the body to its end. The sink says how many bytes what it has read takes. With a seed, which stands for
    /// what the request says beside its body, there is a fingerprint afterwards.
    pub(super) async fn read(
        &mut self,
        fingerprint_seed: Option<u64>,
        sink: &mut (dyn FnMut(&[u8]) -> std::result::Result<usize, Malformed> + Send),
    ) -> Result<()> {
        self.hash = fingerprint_seed.map(|seed| Box::new(Xxh3::with_seed(seed)));
        while let Some(piece) = self.body.next().await {
            let piece = piece.map_err(|error| {
                let message = format!("the body could not be read: {error}");
                Error::new(ErrorKind::Malformed, message).hint("nothing of this request was stored")
            })?;
            self.body_bytes += piece.len() as u64;
            if self.body_bytes > self.body_bytes_max {
                let max = self.body_bytes_max;
                let message = format!("the body is larger than {max} bytes; send it in smaller parts");
                return Err(Error::new(ErrorKind::TooLarge, message));
            }
            for part in piece.chunks(PART_BYTES) {
                let needed = self.decode(part, sink)?;
                self.memory.take(needed).await?;
            }
        }
        self.decompressor.finish().map_err(BodyError::Undecodable)?;
        Ok(())
    }

    /// Hands a part of the body on, and returns how much memory the request has come to need.
    fn decode(
        &mut self,
        part: &[u8],
        sink: &mut (dyn FnMut(&[u8]) -> std::result::Result<usize, Malformed> + Send),
    ) -> std::result::Result<u64, BodyError> {
        let (hash, memory, bytes) = (&mut self.hash, &mut self.memory, &mut self.bytes);
        let mut needed = 0;
        let decoded = self.decompressor.decode(part, &mut |decoded: &[u8]| {
            if let Some(hash) = hash {
                hash.update(decoded);
            }
            for step in decoded.chunks(self.step_bytes) {
                let taken = sink(step)?;
                *bytes += step.len() as u64;
                needed = (*bytes).max(taken as u64);
                if !memory.try_take(needed) {
                    return Err(BodyError::Starved);
                }
            }
            Ok(())
        });
        decoded.map_err(|error| match error {
            DecodeError::Body(body) => BodyError::Undecodable(body),
            DecodeError::Sink(error) => error,
        })?;
        Ok(needed)
    }
}
