//! The connections that there are. When there are as many as there may be, a new one takes the place of another: of one
//! that was not answered yet, where there are more of those than their reserve, or else of one without an authenticated
//! request, where there are more of those than theirs, or else of one with. The address with most of them gives it, an idle
//! one before a busy one, and the longest silent first: whoever opens connections shuts out itself, whatever is asked on
//! them. A trusted proxy stands for many callers: its connections count as authenticated, and each that is busy by itself.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use futures_util::task::AtomicWaker;
use tidegauge_admission::config::TrustedProxies;
use tidegauge_metrics::connections::{ConnectionMetrics, Cut};

/// What is written is an answer from here on: a greeting of HTTP/2, which nobody has asked for, is shorter.
const ANSWER_BYTES: u64 = 128;

/// One in so many places is the reserve of connections that were not answered yet, and another one that of connections
/// without an authenticated request: so many are not given up for others. The rest, six of eight, is for known callers.
const RESERVE: usize = 8;

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
    is_proxy: bool,
    state: Arc<State>,
}

/// What is looked at once of a connection, because it can change meanwhile.
struct Seen<'a> {
    number: u64,
    entry: &'a Entry,
    standing: Standing,
    is_busy: bool,
}

/// What a connection is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It was not answered yet, and its first head is not overdue.
    New,
    /// No request that came by it was authenticated.
    Anonymous,
    /// A request that came by it was, or it is a trusted proxy's.
    Established,
}

/// What is known of a connection.
#[derive(Debug)]
pub(super) struct State {
    is_new: AtomicBool,
    is_established: AtomicBool,
    is_cut: AtomicBool,
    /// Whether its end is in the figures.
    is_counted: AtomicBool,
    /// Requests that are worked on, until their answers are taken.
    in_flight: AtomicUsize,
    /// Whether something waits to be written.
    is_unread: AtomicBool,
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
        let is_proxy = self.proxies.contains(address);
        let state = Arc::new(State::new(is_proxy, self.now()));
        let mut entries = self.lock();
        if entries.by_number.len() >= self.max
            && let Some(number) = entries.least_wanted((self.max / RESERVE).max(1))
            && let Some(gone) = entries.by_number.remove(&number)
        {
            gone.state.cut();
            self.count(&gone.state, Cut::Crowded);
        }
        let number = entries.next;
        entries.next += 1;
        let address = network_of(address);
        entries.by_number.insert(number, Entry { address, is_proxy, state: Arc::clone(&state) });
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
    /// The connection that goes, where there are too many.
    fn least_wanted(&self, reserve: usize) -> Option<u64> {
        let seen: Vec<Seen<'_>> = self.by_number.iter().map(|(number, entry)| entry.seen(*number)).collect();
        let has_more_than = |standing: Standing, most: usize| {
            seen.iter().filter(|it| it.standing == standing).nth(most).is_some()
        };
        let beyond = [
            (Standing::New, reserve),
            (Standing::Anonymous, reserve),
            (Standing::Established, 0),
            (Standing::Anonymous, 0),
            (Standing::New, 0),
        ];
        let (giving, _) = beyond.into_iter().find(|(standing, most)| has_more_than(*standing, *most))?;

        let candidates = || seen.iter().filter(move |it| it.standing == giving);
        let mut of_addresses: HashMap<IpAddr, usize> = HashMap::new();
        for seen in candidates() {
            *of_addresses.entry(seen.entry.address).or_default() += 1;
        }
        let rank = |seen: &Seen<'_>| {
            // A request of a proxy is a caller's; what the proxy keeps for later is its own.
            let is_alone = seen.entry.is_proxy && seen.is_busy;
            let of_address = if is_alone { 1 } else { of_addresses[&seen.entry.address] };
            (Reverse(of_address), seen.is_busy, seen.entry.state.last.load(Ordering::Relaxed))
        };
        candidates().min_by_key(|seen| rank(seen)).map(|seen| seen.number)
    }
}

impl Entry {
    fn seen(&self, number: u64) -> Seen<'_> {
        Seen { number, entry: self, standing: self.state.standing(), is_busy: self.state.is_busy() }
    }
}

impl State {
    fn new(is_proxy: bool, now: u64) -> Self {
        Self {
            is_new: AtomicBool::new(!is_proxy),
            is_established: AtomicBool::new(is_proxy),
            is_cut: AtomicBool::new(false),
            is_counted: AtomicBool::new(false),
            in_flight: AtomicUsize::new(0),
            is_unread: AtomicBool::new(false),
            written: AtomicU64::new(0),
            last: AtomicU64::new(now),
            reader: AtomicWaker::new(),
        }
    }

    fn standing(&self) -> Standing {
        match (self.is_established(), self.is_new()) {
            (true, _) => Standing::Established,
            (false, true) => Standing::New,
            (false, false) => Standing::Anonymous,
        }
    }

    pub(super) fn is_established(&self) -> bool {
        self.is_established.load(Ordering::Relaxed)
    }

    fn is_new(&self) -> bool {
        self.is_new.load(Ordering::Relaxed)
    }

    /// Whether a request is worked on, or something waits to be written.
    pub(super) fn is_busy(&self) -> bool {
        self.in_flight.load(Ordering::Relaxed) > 0 || self.is_unread.load(Ordering::Relaxed)
    }

    /// Notes that a request is worked on.
    pub(super) fn request_begins(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that its answer was taken, or that nobody works on it any more.
    pub(super) fn request_ends(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// Notes that a request was authenticated.
    pub(super) fn establish(&self) {
        self.is_established.store(true, Ordering::Relaxed);
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

    /// For who looks at the requests of the connection.
    pub(super) fn state(&self) -> Arc<State> {
        Arc::clone(&self.state)
    }

    /// Whether there was neither an answer yet nor the end of the time for the first head.
    pub(super) fn is_new(&self) -> bool {
        self.state.is_new()
    }

    /// Notes that the time for the first head is over.
    pub(super) fn is_overdue(&self) {
        self.state.is_new.store(false, Ordering::Relaxed);
    }

    /// Notes whether something waits to be written.
    pub(super) fn waits_to_write(&self, is_waiting: bool) {
        self.state.is_unread.store(is_waiting, Ordering::Relaxed);
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
        self.state.is_new.store(false, Ordering::Relaxed);
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
mod tests;
