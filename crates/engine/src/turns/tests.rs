//! Who computes next.

use std::sync::Mutex;
use std::task::Waker;

use super::*;

/// Waits for a turn; whether there is one at once.
fn take(share: &Arc<Share>, ticket: &mut Option<u64>) -> bool {
    let context = Context::from_waker(Waker::noop());
    share.turns.poll_take(share, ticket, &context).is_ready()
}

const MILLISECOND: u64 = 1_000_000;

#[test]
fn a_turn_goes_to_the_organisation_that_had_least() {
    let turns = Turns::new(1);
    let [loud, other, quiet] =
        [("loud", "a"), ("loud", "b"), ("quiet", "a")].map(|(org, of)| turns.share(&Asker::new(org, of)));
    let mut tickets = [None, None, None];
    assert!(take(&loud, &mut tickets[0]));
    turns.give_back(&loud, 1_000 * MILLISECOND);
    assert!(take(&loud, &mut tickets[0]));
    assert!(!take(&other, &mut tickets[1]));
    assert!(!take(&quiet, &mut tickets[2]));
    turns.give_back(&loud, 2 * MILLISECOND);
    assert!(!take(&other, &mut tickets[1]), "it came first, and its organisation had more");
    assert!(take(&quiet, &mut tickets[2]));
    turns.give_back(&quiet, 30 * MILLISECOND);
    assert!(take(&other, &mut tickets[1]));
}

#[test]
fn who_was_away_has_saved_up_little() {
    let turns = Turns::new(1);
    let (busy, back) = (turns.share(&Asker::new("busy", "a")), turns.share(&Asker::new("back", "a")));
    let (mut of_busy, mut of_back) = (None, None);
    for _ in 0..1_000 {
        assert!(take(&busy, &mut of_busy));
        turns.give_back(&busy, 2 * MILLISECOND);
    }
    // It goes first for 20 ms, and then they take turns.
    let mut order = Vec::new();
    assert!(take(&busy, &mut of_busy));
    assert!(!take(&back, &mut of_back));
    let mut has = "busy";
    for _ in 0..40 {
        let (held, ticket) = if has == "busy" { (&busy, &mut of_busy) } else { (&back, &mut of_back) };
        turns.give_back(held, 2 * MILLISECOND);
        assert!(!take(held, ticket), "the other waits and is next or comes first");
        has = if take(&busy, &mut of_busy) { "busy" } else { "back" };
        if has == "back" {
            assert!(take(&back, &mut of_back));
        }
        order.push(has);
    }
    let of_back = order.iter().filter(|has| **has == "back").count();
    assert!((24..=28).contains(&of_back), "{order:?}");
}

#[test]
fn who_gives_up_hands_its_turn_on() {
    let turns = Turns::new(1);
    let share = turns.share(&Asker::default());
    let (mut first, mut second, mut third) = (None, None, None);
    assert!(take(&share, &mut first));
    assert!(!take(&share, &mut second));
    assert!(!take(&share, &mut third));
    turns.give_back(&share, 1);
    turns.give_up(second.unwrap());
    assert!(take(&share, &mut third));
    turns.give_back(&share, 1);
    assert_eq!(turns.lock().free, 1);
    assert!(turns.lock().waiting.is_empty());
}

/// Two organisations compute on one thread, one with twenty tasks and one with one: both get half.
#[tokio::test]
async fn many_tasks_have_no_more_than_one() {
    let turns = Turns::new(1);
    let log = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..21 {
        let org = if number == 0 { "one" } else { "many" };
        let share = turns.share(&Asker::new(org, "token"));
        let log = Arc::clone(&log);
        tasks.spawn(InTurns::new(Arc::clone(&share), async move {
            for _ in 0..20 {
                // As long as a turn, by the account and not by the clock.
                share.charge(40 * MILLISECOND);
                log.lock().unwrap().push(org);
                tokio::task::yield_now().await;
            }
        }));
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let log = log.lock().unwrap();
    let last = log.iter().rposition(|org| *org == "one").unwrap();
    assert!(last < 45, "its twenty turns ended at the {last}th of all");
}
