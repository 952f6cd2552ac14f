//! What is kept of one field of both kinds of rows: how often each value came, and the numbers among the values. Where
//! there are too many different values the rare ones are given up.

use std::cmp::Reverse;

use datafusion_common::Result;
use tidegauge_exec::kernels::json;

use super::super::grouped::Bytes;
use super::super::state::{StateReader, damaged, write_number, write_text};
use super::super::texts::{Entry, Texts};
use super::super::values::{Summary, Values};
use super::sides::Sides;

/// How many values are kept when some are given up, and how many bytes their texts may have.
const PLACES: usize = 1000;
const TEXT_BYTES_MAX: usize = 1 << 20;
/// A longer value is hardly the same in two rows.
const VALUE_BYTES_MAX: usize = 1024;

/// The values of a field.
#[derive(Debug, Default)]
pub(super) struct FieldValues {
    /// How often each value came, by its JSON.
    counts: Texts<Sides>,
    /// Whether values were given up.
    is_cut: bool,
    /// Whether some of those were too long.
    has_long: bool,
    missing: Sides,
    /// How often there was a value that is no number.
    not_numbers: Sides,
    numbers: [Values; 2],
}

/// What is known of a field when all rows have come.
#[derive(Debug)]
pub(super) struct Seen {
    /// By JSON, with null for rows without a value.
    pub(super) values: Vec<(Box<str>, Sides)>,
    /// How many different values there were, if all are known.
    pub(super) different: Option<usize>,
    /// Where all values are numbers, those of both kinds of rows.
    pub(super) numbers: Option<[Summary; 2]>,
}

impl FieldValues {
    pub(super) fn add(&mut self, value: &str, side: usize, bytes: &mut Bytes) {
        if value == "null" {
            self.missing[side] += 1;
            return;
        }
        match json::number(value) {
            Some(number) => self.numbers[side].add(number, bytes),
            None => self.not_numbers[side] += 1,
        }
        let mut counts = Sides::default();
        counts[side] = 1;
        self.count(value, counts, bytes);
    }

    fn count(&mut self, value: &str, added: Sides, bytes: &mut Bytes) {
        if value.len() > VALUE_BYTES_MAX {
            self.is_cut = true;
            self.has_long = true;
            return;
        }
        if let Some(counts) = self.counts.get_mut(value) {
            counts.iter_mut().zip(added).for_each(|(count, added)| *count += added);
            return;
        }
        let before = self.counts.heap_bytes();
        self.counts.get_or_insert(value, added);
        if self.counts.len() > 2 * PLACES || self.counts.text_bytes() > TEXT_BYTES_MAX {
            self.give_up();
        }
        bytes.replace(before, self.counts.heap_bytes());
    }

    /// Gives up the rarest values. Of equally rare ones it is a matter of their hash.
    #[cold]
    fn give_up(&mut self) {
        let mut entries = self.counts.take();
        let total = |entry: &Entry<Sides>| entry.about.iter().sum::<u64>();
        entries.sort_unstable_by_key(|entry| (Reverse(total(entry)), entry.hash));
        let mut bytes = 0;
        let fitting = entries.iter().take_while(|entry| {
            bytes += entry.text.len();
            bytes <= TEXT_BYTES_MAX / 2
        });
        let kept = fitting.count().clamp(1, PLACES);
        self.is_cut |= entries.len() > kept;
        entries.truncate(kept);
        self.counts.fill(entries);
    }

    pub(super) fn is_estimate(&self) -> bool {
        self.is_cut
    }

    /// The limit of a value, where one was longer.
    pub(super) fn exceeded_bytes(&self) -> Option<usize> {
        self.has_long.then_some(VALUE_BYTES_MAX)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.counts.heap_bytes() + self.numbers.iter().map(Values::heap_bytes).sum::<usize>()
    }

    pub(super) fn write(&self, state: &mut Vec<u8>) {
        state.push(u8::from(self.is_cut) | u8::from(self.has_long) << 1);
        self.missing.iter().chain(&self.not_numbers).for_each(|count| write_number(state, *count));
        for numbers in &self.numbers {
            // A sketch is read up to the end of its state.
            let mut written = Vec::new();
            numbers.write(&mut written);
            write_number(state, written.len() as u64);
            state.extend_from_slice(&written);
        }
        write_number(state, self.counts.len() as u64);
        for entry in self.counts.entries() {
            write_text(state, &entry.text);
            entry.about.iter().for_each(|count| write_number(state, *count));
        }
    }

    pub(super) fn merge(&mut self, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        let flags = state.byte()?;
        self.is_cut |= flags & 1 != 0;
        self.has_long |= flags & 2 != 0;
        for count in self.missing.iter_mut().chain(&mut self.not_numbers) {
            *count += state.number()?;
        }
        for numbers in &mut self.numbers {
            let length = usize::try_from(state.number()?).map_err(|_| damaged())?;
            numbers.merge(&mut StateReader::new(state.bytes(length)?), bytes)?;
        }
        for _ in 0..state.number()? {
            let value = state.text()?;
            self.count(value, [state.number()?, state.number()?], bytes);
        }
        Ok(())
    }

    pub(super) fn seen(mut self) -> Seen {
        let entries = self.counts.take();
        let different = (!self.is_cut).then_some(entries.len());
        let mut values: Vec<(Box<str>, Sides)> =
            entries.into_iter().map(|entry| (entry.text, entry.about)).collect();
        if self.missing.iter().sum::<u64>() > 0 {
            values.push(("null".into(), self.missing));
        }
        values.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let is_of_numbers = self.not_numbers.iter().all(|count| *count == 0);
        let numbers = is_of_numbers.then(|| self.numbers.map(Values::summarise));
        Seen { values, different, numbers }
    }
}
