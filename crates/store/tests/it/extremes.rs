//! Numbers and times at the ends of their range: they come back as they were from every place, and what is computed of
//! their differences to find the best form does not go round.

use tidegauge_store::{StoredRow, StoredValue};

use crate::events::{Event, SECOND, assert_same, columns_of, stored};
use crate::house::{House, START};

const EVENTS: i64 = 3_000;

/// A number by chance that is always the same.
fn rng(seed: i64) -> i64 {
    let mut mixed = seed.cast_unsigned().wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31).cast_signed()
}

fn events(number: impl Fn(i64) -> i64) -> Vec<Event> {
    let event = |row: i64| {
        let fields = [("n".to_owned(), StoredValue::Integer(number(row)))];
        Event::new(START * 1000 + row * SECOND, fields)
    };
    (0..EVENTS).map(event).collect()
}

/// Checks that events come back in the buffer, in segments and merged, and tells how many bytes their segment has.
async fn checked(events: &[Event], name: &str) -> u64 {
    let house = House::new().await;
    let dataset = house.dataset(name).await;
    let sequence = house.append(&dataset, &columns_of(events)).await;
    let expected: Vec<StoredRow> = stored(events, sequence, house.receipt().arrival);
    assert_same(&house.rows(dataset.id()).await, &expected, "in the buffer");
    house.store.flush(&dataset).await.unwrap();
    assert_same(&house.rows(dataset.id()).await, &expected, "flushed");
    let files = house.segment_files(dataset.id()).await;
    let bytes = files.iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    house.advance(std::time::Duration::from_secs(3 * 86_400));
    house.compact().await;
    assert_same(&house.rows(dataset.id()).await, &expected, "compacted");
    bytes
}

/// Steps between these lie further apart than 63 bits tell. Taken for none, they were written as differences of 64 bits
/// each, where a dictionary needs two.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_integers_that_lie_far_apart_have_a_dictionary() {
    let far = [-6_000_000_000_000_000_000, 0, 1, 6_000_000_000_000_000_000];
    let at = |row: i64| rng(row).rem_euclid(4) as usize;
    let near = checked(&events(|row| at(row) as i64), "near").await;
    let far = checked(&events(|row| far[at(row)]), "far").await;
    assert!(far < near + 4096, "{far} bytes beside {near}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn integers_of_the_whole_range_come_back() {
    checked(&events(rng), "any").await;
    let ends = [i64::MIN, i64::MAX, i64::MIN + 1, i64::MAX - 1, 0, -1];
    checked(&events(|row| ends[rng(row).rem_euclid(6) as usize]), "ends").await;
    checked(&events(|row| if row % 2 == 0 { i64::MIN + row } else { i64::MAX - row }), "turns").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn times_at_both_ends_come_back() {
    let times = [i64::MIN, i64::MIN + 1, -1, 0, 1, START * 1000, i64::MAX - 1, i64::MAX];
    let event = |time: &i64| Event::new(*time, [("t".to_owned(), StoredValue::Integer(*time))]);
    checked(&times.iter().map(event).collect::<Vec<Event>>(), "times").await;
}
