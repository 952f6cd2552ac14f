//! The connections that there are. When there are as many as there may be, a new one takes the place of one that has not
//! been answered yet, the oldest of the address with most of those: whoever opens connections and finishes no request
//! on them shuts out itself. Answered ones go only when there is nothing else, those first that wait longest. A trusted
//! proxy stands for many callers, and asks when it has a request: its connections count as answered from the start.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use futures_util::task::AtomicWaker;
use tidegauge_app::config::TrustedProxies;
use tidegauge_app::metrics::connections::{ConnectionMetrics, Cut};

/// What is written is an answer from here on: a greeting of HTTP/2, which nobody has asked for, is shorter.
const ANSWER_BYTES: u64 = 128;

/// All connections of a listener.
#[derive(Debug)]
pub(super) struct Table {
    max: usize,
    proxies: TrustedProxies,
    metrics: ConnectionMetrics,
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
    /// Whether its end is in the figures.
    is_counted: AtomicBool,
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
    pub(super) fn new(max: usize, proxies: TrustedProxies, metrics: ConnectionMetrics) -> Arc<Self> {
        Arc::new(Self { max, proxies, metrics, entries: Mutex::default(), clock: AtomicU64::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// A place for a new connection, if need be that of another.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Place {
        let state = Arc::new(State {
            is_answered: AtomicBool::new(self.proxies.contains(address)),
            is_cut: AtomicBool::new(false),
            is_counted: AtomicBool::new(false),
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
            self.count(&gone.state, Cut::Crowded);
        }
        let number = entries.next;
        entries.next += 1;
        let address = network_of(address);
        entries.by_number.insert(number, Entry { address, state: Arc::clone(&state) });
        self.metrics.connections_are(entries.by_number.len());
        drop(entries);
        self.metrics.connection_accepted();
        Place { table: Arc::clone(self), number, state }
    }

    /// Counts the end of a connection, once: it may be noticed in several ways.
    fn count(&self, state: &State, cut: Cut) {
        if !state.is_counted.swap(true, Ordering::Relaxed) {
            self.metrics.connection_cut(cut);
        }
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

    /// Notes that the service ends the connection.
    pub(super) fn cut(&self, cut: Cut) {
        self.table.count(&self.state, cut);
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
        let mut entries = self.table.lock();
        entries.by_number.remove(&self.number);
        self.table.metrics.connections_are(entries.by_number.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn table(max: usize) -> Arc<Table> {
        Table::new(max, TrustedProxies::default(), ConnectionMetrics::default())
    }

    #[test]
    fn who_finishes_no_request_shuts_out_itself() {
        let table = table(4);
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
        let table = table(3);
        let places = [table.enter(address(1)), table.enter(address(1)), table.enter(address(2))];
        [2, 0, 1].into_iter().for_each(|at: usize| places[at].is_answered());
        let new = table.enter(address(1));
        assert!(places[2].is_lost() && !places[0].is_lost() && !places[1].is_lost());
        let next = table.enter(address(2));
        assert!(new.is_lost(), "it was not answered yet");
        drop(next);
        assert_eq!(table.lock().by_number.len(), 2);
    }

    #[test]
    fn a_trusted_proxy_may_have_the_whole_table() {
        let proxies = "10.0.0.1".parse().unwrap();
        let table = Table::new(4, proxies, ConnectionMetrics::default());
        let of_proxy: Vec<Place> = (0..3).map(|_| table.enter(address(1))).collect();
        let half_open = table.enter(address(3));
        let direct = table.enter(address(2));
        assert!(half_open.is_lost(), "one that finishes no request goes before all of a proxy's");
        assert!(of_proxy.iter().chain([&direct]).all(|place| !place.is_lost()));
        of_proxy[0].is_answered();
        let further = [table.enter(address(1)), table.enter(address(1))];
        assert!(direct.is_lost() && of_proxy[1].is_lost(), "then the one that was silent for longest");
        assert!(!of_proxy[0].is_lost() && !of_proxy[2].is_lost() && further.iter().all(|it| !it.is_lost()));
        let direct = table.enter(address(2));
        assert!(of_proxy[2].is_lost() && !direct.is_lost(), "and nobody is shut out by it");
    }

    #[test]
    fn connections_are_counted_and_so_is_why_they_end() {
        let metrics = ConnectionMetrics::default();
        let table = Table::new(1, TrustedProxies::default(), metrics.clone());
        let crowded = table.enter(address(1));
        let silent = table.enter(address(2));
        // One that has lost its place ends for that reason, whatever is noticed first.
        crowded.cut(Cut::Unread);
        silent.cut(Cut::Silent);
        silent.cut(Cut::Silent);
        let counts = [Cut::Crowded, Cut::Silent, Cut::Unread].map(|cut| metrics.count_of(cut));
        assert_eq!(counts, [1, 1, 0]);
    }
}
