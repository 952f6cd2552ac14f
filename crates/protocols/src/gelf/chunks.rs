//! Datagrams that are parts of a message: kept until all are there, or five seconds have gone. Their senders can be
//! forged, so what they may take is bounded: messages at once, and bytes of all of them.

use std::collections::HashMap;
use std::net::IpAddr;

const MAGIC: [u8; 2] = [0x1e, 0x0f];
const HEAD_BYTES: usize = 12;
const CHUNKS_MAX: u8 = 128;

/// What chunks that wait for others may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunksLimits {
    pub messages_max: usize,
    pub bytes_max: usize,
    pub wait_ns: i64,
}

impl Default for ChunksLimits {
    fn default() -> Self {
        Self { messages_max: 1024, bytes_max: 16 << 20, wait_ns: 5_000_000_000 }
    }
}

/// What a datagram came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datagram<'a> {
    /// A message in one.
    Whole(&'a [u8]),
    /// The last part of a message that is whole now.
    Joined(Vec<u8>),
    /// A part of a message that is not whole yet.
    Waiting,
    /// Nothing can be made of it.
    Refused,
}

#[derive(Debug)]
struct Message {
    parts: Vec<Option<Vec<u8>>>,
    missing: usize,
    bytes: usize,
    since_ns: i64,
}

/// Messages of which parts are missing.
#[derive(Debug, Default)]
pub struct Chunks {
    limits: ChunksLimits,
    /// By sender and the id that it chose.
    messages: HashMap<(IpAddr, [u8; 8]), Message>,
    bytes: usize,
    given_up: u64,
}

impl Chunks {
    pub fn new(limits: ChunksLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// How many messages were given up because parts of them did not come, or others needed the room.
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    pub fn waiting(&self) -> usize {
        self.messages.len()
    }

    /// Takes a datagram that came from this address at this time.
    pub fn push<'a>(&mut self, datagram: &'a [u8], sender: IpAddr, now_ns: i64) -> Datagram<'a> {
        if !datagram.starts_with(&MAGIC) {
            return Datagram::Whole(datagram);
        }
        let Some((head, part)) = datagram.split_first_chunk::<HEAD_BYTES>() else { return Datagram::Refused };
        let [_, _, id @ .., number, count] = *head;
        if count == 0 || count > CHUNKS_MAX || number >= count || part.len() > self.limits.bytes_max {
            return Datagram::Refused;
        }
        self.expire(now_ns);
        let key = (sender, id);
        if !self.messages.contains_key(&key) {
            self.make_room(1, part.len());
            let parts = vec![None; usize::from(count)];
            let missing = parts.len();
            self.messages.insert(key, Message { parts, missing, bytes: 0, since_ns: now_ns });
        } else {
            self.make_room(0, part.len());
        }
        self.add(key, usize::from(number), usize::from(count), part)
    }

    fn add<'a>(&mut self, key: (IpAddr, [u8; 8]), number: usize, count: usize, part: &[u8]) -> Datagram<'a> {
        // Room may have been made at its own expense.
        let Some(message) = self.messages.get_mut(&key) else { return Datagram::Refused };
        if message.parts.len() != count {
            return Datagram::Refused;
        }
        if message.parts[number].is_some() {
            return Datagram::Waiting;
        }
        message.parts[number] = Some(part.to_vec());
        message.missing -= 1;
        message.bytes += part.len();
        self.bytes += part.len();
        if message.missing > 0 {
            return Datagram::Waiting;
        }
        let joined = self.messages.remove(&key).map(|message| {
            self.bytes -= message.bytes;
            message.parts.into_iter().flatten().flatten().collect()
        });
        joined.map_or(Datagram::Refused, Datagram::Joined)
    }

    /// Gives up messages that have waited too long.
    pub fn expire(&mut self, now_ns: i64) {
        let before = self.messages.len();
        let (wait_ns, bytes) = (self.limits.wait_ns, &mut self.bytes);
        self.messages.retain(|_, message| {
            let waits = now_ns.saturating_sub(message.since_ns) <= wait_ns;
            if !waits {
                *bytes -= message.bytes;
            }
            waits
        });
        self.given_up += (before - self.messages.len()) as u64;
    }

    /// Gives up the oldest until there is room.
    fn make_room(&mut self, messages: usize, bytes: usize) {
        while self.messages.len() + messages > self.limits.messages_max
            || self.bytes + bytes > self.limits.bytes_max
        {
            let oldest = self.messages.iter().min_by_key(|(_, message)| message.since_ns);
            let Some(key) = oldest.map(|(key, _)| *key) else { return };
            if let Some(message) = self.messages.remove(&key) {
                self.bytes -= message.bytes;
                self.given_up += 1;
            }
        }
    }
}
