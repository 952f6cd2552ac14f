//! Who goes with the next sync.

use std::sync::Arc;

use tidegauge_model::DatasetId;
use tokio::sync::oneshot;

use super::{Kept, frame};
use crate::log::group::{GROUP_BYTES, take};
use crate::log::{Append, DatasetKey};

/// An append of a dataset with so many rows of about eight bytes.
fn append(dataset: u8, rows: usize) -> Append {
    let id = DatasetId::from(format!("dataset_{dataset:032x}"));
    let (answer, _) = oneshot::channel();
    Append {
        dataset: DatasetKey::of(&id).unwrap(),
        frame: frame(rows),
        checksum: 0,
        accept: Arc::new(Kept::default()),
        answer,
    }
}

/// Datasets and rows, in order.
fn shown(appends: &[Append]) -> Vec<(u128, usize)> {
    appends.iter().map(|append| (append.dataset.number(), append.frame.rows())).collect()
}

/// So many of these are more than a group has.
const LARGE: usize = GROUP_BYTES / 8 / 3;

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
    let group = shown(&take(&mut queue));
    assert_eq!(group.first(), Some(&(1, LARGE)), "the oldest is always in it");
    assert_eq!(group[group.len() - 2..], [(2, 1), (2, 2)]);
    assert!(group.len() < 8, "{group:?}");
}

#[test]
fn those_of_a_dataset_stay_in_their_order_and_none_is_left() {
    let mut queue: Vec<_> = (0..60).map(|number| append((number % 5) as u8, LARGE / 4 + number)).collect();
    let mut groups = Vec::new();
    while !queue.is_empty() {
        let oldest = shown(&queue)[0];
        let group = shown(&take(&mut queue));
        assert_eq!(group[0], oldest);
        groups.extend(group);
    }
    assert_eq!(groups.len(), 60);
    for dataset in 0..5 {
        let rows: Vec<usize> =
            groups.iter().filter(|(of, _)| *of == dataset).map(|(_, rows)| *rows).collect();
        assert!(rows.is_sorted() && rows.len() == 12, "{rows:?}");
    }
}
