//! Which of the appends that wait go with the next sync. A few megabytes at a time, and those of datasets with little
//! first: who sends one event does not wait until all that others send is on the disk. Where others send much, those with
//! little have every second sync for themselves.

use std::mem;

use hashbrown::HashMap;

use super::record::DatasetKey;
use super::shared::Append;

/// With so many bytes a sync costs little more than its own time, and none of them waits long for the others.
pub(super) const GROUP_BYTES: usize = 8 << 20;

/// A dataset of which no more than this waits has little: a sync of that takes about as long as one of a single event.
pub(super) const LITTLE_BYTES: usize = 512 << 10;

/// Where more than this waits beside them, those with little have a sync for themselves: together it would take several
/// times as long.
pub(super) const MUCH_BYTES: usize = 4 << 20;

/// Says who goes next.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Whether those with much were passed over the last time. Then it is their turn.
    has_passed_over: bool,
}

impl Groups {
    /// Takes the next group out of a queue. The oldest is in it, or in the one after it, so that nobody waits for ever,
    /// and those of one dataset stay in their order.
    pub(super) fn take(&mut self, queue: &mut Vec<Append>) -> Vec<Append> {
        let waiting: usize = queue.iter().map(bytes).sum();
        let had_passed_over = mem::take(&mut self.has_passed_over);
        if waiting <= MUCH_BYTES || queue.len() == 1 {
            return mem::take(queue);
        }
        let mut by_dataset: HashMap<DatasetKey, usize> = HashMap::new();
        for append in &*queue {
            *by_dataset.entry(append.dataset).or_default() += bytes(append);
        }
        let little: usize = by_dataset.values().filter(|bytes| **bytes <= LITTLE_BYTES).sum();
        self.has_passed_over = !had_passed_over && little > 0 && waiting - little > MUCH_BYTES;
        if !self.has_passed_over && waiting <= GROUP_BYTES {
            return mem::take(queue);
        }
        let mut is_taken = self.chosen(queue, &by_dataset).into_iter();
        let (group, rest) = mem::take(queue).into_iter().partition(|_| is_taken.next().unwrap_or(true));
        *queue = rest;
        group
    }

    /// Which of those that wait go, where not all do: those with little alone, or the oldest and those with least.
    fn chosen(&self, queue: &[Append], by_dataset: &HashMap<DatasetKey, usize>) -> Vec<bool> {
        let of_dataset = |at: usize| by_dataset.get(&queue[at].dataset).copied().unwrap_or_default();
        let mut order: Vec<usize> = (0..queue.len()).collect();
        order.sort_by_key(|at| of_dataset(*at));
        let mut is_taken = vec![false; queue.len()];
        let mut taken = 0;
        if !self.has_passed_over {
            is_taken[0] = true;
            taken = bytes(&queue[0]);
        }
        // However large the oldest is, those with little do not wait for the next sync because of it.
        let most_with_little = taken + GROUP_BYTES;
        for at in order {
            let has_room = match of_dataset(at) <= LITTLE_BYTES {
                true => taken < most_with_little,
                false => taken < GROUP_BYTES && !self.has_passed_over,
            };
            // Those behind have more. None of them goes before one of its own dataset.
            if !has_room {
                break;
            }
            if !is_taken[at] {
                is_taken[at] = true;
                taken += bytes(&queue[at]);
            }
        }
        is_taken
    }
}

fn bytes(append: &Append) -> usize {
    append.payload.encoded().len()
}
