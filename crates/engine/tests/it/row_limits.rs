//! Both sides of the limits that only very many rows reach: how long matches are counted, how many groups a thread keeps,
//! what a glance tells of groups, and how many rows a block has. Events are numbers in the order of time, so that what
//! is right can be computed.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_store::DatasetState;

use crate::support::house::{House, START, Way, block_on};
use crate::support::reply::time_text;
use crate::support::tables::{ask, rows};

/// A request with so many events is a block of the buffer.
const CHUNK_ROWS: u64 = 16 * 1024;

fn time(number: u64) -> i64 {
    START + number as i64 * 1_000
}

fn lines(numbers: Range<u64>) -> String {
    let mut lines = String::new();
    for number in numbers {
        let _ = writeln!(lines, r#"{{"_time":{},"n":{number}}}"#, time(number));
    }
    lines
}

/// So many events in the buffer, in blocks of which only the last may have fewer rows than the others.
async fn buffered(house: &House, events: u64) -> Arc<DatasetState> {
    let state = house.dataset().await;
    let mut next = 0;
    while next < events {
        let end = events.min(next + CHUNK_ROWS);
        house.ingest(&state, &lines(next..end)).await;
        next = end;
    }
    state
}

/// A condition that the events with these numbers are true for, by their time.
fn within(numbers: &Range<u64>) -> String {
    let [from, to] = [numbers.start, numbers.end].map(|number| time_text(time(number)));
    format!("_time >= datetime({from}) and _time < datetime({to})")
}

/// The sum of these numbers.
fn sum(numbers: Range<u64>) -> u64 {
    numbers.sum()
}

/// Matches are counted beyond what is shown while few rows were looked at; the events that are shown are the same.
#[test]
fn lists_are_the_same_on_both_sides_of_what_is_counted() {
    const COUNTED_ROWS: u64 = 512 * 1024;
    block_on(async {
        let house = House::new().await;
        let events = COUNTED_ROWS + 2 * CHUNK_ROWS;
        let state = buffered(&house, events).await;
        let newest: Vec<Json> = (events - 5..events).rev().map(|number| json!([number])).collect();
        for looked_at in [COUNTED_ROWS - 1, COUNTED_ROWS, COUNTED_ROWS + 1, events] {
            let condition = within(&(events - looked_at..events));
            let text = format!("logs | where {condition} and n >= 0 | take 5 | project n");
            let answer = ask(&house, Some(&state), &text, Way::Uncached).await;
            assert_eq!(rows(&answer.tables[0]), Json::from(newest.clone()), "{looked_at}");
            // Of blocks, the first that is not needed any more ends it.
            assert_eq!(answer.figures.rows_matched, looked_at.min(COUNTED_ROWS), "{looked_at}");
        }
        let answer = ask(&house, Some(&state), "logs | take 5 | project n", Way::Uncached).await;
        assert_eq!(rows(&answer.tables[0]), Json::from(newest));
        assert_eq!(answer.figures.rows_matched, events, "without a condition counting costs nothing");
    });
}

/// A thread that has so many groups hands them on, and begins anew with those that come again.
#[test]
fn groups_are_the_same_on_both_sides_of_what_a_thread_keeps() {
    const GROUPS_MAX: u64 = 1 << 18;
    block_on(async {
        let house = House::new().await;
        // Whichever blocks come first, the last ones have groups that were there before.
        let events = GROUPS_MAX + 3 * CHUNK_ROWS;
        let state = buffered(&house, events).await;
        for groups in [GROUPS_MAX - 1, GROUPS_MAX, GROUPS_MAX + 1] {
            let text = format!(
                "logs | summarize c = count(), s = sum(n) by bin(_time, 1d), k = n % {groups} \
                 | summarize count(), sum(c), countif(c == 2), sum(s), max(k)"
            );
            let wanted = json!([[groups, events, events - groups, sum(0..events), groups - 1]]);
            for way in [Way::Uncached, Way::Threads] {
                let answer = ask(&house, Some(&state), &text, way).await;
                assert_eq!(rows(&answer.tables[0]), wanted, "{groups} {way:?}");
            }
        }
    });
}

/// What groups by the rest of a division come to: how many there are, their rows in all, what these sum up to, and how
/// many rows the largest and the smallest have.
fn divided(numbers: impl Iterator<Item = u64>, by: u64) -> Json {
    let mut counts = vec![0_u64; by as usize];
    let mut total = 0;
    for number in numbers {
        counts[(number % by) as usize] += 1;
        total += number;
    }
    let counts = || counts.iter().copied().filter(|count| *count > 0);
    json!([[counts().count(), counts().sum::<u64>(), total, counts().max(), counts().min()]])
}

/// One pass or two, as a look at some rows of some blocks tells: the groups are the same.
#[test]
fn groups_are_the_same_whatever_a_look_at_some_rows_tells() {
    const NARROW_ROWS: u64 = 1 << 16;
    const WIDE_GROUPS: u64 = 4 * 1024;
    const GLANCED_GROUPS: u64 = WIDE_GROUPS / 8;
    block_on(async {
        let house = House::new().await;
        // Of the newest block one row is missing, so that it alone tells nothing.
        let events = 7 * CHUNK_ROWS - 1;
        let state = buffered(&house, events).await;
        let check = async |numbers: Range<u64>, passes: &str, by: u64, wanted: Json| {
            let condition = within(&numbers);
            let text = format!(
                "logs | where {condition} and ({passes}) | summarize c = count(), s = sum(n) by k = n % {by} \
                 | summarize count(), sum(c), sum(s), max(c), min(c)"
            );
            let answer = ask(&house, Some(&state), &text, Way::Threads).await;
            assert_eq!(rows(&answer.tables[0]), wanted, "{text}");
        };
        // Just too few rows to be looked at, just enough, and more.
        for numbers in [events - (NARROW_ROWS - 1)..events, 0..NARROW_ROWS, 0..events] {
            check(numbers.clone(), "n >= 0", 9_001, divided(numbers, 9_001)).await;
        }
        // A glance tells, all rows that are looked at tell, and on both sides of what they tell.
        for groups in [GLANCED_GROUPS, WIDE_GROUPS] {
            for by in [groups - 1, groups, groups + 1] {
                check(0..NARROW_ROWS, "n >= 0", by, divided(0..NARROW_ROWS, by)).await;
            }
        }
        // Of blocks from this number on one row does not pass, and they tell nothing: the second block that is looked at
        // tells, the third, the fourth, or none of those that are looked at.
        for from in [6, 5, 4, 3, 2, 0] {
            let is_passing = |number: &u64| !number.is_multiple_of(CHUNK_ROWS) || *number < from * CHUNK_ROWS;
            let passes = format!("n % {CHUNK_ROWS} != 0 or n < {}", from * CHUNK_ROWS);
            let wanted = divided((0..events).filter(is_passing), 9_001);
            check(0..events, &passes, 9_001, wanted).await;
        }
    });
}

/// A block of a segment has so many rows, and the next begins behind them.
#[test]
fn a_block_ends_with_its_rows_and_the_next_begins() {
    const ROW_GROUP_ROWS: u64 = 128 * 1024;
    block_on(async {
        let house = House::new().await;
        for (events, blocks) in [(ROW_GROUP_ROWS - 1, 1), (ROW_GROUP_ROWS, 1), (ROW_GROUP_ROWS + 1, 2)] {
            let state = buffered(&house, events).await;
            house.flush(&state).await;
            let text = "logs | summarize count(), sum(n), min(n), max(n)";
            let answer = ask(&house, Some(&state), text, Way::Uncached).await;
            assert_eq!(rows(&answer.tables[0]), json!([[events, sum(0..events), 0, events - 1]]));
            assert_eq!(answer.figures.blocks_examined, blocks, "{events}");
            let at_the_end = [ROW_GROUP_ROWS - 2, ROW_GROUP_ROWS - 1, ROW_GROUP_ROWS, ROW_GROUP_ROWS + 1];
            let found: Vec<Json> = at_the_end
                .into_iter()
                .filter(|number| *number < events)
                .map(|number| json!([number]))
                .collect();
            let list = format!("{at_the_end:?}");
            let text =
                format!("logs | where n in ({}) | sort by n asc | project n", &list[1..list.len() - 1]);
            let newest: Vec<Json> = (events - 3..events).rev().map(|number| json!([number])).collect();
            for way in [Way::Uncached, Way::Cached, Way::Cached, Way::Threads] {
                let answer = ask(&house, Some(&state), &text, way).await;
                assert_eq!(rows(&answer.tables[0]), Json::from(found.clone()), "{events} {way:?}");
                let answer = ask(&house, Some(&state), "logs | take 3 | project n", way).await;
                assert_eq!(rows(&answer.tables[0]), Json::from(newest.clone()), "{events} {way:?}");
                let text = "logs | summarize c = count(), s = sum(n) by k = n % 7 | summarize count(), sum(c), sum(s)";
                let answer = ask(&house, Some(&state), text, way).await;
                assert_eq!(rows(&answer.tables[0]), json!([[7, events, sum(0..events)]]), "{events} {way:?}");
            }
            house.store.remove(state.id());
        }
    });
}
