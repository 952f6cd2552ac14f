//! Uploads of a journal: longer than any limit of a body, so their events are stored while the rest is still on its way.
//! What was stored of an upload that ends too early stays, and its sender sends it again.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::journald::Journal;

use super::sender::{Held, Refused, Sending, admit};
use crate::app::App;
use crate::service::{Caller, Error};

/// So much is read before its events are stored.
const PART_BYTES: usize = 1 << 20;

/// The most that comes at once, beyond a part.
const PIECE_BYTES: usize = 1 << 20;

/// How long nothing may come.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Stores the entries of an upload, part by part.
pub async fn upload<S, E>(
    app: &App,
    caller: &Caller,
    sending: Sending,
    mut body: S,
) -> std::result::Result<(), Refused>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Send + Unpin,
    E: std::fmt::Display,
{
    let mut held = Held::of(app, 0);
    held.add((PART_BYTES + PIECE_BYTES) as u64)?;
    let mut journal = Journal::default();
    let mut part = Vec::new();
    loop {
        let piece = tokio::time::timeout(PAUSE_MAX, body.next()).await.map_err(|_| silent())?;
        let is_end = piece.is_none();
        if let Some(piece) = piece {
            part.extend_from_slice(&piece.map_err(|error| unreadable(&error))?);
        }
        if part.len() < PART_BYTES && !is_end {
            continue;
        }
        let admitted = admit(app, caller, sending.clone()).await?;
        let (bytes, to_read) = (part.len() as u64, &part);
        let read = admitted.store_part(&mut held, bytes, |events| {
            journal.feed(to_read, events)?;
            if is_end { journal.finish(events) } else { Ok(()) }
        });
        read.await?;
        if is_end {
            return Ok(());
        }
        part.clear();
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
