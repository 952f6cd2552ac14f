//! The body of a request with events: read as it comes, decompressed, counted against the limits and the memory that
//! is shared by all requests, and handed on piece by piece.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tidegauge_ingest::{
    DecodeError, DecompressLimits, Decompressor, Encoding, Malformed, MalformedKind, UndecodableBody,
};
use tidegauge_model::ErrorKind;
use tokio::sync::SemaphorePermit;
use xxhash_rust::xxh3::Xxh3;

use super::desk::{IngestDesk, PIECE_BYTES};
use crate::config::IngestLimits;
use crate::service::{Error, Result};

/// How long a body waits for memory before its sender is told to come back.
const MEMORY_WAIT: Duration = Duration::from_secs(5);

/// A body on its way in.
pub(super) struct Source<'a, S> {
    desk: &'a IngestDesk,
    body: S,
    decompressor: Decompressor,
    body_bytes_max: u64,
    body_bytes: u64,
    bytes: u64,
    hash: Xxh3,
    memory: Vec<SemaphorePermit<'a>>,
    memory_bytes: u64,
}

/// Why a body cannot be taken.
pub(super) enum BodyError {
    Malformed(Malformed),
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
        desk: &'a IngestDesk,
        limits: &IngestLimits,
        encoding: Encoding,
        body: S,
    ) -> Result<Self> {
        let decompress = DecompressLimits { bytes_max: limits.max_uncompressed_bytes, ..Default::default() };
        let decompressor = Decompressor::new(encoding, decompress).map_err(BodyError::Undecodable)?;
        Ok(Self {
            desk,
            body,
            decompressor,
            body_bytes_max: limits.max_body_bytes,
            body_bytes: 0,
            bytes: 0,
            hash: Xxh3::new(),
            memory: Vec::new(),
            memory_bytes: PIECE_BYTES as u64,
        })
    }

    /// The size of the body after decompression.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.hash.digest()
    }

    /// Reads the body to its end.
    pub(super) async fn read(
        &mut self,
        is_hashed: bool,
        sink: &mut (dyn FnMut(&[u8]) -> std::result::Result<(), Malformed> + Send),
    ) -> Result<()> {
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
            let hash = &mut self.hash;
            let decoded = self.decompressor.decode(&piece, &mut |bytes: &[u8]| {
                if is_hashed {
                    hash.update(bytes);
                }
                sink(bytes)
            });
            decoded.map_err(|error| match error {
                DecodeError::Body(body) => BodyError::Undecodable(body),
                DecodeError::Sink(malformed) => BodyError::Malformed(malformed),
            })?;
            self.bytes = self.decompressor.bytes_out();
            self.take_memory().await?;
        }
        self.decompressor.finish().map_err(BodyError::Undecodable)?;
        Ok(())
    }

    /// Takes as much of the shared memory as the body has come to need. The first piece is free, so that small
    /// requests do not wait for large ones.
    async fn take_memory(&mut self) -> Result<()> {
        if self.bytes <= self.memory_bytes {
            return Ok(());
        }
        let pieces = (self.bytes - self.memory_bytes).div_ceil(PIECE_BYTES as u64);
        let wanted = self.desk.memory.acquire_many(u32::try_from(pieces).unwrap_or(u32::MAX));
        let busy = || {
            Error::new(ErrorKind::Unavailable, "more events come in than can be read at once: try again")
                .hint("nothing of this request was stored")
        };
        let taken = tokio::time::timeout(MEMORY_WAIT, wanted).await.map_err(|_| busy())?;
        self.memory.push(taken.map_err(|_| busy())?);
        self.memory_bytes += pieces * PIECE_BYTES as u64;
        Ok(())
    }
}
