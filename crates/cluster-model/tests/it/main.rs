//! A model of several nodes on one catalogue and one object store: random histories in which nodes pause, die and come
//! back, disks burn and answers are lost. `TIDEGAUGE_CLUSTER_ONLY=7` lives and prints one history again,
//! `TIDEGAUGE_CLUSTER_HISTORIES=100000` tries more, and `TIDEGAUGE_CLUSTER_SHOW=1` prints what goes wrong without a rule.

#![expect(clippy::expect_used, reason = "a test fails by panicking, which names the line")]

mod adopt;
mod breaks;
mod bucket;
mod catalogue;
mod history;
mod ingest;
mod ledger;
mod memory;
mod process;
mod publish;
mod read;
mod rules;
mod search;
mod tape;
mod world;

use history::{Came, live};
use rules::Rules;
use tape::Tape;

/// How many histories every change has to pass.
const HISTORIES: u64 = 4000;

#[expect(clippy::disallowed_methods, reason = "a test is told its seed by who looks for a fault")]
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[expect(clippy::print_stderr, reason = "who looks for a fault reads the history")]
fn print(title: &str, came: &Came) {
    eprintln!("{title}");
    came.notes.iter().for_each(|line| eprintln!("{line}"));
    match &came.wrong {
        Some(wrong) => eprintln!("{wrong}"),
        None => eprintln!("all that was promised was kept"),
    }
}

#[test]
fn with_all_rules_every_history_keeps_what_was_promised() {
    let rules = Rules::default();
    if let Some(seed) = asked("TIDEGAUGE_CLUSTER_ONLY") {
        return print("the whole history:", &live(rules, Tape::of_seed(seed), true));
    }
    let first = asked("TIDEGAUGE_CLUSTER_SEED").unwrap_or(1);
    let count = asked("TIDEGAUGE_CLUSTER_HISTORIES").unwrap_or(HISTORIES);
    if let Some(seed) = search::find(rules, first, count, None) {
        print("what goes wrong, shortened:", &search::shortened(rules, seed));
        panic!("the history of seed {seed} goes wrong; what it needs for that is above");
    }
}

#[test]
fn the_same_seed_is_the_same_history() {
    for seed in 1..20 {
        let one = live(Rules::default(), Tape::of_seed(seed), true);
        let other = live(Rules::default(), Tape::of_draws(one.draws.clone()), true);
        assert_eq!(one.notes, other.notes, "seed {seed}");
        assert!(one.notes.len() > 20, "seed {seed} is a history in which hardly anything happens");
    }
}

/// A search that finds nothing proves something only if what it looks for can happen.
#[test]
fn what_can_go_wrong_does() {
    let mut notes = String::new();
    for seed in 1..=400 {
        notes.extend(
            live(Rules::default(), Tape::of_seed(seed), true).notes.iter().map(|note| format!("{note}\n")),
        );
    }
    let wanted = [
        "acknowledges Record",
        "but the answer is lost",
        "is done after all",
        "will never be done",
        "arrives late",
        "claims a key: ByAnother",
        "claims a key: Stored",
        "publishes a flush: Done",
        "publishes a flush: Fenced",
        "publishes an adoption: Done",
        "publishes an adoption: Fenced",
        "publishes an adoption: Conflict",
        "publishes a merge: Done",
        "publishes a merge: Fenced",
        "publishes a merge: Conflict",
        "has lost its epoch",
        "Some(Stale)",
        "lists 2 objects",
        "begins anew",
        "deletes Log",
        "deletes Segment",
        "is now Paused",
        "burns",
    ];
    let missing: Vec<&str> = wanted.into_iter().filter(|what| !notes.contains(what)).collect();
    assert!(missing.is_empty(), "400 histories without {missing:?}");
}
