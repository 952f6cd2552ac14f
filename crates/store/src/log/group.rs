//! Which of the appends that wait go with the next sync. A few megabytes at a time, and those of datasets with little
//! first: who sends one event does not wait until all that others send is on the disk.

use std::mem;

use hashbrown::HashMap;

use super::Append;
use super::record::DatasetKey;

/// With so many bytes a sync costs little more than its own time, and none of them waits long for the others.
pub(super) const GROUP_BYTES: usize = 8 << 20;

/// Takes the next group out of a queue. The oldest is in it, so that nobody waits for ever, and those of one dataset
/// stay in their order.
pub(super) fn take(queue: &mut Vec<Append>) -> Vec<Append> {
    let waiting: usize = queue.iter().map(bytes).sum();
    if waiting <= GROUP_BYTES || queue.len() == 1 {
        return mem::take(queue);
    }
    let mut by_dataset: HashMap<DatasetKey, usize> = HashMap::new();
    for append in &*queue {
        *by_dataset.entry(append.dataset).or_default() += bytes(append);
    }
    let mut order: Vec<usize> = (1..queue.len()).collect();
    order.sort_by_key(|at| by_dataset.get(&queue[*at].dataset));
    let mut is_taken = vec![false; queue.len()];
    is_taken[0] = true;
    let mut taken = bytes(&queue[0]);
    for at in order {
        // Those behind have more. None of them goes before one of its own dataset.
        if taken >= GROUP_BYTES {
            break;
        }
        is_taken[at] = true;
        taken += bytes(&queue[at]);
    }
    let mut is_taken = is_taken.into_iter();
    let (group, rest) = mem::take(queue).into_iter().partition(|_| is_taken.next().unwrap_or(true));
    *queue = rest;
    group
}

fn bytes(append: &Append) -> usize {
    append.frame.encoded().len()
}
