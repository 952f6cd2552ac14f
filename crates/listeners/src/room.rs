//! Memory for messages of which not all has come, shared by the connections of a port. A connection has a little for
//! itself, so that small messages never wait; one that finds no room for long is closed, and its sender sends again. While
//! others keep what they have read because it cannot be stored, it waits for them instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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
pub(crate) struct Room {
    pieces: Arc<Semaphore>,
    /// How many connections keep what they have read until it is stored.
    stalled: Arc<AtomicUsize>,
    /// How long a connection waits for room.
    wait_max: Duration,
}

impl Default for Room {
    fn default() -> Self {
        let pieces = Arc::new(Semaphore::new(BYTES_MAX / PIECE_BYTES));
        Self { pieces, stalled: Arc::default(), wait_max: WAIT_MAX }
    }
}

/// What one connection has taken of it.
#[derive(Debug)]
pub(crate) struct Share {
    room: Room,
    taken: Vec<OwnedSemaphorePermit>,
}

/// A connection that keeps what it has read.
#[derive(Debug)]
pub(crate) struct Stalled(Arc<AtomicUsize>);

impl Drop for Stalled {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
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
            let piece = Arc::clone(&self.room.pieces).acquire_owned();
            match tokio::time::timeout(self.room.wait_max, piece).await {
                Ok(Ok(piece)) => self.taken.push(piece),
                Err(_) if self.room.stalled.load(Ordering::Relaxed) > 0 => {}
                _ => return false,
            }
        }
        true
    }

    /// Until the result is dropped, what this connection has of the room is kept for events that cannot be stored yet.
    pub(crate) fn stall(&self) -> Stalled {
        self.room.stalled.fetch_add(1, Ordering::Relaxed);
        Stalled(Arc::clone(&self.room.stalled))
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

    #[tokio::test]
    async fn who_finds_no_room_gives_up_unless_it_is_taken_by_what_cannot_be_stored() {
        let room = Room { wait_max: Duration::ZERO, ..Room::default() };
        let (mut one, mut other) = (room.share(), room.share());
        assert!(other.hold(BYTES_MAX + PIECE_BYTES).await);
        assert!(!one.hold(PIECE_BYTES + 1).await);
        let stalled = other.stall();
        let stored = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            other.hold(PIECE_BYTES).await
        };
        assert_eq!(tokio::join!(one.hold(PIECE_BYTES + 1), stored), (true, true));
        drop(stalled);
        assert!(other.hold(BYTES_MAX).await);
        assert!(!one.hold(3 * PIECE_BYTES).await);
    }
}
