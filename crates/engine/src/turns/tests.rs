//! Who computes next.

use std::task::Waker;
use std::time::Duration;

use super::state::{LENGTH, SHORT};
use super::*;

/// Waits for a turn; whether there is one at once.
fn take(share: &Arc<Share>, ticket: &mut Option<u64>) -> bool {
    let context = Context::from_waker(Waker::noop());
    share.turns.poll_take(share, ticket, &context).is_ready()
}

/// Ends the oldest turn of a share after so long.
fn give_back(share: &Arc<Share>, nanos: u64) {
    let turn = share
        .turns
        .lock()
        .running
        .iter()
        .find(|running| Arc::ptr_eq(&running.share, share))
        .map(|running| running.turn);
    share.turns.give_back(turn.expect("it has a turn"), nanos);
}

/// Lends a turn once the latest has lasted so long; whether there was one to lend.
fn lend_after(turns: &Turns, length: Duration) -> bool {
    let mut state = turns.lock();
    let latest = state.running.iter().map(|running| running.began).max().expect("somebody has a turn");
    state.lend(latest + length).is_some()
}

/// Turns that are not lent.
fn never_lent(threads: usize) -> Arc<Turns> {
    let turns = Turns::new(threads);
    turns.lock().lent_max = 0;
    turns
}

const MILLISECOND: u64 = 1_000_000;

#[test]
fn a_turn_goes_to_the_organisation_that_had_least() {
    let turns = never_lent(1);
    let [loud, other, quiet] = [("loud", "a"), ("loud", "b"), ("quiet", "a")]
        .map(|(org, of)| turns.share(&Asker::new(org, of), None));
    let mut tickets = [None, None, None];
    assert!(take(&loud, &mut tickets[0]));
    give_back(&loud, 1_000 * MILLISECOND);
    assert!(take(&loud, &mut tickets[0]));
    assert!(!take(&other, &mut tickets[1]));
    assert!(!take(&quiet, &mut tickets[2]));
    give_back(&loud, 2 * MILLISECOND);
    assert!(!take(&other, &mut tickets[1]), "it came first, and its organisation had more");
    assert!(take(&quiet, &mut tickets[2]));
    give_back(&quiet, 30 * MILLISECOND);
    assert!(take(&other, &mut tickets[1]));
}

#[test]
fn who_was_away_has_saved_up_little() {
    let turns = never_lent(1);
    // Two queries of each, so that one of each always waits.
    let shares = [("busy", "a"), ("busy", "b"), ("back", "a"), ("back", "b")]
        .map(|(org, of)| turns.share(&Asker::new(org, of), None));
    let mut tickets = [None; 4];
    for _ in 0..1_000 {
        assert!(take(&shares[0], &mut tickets[0]));
        give_back(&shares[0], 2 * MILLISECOND);
    }
    // It goes first for 20 ms, and then they take turns.
    let mut order = Vec::new();
    assert!(take(&shares[0], &mut tickets[0]));
    (1..4).for_each(|at| assert!(!take(&shares[at], &mut tickets[at])));
    let mut held = 0;
    for _ in 0..40 {
        give_back(&shares[held], 2 * MILLISECOND);
        assert!(!take(&shares[held], &mut tickets[held]), "others wait");
        held = (0..4).find(|at| take(&shares[*at], &mut tickets[*at])).unwrap();
        order.push(if held < 2 { "busy" } else { "back" });
    }
    assert!(order[..10].iter().all(|has| *has == "back"), "{order:?}");
    let of_back = order.iter().filter(|has| **has == "back").count();
    assert!((24..=28).contains(&of_back), "{order:?}");
}

#[test]
fn who_gives_up_hands_its_turn_on() {
    let turns = Turns::new(1);
    let share = turns.share(&Asker::default(), None);
    let (mut first, mut second, mut third) = (None, None, None);
    assert!(take(&share, &mut first));
    assert!(!take(&share, &mut second));
    assert!(!take(&share, &mut third));
    give_back(&share, 1);
    turns.give_up(second.unwrap());
    assert!(take(&share, &mut third));
    give_back(&share, 1);
    assert_eq!(turns.lock().free, 1);
    assert!(turns.lock().waiting.is_empty());
}

#[test]
fn a_turn_that_does_not_end_is_lent_to_another_organisation() {
    let turns = Turns::new(1);
    let [loud, again, quiet] = [("loud", "a"), ("loud", "b"), ("quiet", "a")]
        .map(|(org, of)| turns.share(&Asker::new(org, of), None));
    let (mut of_loud, mut of_again, mut of_quiet) = (None, None, None);
    let lend = || lend_after(&turns, Duration::from_millis(50));
    assert!(take(&loud, &mut of_loud));
    assert!(!take(&again, &mut of_again));
    assert!(!lend(), "its own organisation waits with it");
    assert!(!take(&quiet, &mut of_quiet));
    assert!(lend());
    assert!(take(&quiet, &mut of_quiet));
    // The other one has the turn now; what is left over is for nobody of an organisation that does not pause.
    give_back(&quiet, MILLISECOND);
    assert!(!take(&again, &mut of_again));
    assert_eq!(turns.lock().free, 1);
    assert!(take(&quiet, &mut of_quiet), "it is there for others");
    give_back(&quiet, MILLISECOND);
    give_back(&loud, 60 * MILLISECOND);
    assert!(take(&again, &mut of_again), "it was kept back, and is told");
    let had = loud.had().0 / MILLISECOND;
    assert!((60..80).contains(&had), "what was charged when it was lent is not charged again: {had} ms");
    give_back(&again, MILLISECOND);
    let state = turns.lock();
    assert_eq!((state.free, state.lent().count(), state.running.len(), state.waiting.len()), (1, 0, 0, 0));
}

#[test]
fn turns_are_shorter_while_one_waits_that_had_less() {
    let turns = never_lent(1);
    let [loud, again, quiet] = [("loud", "a"), ("loud", "b"), ("quiet", "a")]
        .map(|(org, of)| turns.share(&Asker::new(org, of), None));
    let (mut of_loud, mut of_again, mut of_quiet) = (None, None, None);
    for _ in 0..2 {
        assert!(take(&loud, &mut of_loud));
        give_back(&loud, 100 * MILLISECOND);
    }
    assert!(take(&loud, &mut of_loud));
    assert!(!take(&again, &mut of_again));
    assert_eq!(turns.length(), LENGTH, "it is of the same organisation");
    assert!(!take(&quiet, &mut of_quiet));
    assert_eq!(turns.length(), SHORT);
    give_back(&loud, MILLISECOND);
    assert!(take(&quiet, &mut of_quiet));
    assert_eq!(turns.length(), LENGTH);
}

#[test]
fn who_had_little_computes_at_once() {
    let turns = Turns::new(1);
    let (loud, quiet) =
        (turns.share(&Asker::new("loud", "a"), None), turns.share(&Asker::new("quiet", "a"), None));
    let (mut of_loud, mut of_quiet) = (None, None);
    for _ in 0..2 {
        assert!(take(&loud, &mut of_loud));
        give_back(&loud, 100 * MILLISECOND);
    }
    // For as long as it has had less, which is 20 ms.
    let mut steps = 0;
    loop {
        assert!(take(&loud, &mut of_loud));
        if !take(&quiet, &mut of_quiet) {
            break;
        }
        give_back(&loud, 1);
        give_back(&quiet, MILLISECOND);
        steps += 1;
    }
    // What it lends is charged by the clock: where its thread stood still, the other one may have as much more.
    let stood_still = (loud.had().0 / MILLISECOND).saturating_sub(200);
    assert!((17..=20 + stood_still).contains(&steps), "{steps} with {stood_still}");
    give_back(&loud, 1);
    assert!(take(&quiet, &mut of_quiet));
}

#[test]
fn a_turn_that_is_short_is_not_lent() {
    let turns = Turns::new(1);
    let (loud, quiet) =
        (turns.share(&Asker::new("loud", "a"), None), turns.share(&Asker::new("quiet", "a"), None));
    let (mut of_loud, mut of_quiet) = (None, None);
    assert!(take(&loud, &mut of_loud));
    assert!(!take(&quiet, &mut of_quiet));
    let began = turns.lock().running[0].began;
    assert!(turns.lock().lend(began + LENGTH).is_none());
    assert!(turns.lock().lend(began + LENGTH * 2).is_some());
}

#[test]
fn lent_turns_have_an_end() {
    let turns = Turns::new(1);
    let shares: Vec<_> =
        (0..20).map(|number| turns.share(&Asker::new(&format!("org{number}"), "a"), None)).collect();
    let mut tickets = vec![None; shares.len()];
    let mut computing = 0;
    for _ in 0..shares.len() {
        for (share, ticket) in shares.iter().zip(&mut tickets).skip(computing) {
            computing += usize::from(take(share, ticket));
        }
        lend_after(&turns, LENGTH * 2);
    }
    assert_eq!(computing, Turns::threads(1));
}

/// A function that does not pause keeps all threads but those that are there for others.
#[test]
fn work_that_never_pauses_lets_others_compute() {
    let turns = Turns::new(1);
    let _watch = Watch::begin(&turns).unwrap();
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(Turns::threads(1))
        .enable_all()
        .build()
        .unwrap();
    turns.compute_on(threads.handle());
    let (tell, told) = std::sync::mpsc::channel::<()>();
    let (begin, begun) = tokio::sync::oneshot::channel();
    let hog = threads.spawn(InTurns::new(turns.share(&Asker::new("loud", "a"), None), async move {
        begin.send(()).unwrap();
        told.recv().unwrap();
    }));
    threads.block_on(begun).unwrap();
    let quiet = threads.spawn(InTurns::new(turns.share(&Asker::new("quiet", "a"), None), async { 7 }));
    assert_eq!(threads.block_on(quiet).unwrap(), 7);
    tell.send(()).unwrap();
    threads.block_on(hog).unwrap();
    assert_eq!(turns.lock().free, 1);
}

/// One thread for each turn, and the others as long as queries of several organisations run.
#[test]
fn threads_of_lent_turns_sleep_while_one_organisation_asks() {
    let turns = Turns::new(2);
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(Turns::threads(2))
        .enable_all()
        .build()
        .unwrap();
    turns.compute_on(threads.handle());
    assert_eq!(turns.spare.asleep(), 0, "nobody has asked");
    let one = turns.share(&Asker::new("one", "a"), None);
    let again = turns.share(&Asker::new("one", "b"), None);
    assert_eq!(turns.spare.asleep(), 2);
    let other = turns.share(&Asker::new("other", "a"), None);
    turns.spare.all_awake();
    drop((other, again, one));
    // Longer than this thread stands still.
    let later = Duration::from_secs(600);
    turns.spare.put_off(later);
    drop(turns.share(&Asker::new("one", "a"), None));
    assert_eq!(turns.spare.asleep(), 0, "the other organisation may ask again soon");
    turns.spare.let_pass(later + Duration::from_millis(101));
    drop(turns.share(&Asker::new("other", "a"), None));
    assert_eq!(turns.spare.asleep(), 2);
    turns.stop();
    turns.spare.all_awake();
}

/// Two organisations want one turn, one for twenty queries and one for one: both get half.
#[test]
fn many_queries_have_no_more_than_one() {
    let turns = never_lent(1);
    let orgs = std::iter::once("one").chain(std::iter::repeat_n("many", 20));
    let shares: Vec<_> = orgs.map(|org| turns.share(&Asker::new(org, "token"), None)).collect();
    let mut tickets = vec![None; shares.len()];
    assert!(take(&shares[1], &mut tickets[1]));
    let mut held = 1;
    (0..shares.len()).filter(|at| *at != 1).for_each(|at| assert!(!take(&shares[at], &mut tickets[at])));
    let mut of_one = 0;
    let mut all = 0;
    while of_one < 20 {
        give_back(&shares[held], 40 * MILLISECOND);
        assert!(!take(&shares[held], &mut tickets[held]), "others wait");
        held = (0..shares.len()).find(|at| take(&shares[*at], &mut tickets[*at])).unwrap();
        of_one += usize::from(held == 0);
        all += 1;
    }
    assert!(all < 45, "its twenty turns were among the first {all}");
}
