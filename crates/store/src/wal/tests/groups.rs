//! Who goes with the next sync.

use std::sync::Arc;

use tidegauge_model::DatasetId;
use tokio::sync::oneshot;

use super::{Kept, payload};
use crate::wal::group::{GROUP_BYTES, Groups, LITTLE_BYTES, MUCH_BYTES};
use crate::wal::{Append, DatasetKey};

/// An append of a dataset with so many rows of about eight bytes.
fn append(dataset: u8, rows: usize) -> Append {
    let id = DatasetId::from(format!("dataset_{dataset:032x}"));
    let (answer, _) = oneshot::channel();
    Append {
        dataset: DatasetKey::of(&id).unwrap(),
        payload: payload(rows),
        checksum: 0,
        accept: Arc::new(Kept::default()),
        answer,
    }
}

/// Datasets and rows, in order.
fn shown(appends: &[Append]) -> Vec<(u128, usize)> {
    appends.iter().map(|append| (append.dataset.number(), append.payload.rows())).collect()
}

/// A few of these are more than a group has.
const LARGE: usize = GROUP_BYTES / 8 / 3;

/// One of these is more than a group has.
const LARGEST: usize = GROUP_BYTES / 8 + 1;

/// The next group.
fn take(queue: &mut Vec<Append>) -> Vec<Append> {
    Groups::default().take(queue)
}

#[test]
fn little_goes_at_once() {
    let mut queue: Vec<_> = (0..50).map(|number| append(number % 3, 10)).collect();
    let all = shown(&queue);
    assert_eq!(shown(&take(&mut queue)), all);
    assert!(queue.is_empty());
}

#[test]
fn a_large_one_goes_alone() {
    let mut queue = vec![append(1, 4 * LARGE)];
    assert_eq!(shown(&take(&mut queue)), [(1, 4 * LARGE)]);
    assert!(queue.is_empty());
}

#[test]
fn who_sends_little_does_not_wait_for_who_sends_much() {
    let mut queue: Vec<_> = (0..20).map(|number| append(1, LARGE + number)).collect();
    queue.push(append(2, 1));
    queue.push(append(2, 2));
    let mut groups = Groups::default();
    assert_eq!(shown(&groups.take(&mut queue)), [(2, 1), (2, 2)]);
    queue.push(append(3, 1));
    let group = shown(&groups.take(&mut queue));
    assert_eq!(group.first(), Some(&(1, LARGE)), "the oldest is not passed over twice");
    assert_eq!(group.last(), Some(&(3, 1)));
    assert!(group.len() < 8, "{group:?}");
    queue.push(append(2, 3));
    assert_eq!(shown(&groups.take(&mut queue)), [(2, 3)]);
}

#[test]
fn nor_for_one_that_is_larger_than_a_group() {
    let mut queue: Vec<_> = (0..8).map(|number| append(number, LARGEST)).collect();
    let mut groups = Groups::default();
    for number in 0..8 {
        queue.push(append(20, 1));
        assert_eq!(shown(&groups.take(&mut queue)), [(20, 1)], "{number}");
        queue.push(append(20, 2));
        let with_it = [(number, LARGEST), (20, 2)];
        assert_eq!(shown(&groups.take(&mut queue)), with_it, "it came meanwhile, and goes along");
    }
    assert!(queue.is_empty());
}

#[test]
fn who_sends_a_little_and_much_keeps_the_order() {
    let mut queue = vec![append(1, LARGEST), append(2, 1), append(1, 1), append(3, LARGEST)];
    let mut groups = Groups::default();
    assert_eq!(shown(&groups.take(&mut queue)), [(2, 1)]);
    assert_eq!(shown(&groups.take(&mut queue)), [(1, LARGEST)]);
    assert_eq!(shown(&groups.take(&mut queue)), [(1, 1)]);
    assert_eq!(shown(&groups.take(&mut queue)), [(3, LARGEST)]);
}

#[test]
fn what_costs_a_sync_little_more_time_goes_along() {
    let (much, little) = (MUCH_BYTES / 8 - 100, LITTLE_BYTES / 8 - 100);
    let mut queue = vec![append(1, much), append(2, 1)];
    assert_eq!(shown(&take(&mut queue)), [(1, much), (2, 1)], "little more than a sync takes");
    queue = vec![append(1, much + 200), append(2, little), append(3, little + 200)];
    assert_eq!(shown(&take(&mut queue)), [(2, little)], "who has more than little goes with the others");
}

#[test]
fn those_of_a_dataset_stay_in_their_order_and_none_is_left() {
    let mut queue: Vec<_> = (0..60).map(|number| append((number % 5) as u8, LARGE / 4 + number)).collect();
    let (mut groups, mut taken) = (Groups::default(), Vec::new());
    while !queue.is_empty() {
        let oldest = shown(&queue)[0];
        let group = shown(&groups.take(&mut queue));
        assert_eq!(group[0], oldest);
        taken.extend(group);
    }
    assert_eq!(taken.len(), 60);
    for dataset in 0..5 {
        let rows: Vec<usize> = taken.iter().filter(|(of, _)| *of == dataset).map(|(_, rows)| *rows).collect();
        assert!(rows.is_sorted() && rows.len() == 12, "{rows:?}");
    }
}
