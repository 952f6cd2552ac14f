//! Histories of a store in a simulated world, decided by seeds: clock, chance, disk, object store and catalogue fail, die
//! and come back, and after each step all is compared with a simple model. A history that goes wrong is printed with its
//! seed; `TIDEGAUGE_SIMULATE_ONLY=7` lives and prints that one again, and `make simulate` tries thousands.

mod checks;
mod dice;
mod disk;
mod faults;
mod history;
mod model;
mod node;
mod objects;
mod sending;
mod steps;
mod world;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use faults::Sabotage;
use history::History;
use world::World;

/// How many histories every change has to pass.
const HISTORIES: u64 = 40;

/// Of so many with something done wrong on purpose, one must notice.
const SABOTAGED: u64 = 40;

/// What came of a history.
struct Came {
    written_down: Vec<String>,
    wrong: Option<String>,
}

/// The catalogue that all histories of a run begin with.
struct Beginning {
    _folder: tempfile::TempDir,
    catalog: PathBuf,
}

impl Beginning {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let catalog = folder.path().join("catalog.db");
        runtime().block_on(node::template(&catalog));
        Self { _folder: folder, catalog }
    }
}

/// One thread, so that what is not waited for is done in a certain order too.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn run(seed: u64, beginning: &Path, sabotage: Option<Sabotage>) -> Came {
    let world = World::new(seed.is_multiple_of(2), sabotage);
    std::fs::copy(beginning, world.folder.path().join("catalog.db")).unwrap();
    let told = Arc::clone(&world);
    let live = move || runtime().block_on(async move { History::new(world, seed).await.run().await });
    let wrong = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(live)) {
        Ok(done) => done.err(),
        Err(panic) => Some(said(&*panic)),
    };
    Came { written_down: told.written_down(), wrong }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("a panic: {}", text.unwrap_or_default())
}

/// Tries histories side by side, and gives the seeds of those that went wrong, with what was.
fn run_all(first: u64, count: u64, sabotage: Option<Sabotage>) -> Vec<(u64, Came)> {
    let beginning = Beginning::new();
    let (next, wrong) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::SeqCst);
        // With something done wrong on purpose, one that notices is enough.
        let is_noticed = sabotage.is_some() && !wrong.lock().unwrap().is_empty();
        if is_noticed || seed >= first + count {
            return;
        }
        let came = run(seed, &beginning.catalog, sabotage);
        if came.wrong.is_some() {
            wrong.lock().unwrap().push((seed, came));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort_by_key(|(seed, _)| *seed);
    wrong
}

#[expect(clippy::disallowed_methods, reason = "a test is told its seed by who looks for a fault")]
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

#[expect(clippy::print_stderr, reason = "who looks for a fault reads the history")]
fn print(came: &Came) {
    came.written_down.iter().for_each(|line| eprintln!("{line}"));
    eprintln!("{}", came.wrong.as_deref().unwrap_or("all that was promised was kept"));
}

#[test]
#[expect(clippy::print_stderr, clippy::print_stdout, reason = "who looks for a fault reads what came of it")]
fn every_history_keeps_what_was_promised() {
    let only = asked("TIDEGAUGE_SIMULATE_ONLY");
    if let Some(seed) = only {
        print(&run(seed, &Beginning::new().catalog, None));
    }
    let first = only.or(asked("TIDEGAUGE_SIMULATE_SEED")).unwrap_or(1);
    let count = only.map(|_| 1).or(asked("TIDEGAUGE_SIMULATE_HISTORIES")).unwrap_or(HISTORIES);
    let wrong = run_all(first, count, None);
    if let Some((_, came)) = wrong.first().filter(|_| only.is_none()) {
        print(came);
    }
    for (seed, came) in &wrong {
        eprintln!("seed {seed}: {}", came.wrong.as_deref().unwrap_or_default());
    }
    assert!(wrong.is_empty(), "{} of {count} histories went wrong", wrong.len());
    println!("{count} histories from seed {first} on: all that was promised was kept");
}

#[test]
fn the_same_seed_is_the_same_history() {
    let beginning = Beginning::new();
    for seed in [1, 2, 3, 4, 5, 6] {
        let (one, other) = (run(seed, &beginning.catalog, None), run(seed, &beginning.catalog, None));
        let first = one.written_down.iter().zip(&other.written_down).find(|(one, other)| one != other);
        assert_eq!(first, None, "seed {seed}");
        assert_eq!(one.written_down.len(), other.written_down.len(), "seed {seed}");
    }
}

#[test]
fn what_is_done_wrong_on_purpose_is_noticed() {
    for sabotage in [Sabotage::Syncs, Sabotage::FolderSyncs, Sabotage::Puts, Sabotage::Deletions] {
        let wrong = run_all(1, SABOTAGED, Some(sabotage));
        assert!(!wrong.is_empty(), "{sabotage:?} is not noticed by {SABOTAGED} histories");
    }
}
