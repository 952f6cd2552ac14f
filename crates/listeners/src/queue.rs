//! Messages between who reads them and who stores them, bounded by their bytes. Who reads a connection waits for room and
//! reads nothing meanwhile; a datagram finds room or is dropped.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// What may wait.
const BYTES_MAX: usize = 8 << 20;

/// What a message takes beside its bytes.
const BESIDE_BYTES: usize = 256;

/// A message and where it came from.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) bytes: Vec<u8>,
    pub(crate) source: IpAddr,
    pub(crate) is_cut: bool,
    /// Held until it is stored.
    _room: OwnedSemaphorePermit,
}

/// The end of the queue that messages go into.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    room: Arc<Semaphore>,
    sender: mpsc::UnboundedSender<Message>,
}

/// The end that they come out of. It ends when nobody can put anything in any more.
pub(crate) type Waiting = mpsc::UnboundedReceiver<Message>;

impl Queue {
    pub(crate) fn new() -> (Self, Waiting) {
        // What waits is bounded by the room that each message holds.
        let (sender, waiting) = mpsc::unbounded_channel();
        (Self { room: Arc::new(Semaphore::new(BYTES_MAX)), sender }, waiting)
    }

    /// Puts a message in as soon as there is room.
    pub(crate) async fn push(&self, bytes: Vec<u8>, source: IpAddr, is_cut: bool) {
        let room = Arc::clone(&self.room).acquire_many_owned(cost(bytes.len())).await;
        if let Ok(room) = room {
            let _ = self.sender.send(Message { bytes, source, is_cut, _room: room });
        }
    }

    /// Puts a message in if there is room now; `false` if not.
    pub(crate) fn offer(&self, bytes: Vec<u8>, source: IpAddr) -> bool {
        let room = Arc::clone(&self.room).try_acquire_many_owned(cost(bytes.len()));
        let Ok(room) = room else { return false };
        self.sender.send(Message { bytes, source, is_cut: false, _room: room }).is_ok()
    }
}

/// What a message takes of the room. One that is larger than all of it takes all of it.
fn cost(bytes: usize) -> u32 {
    u32::try_from((bytes + BESIDE_BYTES).min(BYTES_MAX)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[tokio::test]
    async fn datagrams_are_dropped_when_it_is_full_and_connections_wait() {
        let (queue, mut waiting) = Queue::new();
        let large = vec![b'a'; 1 << 20];
        for _ in 0..7 {
            assert!(queue.offer(large.clone(), HERE));
        }
        assert!(!queue.offer(large.clone(), HERE), "there is no room for all of it");
        assert!(queue.offer(b"small".to_vec(), HERE));
        let pushing = queue.push(large.clone(), HERE, true);
        tokio::pin!(pushing);
        tokio::select! {
            biased;
            () = &mut pushing => panic!("it must wait"),
            () = tokio::task::yield_now() => {}
        }
        drop(waiting.recv().await);
        pushing.await;
        // One that is larger than the queue waits for all of the room, and not for ever.
        while let Ok(message) = waiting.try_recv() {
            drop(message);
        }
        assert!(queue.offer(vec![0; 2 * BYTES_MAX], HERE));
        assert!(!queue.offer(Vec::new(), HERE));
    }
}
