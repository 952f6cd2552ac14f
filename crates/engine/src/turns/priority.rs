//! The priorities of threads, on the system's scale to 19. Threads that read requests and write small answers go before
//! those of queries: what they do is short, and others wait for it.

/// Threads that compute in turns.
const OF_TURNS: i32 = 3;

/// Threads beside them, which cannot pause: several of those get about as much together as one that computes in turns.
const BESIDE: i32 = 8;

pub(crate) fn give_way_to_requests() {
    lower_priority(OF_TURNS);
}

pub(super) fn give_way_to_turns() {
    lower_priority(BESIDE);
}

/// Lowers the priority of the calling thread, for good. Where the system has none for threads, it stays as it is.
pub fn lower_priority(nice: i32) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), nice);
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}
