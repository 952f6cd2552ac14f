//! Texts with how often they came. Counts are exact while there are few different texts; above, the rare ones are given
//! up again and again, and a text that comes (back) later starts with the greatest count that was given up, as the most
//! it may have had before. That most is its error: its true count lies between `count - error` and `count`. With places
//! for C texts no error is greater than the number of all divided by C, in whatever order and parts they came; which of
//! the rare ones are kept does depend on that. Very long texts leave fewer places.

use std::cmp::Reverse;

use datafusion_common::Result;

use super::grouped::Bytes;
use super::state::{StateReader, write_number, write_text};
use super::texts::{Entry, Texts};

/// How many bytes the texts of a group may have. Longer texts are given up earlier.
const TEXT_BYTES_MAX: usize = 4 << 20;

/// The texts of a group.
#[derive(Debug, Default)]
pub(super) struct Frequent {
    texts: Texts<Count>,
    /// The most that a text which is not here may have been counted.
    given_up: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// At most so often.
    pub(super) count: u64,
    /// How much of that may be too much.
    pub(super) error: u64,
}

/// Whether the most frequent texts, the rarest of them last, are those and have just these counts: none was given up
/// before, and what was given up can be none of them.
pub(super) fn is_exact(chosen: &[Entry<Count>], wanted: usize, given_up: u64) -> bool {
    let is_full = chosen.len() == wanted;
    let least = chosen.last().filter(|_| is_full).map_or(0, |entry| entry.about.count);
    chosen.iter().all(|entry| entry.about.error == 0) && given_up <= least
}

impl Frequent {
    /// Counts a text once more. So many places are kept when some are given up.
    pub(super) fn add(&mut self, text: &str, places: usize, bytes: &mut Bytes) {
        if let Some(about) = self.texts.get_mut(text) {
            about.count += 1;
            return;
        }
        let before = self.texts.heap_bytes();
        let error = self.given_up;
        self.texts.get_or_insert(text, Count { count: error + 1, error });
        self.give_up_if_needed(places);
        bytes.replace(before, self.texts.heap_bytes());
    }

    fn give_up_if_needed(&mut self, places: usize) {
        if self.texts.len() > places.saturating_mul(2) || self.texts.text_bytes() > TEXT_BYTES_MAX {
            self.give_up(places);
        }
    }

    /// Gives up the rarest texts. Of equally rare ones it is a matter of their hash, which is as good as chance and
    /// cheaper to compare than the text.
    #[cold]
    fn give_up(&mut self, places: usize) {
        let mut entries = self.texts.take();
        entries.sort_unstable_by_key(|entry| (Reverse(entry.about.count), entry.hash));
        let mut bytes = 0;
        let fitting = entries.iter().take_while(|entry| {
            bytes += entry.text.len();
            bytes <= TEXT_BYTES_MAX / 2
        });
        let kept = fitting.count().clamp(1, places);
        if let Some(rarer) = entries.get(kept) {
            self.given_up = self.given_up.max(rarer.about.count);
        }
        entries.truncate(kept);
        self.texts.fill(entries);
    }

    pub(super) fn merge(
        &mut self,
        state: &mut StateReader<'_>,
        places: usize,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let before = self.texts.heap_bytes();
        let given_up = state.number()?;
        // What only one side has may have been given up by the other: everything is taken to be of that kind first,
        // and what proves to be on both sides is corrected.
        for entry in self.texts.entries_mut() {
            entry.about.count += given_up;
            entry.about.error += given_up;
        }
        let here = Count { count: self.given_up, error: self.given_up };
        while !state.is_at_end() {
            let text = state.text()?;
            let there = Count { count: state.number()?, error: state.number()? };
            let is_new = self.texts.get_mut(text).is_none();
            let about = self.texts.get_or_insert(text, here);
            about.count += there.count;
            about.error += there.error;
            if !is_new {
                about.count = about.count.saturating_sub(given_up);
                about.error = about.error.saturating_sub(given_up);
            }
        }
        self.given_up += given_up;
        self.give_up_if_needed(places);
        bytes.replace(before, self.texts.heap_bytes());
        Ok(())
    }

    pub(super) fn write(&self, state: &mut Vec<u8>) {
        write_number(state, self.given_up);
        for entry in self.texts.entries() {
            write_text(state, &entry.text);
            write_number(state, entry.about.count);
            write_number(state, entry.about.error);
        }
    }

    /// All texts in no order, and the most that any other may have been counted.
    pub(super) fn take(mut self) -> (Vec<Entry<Count>>, u64) {
        (self.texts.take(), self.given_up)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.texts.heap_bytes()
    }
}
