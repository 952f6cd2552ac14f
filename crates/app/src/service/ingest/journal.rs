//! Uploads of a journal: longer than any limit of a body, so their events are stored while the rest is still on its way.
//! What was stored of an upload that ends too early stays, and its sender sends it again.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tidegauge_ingest::{DecodeError, DecompressLimits, Decompressor, Encoding};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::journald::Journal;

use super::sender::{Held, Refused, Sending, admit};
use crate::app::App;
use crate::service::{Caller, Error};

/// So much is read before its events are stored.
const PART_BYTES: usize = 1 << 20;

/// The most that comes at once, beyond a part.
const PIECE_BYTES: usize = 1 << 20;

/// So much of a compressed upload is decompressed at once. It may become no more than what comes at once.
const COMPRESSED_BYTES: usize = 1 << 10;

/// How long nothing may come.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Stores the entries of an upload, part by part. Compressed, it has no limit on its size either, but one on how much it
/// expands.
pub async fn upload<S, E>(
    app: &App,
    caller: &Caller,
    sending: Sending,
    encoding: Encoding,
    mut body: S,
) -> Result<(), Refused>
where
    S: Stream<Item = Result<Bytes, E>> + Send + Unpin,
    E: std::fmt::Display,
{
    let step_bytes = if encoding == Encoding::Identity { PIECE_BYTES } else { COMPRESSED_BYTES };
    let mut upload = Upload::begin(app, caller, sending, encoding)?;
    while let Some(piece) = tokio::time::timeout(PAUSE_MAX, body.next()).await.map_err(|_| silent())? {
        let piece = piece.map_err(|error| unreadable(&error))?;
        for step in piece.chunks(step_bytes) {
            upload.decompress(step)?;
            if upload.part.len() >= PART_BYTES {
                upload.store(false).await?;
            }
        }
    }
    upload.decompressor.finish().map_err(Problem::from)?;
    upload.store(true).await
}

/// An upload on its way in.
struct Upload<'a> {
    app: &'a App,
    caller: &'a Caller,
    sending: Sending,
    held: Held<'a>,
    decompressor: Decompressor,
    journal: Journal,
    /// What was decompressed and is not stored yet.
    part: Vec<u8>,
}

impl<'a> Upload<'a> {
    fn begin(
        app: &'a App,
        caller: &'a Caller,
        sending: Sending,
        encoding: Encoding,
    ) -> Result<Self, Refused> {
        let mut held = Held::of(app, 0);
        held.add((PART_BYTES + PIECE_BYTES) as u64)?;
        let limits = DecompressLimits { bytes_max: u64::MAX, ..DecompressLimits::default() };
        let decompressor = Decompressor::new(encoding, limits).map_err(Problem::from)?;
        let (journal, part) = (Journal::default(), Vec::new());
        Ok(Self { app, caller, sending, held, decompressor, journal, part })
    }

    fn decompress(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let part = &mut self.part;
        let decoded = self.decompressor.decode(bytes, &mut |plain: &[u8]| {
            if part.len() + plain.len() > PART_BYTES + PIECE_BYTES {
                return Err(Problem::too_large("the upload expands too much; send it with less compression"));
            }
            part.extend_from_slice(plain);
            Ok(())
        });
        decoded.map_err(|error| match error {
            DecodeError::Body(body) => body.into(),
            DecodeError::Sink(problem) => problem,
        })
    }

    /// Stores the entries that are whole.
    async fn store(&mut self, is_end: bool) -> Result<(), Refused> {
        let admitted = admit(self.app, self.caller, self.sending.clone()).await?;
        let Self { held, journal, part, .. } = self;
        let to_read = part.as_slice();
        let read = admitted.store_part(held, to_read.len() as u64, |events| {
            journal.feed(to_read, events)?;
            if is_end { journal.finish(events) } else { Ok(()) }
        });
        read.await?;
        part.clear();
        Ok(())
    }
}

fn silent() -> Error {
    let message = format!("nothing came for {} s", PAUSE_MAX.as_secs());
    Error::new(ErrorKind::TimedOut, message).hint("what came before that may be stored")
}

fn unreadable(error: &impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Malformed, format!("the upload could not be read: {error}"))
        .hint("what came before that may be stored")
}
