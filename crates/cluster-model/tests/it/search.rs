//! Looks for histories that go wrong, on all processors, and makes the first that does as short as it can.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::history::{Came, live};
use crate::ledger::Kind;
use crate::rules::Rules;
use crate::tape::{Draws, Tape};

/// How many shorter histories are tried for one that goes wrong.
const TRIES: u32 = 4000;

/// The first seed, of so many, whose history goes wrong, in the given way if one is given.
pub(super) fn find(rules: Rules, first: u64, count: u64, kind: Option<Kind>) -> Option<u64> {
    let (next, is_found, found) = (AtomicU64::new(first), AtomicBool::new(false), Mutex::new(Vec::new()));
    let work = || {
        while !is_found.load(Ordering::SeqCst) {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= first + count {
                return;
            }
            let wrong = live(rules, Tape::of_seed(seed), false).wrong;
            if wrong.is_some_and(|wrong| kind.is_none_or(|kind| kind == wrong.kind)) {
                is_found.store(true, Ordering::SeqCst);
                found.lock().expect("no thread panics with it").push(seed);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    found.into_inner().expect("no thread panics with it").into_iter().min()
}

/// A history that goes wrong, without the steps that it does not need for that.
pub(super) fn shortened(rules: Rules, seed: u64) -> Came {
    let came = live(rules, Tape::of_seed(seed), false);
    let Some(kind) = came.wrong.as_ref().map(|wrong| wrong.kind) else { return came };
    let goes_wrong = |draws: &Draws| {
        let wrong = live(rules, Tape::of_draws(draws.clone()), false).wrong;
        wrong.is_some_and(|wrong| wrong.kind == kind)
    };
    let (mut draws, mut tries) = (came.draws, 0);
    let mut size = draws.len() / 2;
    while size > 0 && tries < TRIES {
        let before = draws.len();
        // The first draws lay the history out.
        let mut at = 1;
        while at < draws.len() && tries < TRIES {
            tries += 1;
            let mut shorter = draws.clone();
            shorter.drain(at..(at + size).min(draws.len()));
            match goes_wrong(&shorter) {
                true => draws = shorter,
                false => at += size,
            }
        }
        if size > 1 || draws.len() == before {
            size /= 2;
        }
    }
    live(rules, Tape::of_draws(draws), true)
}
