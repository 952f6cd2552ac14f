//! Memory for messages of which not all has come, shared by the connections of a port. A connection has a little for
//! itself, so that small messages never wait; one that finds no room for long is closed, and its sender sends again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What all connections of a port may take together.
const BYTES_MAX: usize = 64 << 20;

/// Memory is handed out in pieces of this size, of which a connection has one from the start.
const PIECE_BYTES: usize = 64 << 10;

/// How long a connection waits for room.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The memory of a port.
#[derive(Clone, Debug)]
pub(crate) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BYTES_MAX / PIECE_BYTES)))
    }
}

/// What one connection has taken of it.
#[derive(Debug)]
pub(crate) struct Share {
    room: Room,
    taken: Vec<OwnedSemaphorePermit>,
}

impl Room {
    pub(crate) fn share(&self) -> Share {
        Share { room: self.clone(), taken: Vec::new() }
    }
}

impl Share {
    /// Has so much, as far as pieces go, and waits for it if need be; `false` if it does not come.
    pub(crate) async fn hold(&mut self, bytes: usize) -> bool {
        let pieces = bytes.saturating_sub(PIECE_BYTES).div_ceil(PIECE_BYTES);
        self.taken.truncate(pieces);
        while self.taken.len() < pieces {
            let piece = Arc::clone(&self.room.0).acquire_owned();
            let Ok(Ok(piece)) = tokio::time::timeout(WAIT_MAX, piece).await else { return false };
            self.taken.push(piece);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_let_go_is_there_for_others() {
        let room = Room::default();
        let (mut one, mut other) = (room.share(), room.share());
        assert!(one.hold(PIECE_BYTES).await && other.hold(BYTES_MAX + PIECE_BYTES).await);
        {
            let waiting = one.hold(PIECE_BYTES + 1);
            tokio::pin!(waiting);
            tokio::select! {
                biased;
                _ = &mut waiting => panic!("there is nothing left"),
                () = tokio::task::yield_now() => {}
            }
            assert!(other.hold(BYTES_MAX).await);
            assert!(waiting.await);
        }
        drop(other);
        assert!(one.hold(BYTES_MAX).await);
    }
}
