//! The connections that there are. When there are as many as there may be, a new one takes the place of one that has not
//! been answered yet, the oldest of the address with most of those: whoever opens connections and finishes no request
//! on them shuts out itself. Answered ones go only when there is nothing else, those first that wait longest.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use futures_util::task::AtomicWaker;

/// What is written is an answer from here on: a greeting of HTTP/2, which nobody has asked for, is shorter.
const ANSWER_BYTES: u64 = 128;

/// All connections of a listener.
#[derive(Debug)]
pub(super) struct Table {
    max: usize,
    entries: Mutex<Entries>,
    /// Moves on with every answer, so that connections have an age.
    clock: AtomicU64,
}

#[derive(Debug, Default)]
struct Entries {
    by_number: HashMap<u64, Entry>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    address: IpAddr,
    state: Arc<State>,
}

/// What is known of a connection.
#[derive(Debug)]
struct State {
    is_answered: AtomicBool,
    is_cut: AtomicBool,
    written: AtomicU64,
    /// When it was last written to, or accepted.
    last: AtomicU64,
    reader: AtomicWaker,
}

/// The place of one connection, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    table: Arc<Table>,
    number: u64,
    state: Arc<State>,
}

impl Table {
    pub(super) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, entries: Mutex::default(), clock: AtomicU64::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// A place for a new connection, if need be that of another.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Place {
        let address = network_of(address);
        let state = Arc::new(State {
            is_answered: AtomicBool::new(false),
            is_cut: AtomicBool::new(false),
            written: AtomicU64::new(0),
            last: AtomicU64::new(self.now()),
            reader: AtomicWaker::new(),
        });
        let mut entries = self.lock();
        if entries.by_number.len() >= self.max
            && let Some(number) = entries.least_wanted()
            && let Some(gone) = entries.by_number.remove(&number)
        {
            gone.state.cut();
        }
        let number = entries.next;
        entries.next += 1;
        entries.by_number.insert(number, Entry { address, state: Arc::clone(&state) });
        drop(entries);
        Place { table: Arc::clone(self), number, state }
    }
}

/// Who has an address of the sixth version has as many as there are in its network.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::from((u128::from(address) >> 64 << 64).to_be_bytes()),
        fourth => fourth,
    }
}

impl Entries {
    fn least_wanted(&self) -> Option<u64> {
        let mut unanswered: HashMap<IpAddr, usize> = HashMap::new();
        for entry in self.by_number.values().filter(|entry| !entry.state.is_answered()) {
            *unanswered.entry(entry.address).or_default() += 1;
        }
        let rank = |entry: &Entry| {
            let is_answered = entry.state.is_answered();
            let of_address = unanswered.get(&entry.address).copied().unwrap_or(0);
            let of_address = if is_answered { 0 } else { of_address };
            (is_answered, std::cmp::Reverse(of_address), entry.state.last.load(Ordering::Relaxed))
        };
        self.by_number.iter().min_by_key(|(_, entry)| rank(entry)).map(|(number, _)| *number)
    }
}

impl State {
    fn is_answered(&self) -> bool {
        self.is_answered.load(Ordering::Relaxed)
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        self.reader.wake();
    }
}

impl Place {
    /// Whether another connection has got the place: this one ends.
    pub(super) fn is_lost(&self) -> bool {
        self.state.is_cut.load(Ordering::Acquire)
    }

    /// Ends when another connection has got the place.
    pub(super) async fn lost(&self) {
        std::future::poll_fn(|context| {
            self.watch(context.waker());
            if self.is_lost() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Notes that something was written, which is an answer when it is long enough.
    pub(super) fn wrote(&self, bytes: usize) {
        if self.state.written.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64 >= ANSWER_BYTES {
            self.is_answered();
        }
    }

    fn is_answered(&self) {
        self.state.last.store(self.table.now(), Ordering::Relaxed);
        self.state.is_answered.store(true, Ordering::Relaxed);
    }

    /// Who is woken when the place is lost.
    pub(super) fn watch(&self, waker: &Waker) {
        self.state.reader.register(waker);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn who_finishes_no_request_shuts_out_itself() {
        let table = Table::new(4);
        let answered = table.enter(address(1));
        answered.is_answered();
        let waiting = table.enter(address(2));
        let half_open = [table.enter(address(3)), table.enter(address(3))];
        let new = table.enter(address(4));
        assert!(half_open[0].is_lost() && !half_open[1].is_lost(), "the oldest of who has most");
        assert!(!answered.is_lost() && !waiting.is_lost() && !new.is_lost());
        let same = table.enter(address(3));
        assert!(!same.is_lost(), "also where all come from one address the newest is served");
        assert_eq!(table.lock().by_number.len(), 4);
    }

    #[test]
    fn answered_connections_go_last_and_the_longest_silent_first() {
        let table = Table::new(3);
        let places = [table.enter(address(1)), table.enter(address(1)), table.enter(address(2))];
        [2, 0, 1].into_iter().for_each(|at: usize| places[at].is_answered());
        let new = table.enter(address(1));
        assert!(places[2].is_lost() && !places[0].is_lost() && !places[1].is_lost());
        let next = table.enter(address(2));
        assert!(new.is_lost(), "it was not answered yet");
        drop(next);
        assert_eq!(table.lock().by_number.len(), 2);
    }
}
