//! The most frequent sequences of words in texts, counted as `frequent` counts texts. A sequence has two to four words;
//! a word by itself counts where it is the whole text. Of a sequence and its parts that came equally often only the
//! longest is told. Words are what stands between spaces, without the marks at their ends.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion_common::Result;
use hashbrown::HashMap;
use tidegauge_exec::kernels::json;
use tidegauge_exec::{Message, Notices};

use super::frequent::{self, Count, Frequent};
use super::grouped::{Aggregate, Bytes, Rows, estimate_type, estimates, texts};
use super::state::StateReader;
use super::texts::Entry;

/// How many sequences are kept at least when some are given up: rare ones are far more than rare values are.
const PLACES_MIN: usize = 5000;
const WORDS_MAX: usize = 4;
/// What is longer is no word that anyone would read, and is left out with the sequences over it.
const WORD_BYTES_MAX: usize = 100;
/// How many words of a text are looked at.
const WORDS_OF_TEXT_MAX: usize = 1000;

/// How many sequences are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Phrases {
    wanted: usize,
    places: usize,
    notices: Notices,
}

/// The sequences of a group.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    counts: Frequent,
    left_out: LeftOut,
}

/// What was left out of the texts of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    /// Whether a text had more words than are looked at.
    words: bool,
    /// Whether a word was too long.
    long_words: bool,
}

impl LeftOut {
    fn add(&mut self, other: Self) {
        self.words |= other.words;
        self.long_words |= other.long_words;
    }

    fn written(self) -> u8 {
        u8::from(self.words) | u8::from(self.long_words) << 1
    }

    fn read(byte: u8) -> Self {
        Self { words: byte & 1 != 0, long_words: byte & 2 != 0 }
    }

    fn tell(self, notices: &Notices) {
        let tell = |limit: usize, unit| {
            notices.tell(Message::Cut { function: "phrases", limit: limit as u64, unit });
        };
        if self.words {
            tell(WORDS_OF_TEXT_MAX, "words of a text");
        }
        if self.long_words {
            tell(WORD_BYTES_MAX, "bytes for a word");
        }
    }
}

impl Phrases {
    pub(super) fn new(wanted: usize, notices: Notices) -> Self {
        Self { wanted, places: PLACES_MIN.max(wanted.saturating_mul(10)), notices }
    }

    /// The first of the sequences that are no part of another one as frequent, and whether their counts are exact.
    fn chosen(&self, group: Frequent) -> (Vec<Entry<Count>>, bool) {
        let (mut entries, given_up) = group.take();
        entries.sort_unstable_by(|a, b| {
            let longer = word_count(&b.text).cmp(&word_count(&a.text));
            b.about.count.cmp(&a.about.count).then(longer).then_with(|| a.text.cmp(&b.text))
        });
        // The parts of chosen sequences with their counts. A part comes after what it is a part of.
        let mut parts: HashMap<Box<str>, u64> = HashMap::new();
        let mut chosen = Vec::with_capacity(self.wanted.min(entries.len()));
        for entry in entries {
            if chosen.len() == self.wanted {
                break;
            }
            if parts.get(&entry.text) == Some(&entry.about.count) {
                continue;
            }
            for_each_part(&entry.text, |part| {
                parts.insert(part.into(), entry.about.count);
            });
            chosen.push(entry);
        }
        let is_exact = frequent::is_exact(&chosen, self.wanted, given_up);
        (chosen, is_exact)
    }
}

impl Aggregate for Phrases {
    type Group = Sequences;

    fn name(&self) -> &'static str {
        "phrases"
    }

    fn output_type(&self) -> DataType {
        estimate_type(DataType::Utf8View)
    }

    fn update(
        &self,
        groups: &mut [Sequences],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let column = texts(inputs, 0)?;
        let mut sequence = String::new();
        rows.for_each(column.nulls(), |row, group| {
            let group = &mut groups[group];
            let left_out = for_each_sequence(column.value(row), &mut sequence, |sequence| {
                group.counts.add(sequence, self.places, bytes);
            });
            group.left_out.add(left_out);
        });
        Ok(())
    }

    fn merge(&self, group: &mut Sequences, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        group.left_out.add(LeftOut::read(state.byte()?));
        group.counts.merge(state, self.places, bytes)
    }

    fn write_state(&self, group: &mut Sequences, state: &mut Vec<u8>) {
        state.push(group.left_out.written());
        group.counts.write(state);
    }

    fn evaluate(&self, groups: Vec<Sequences>) -> Result<ArrayRef> {
        let mut left_out = LeftOut::default();
        groups.iter().for_each(|group| left_out.add(group.left_out));
        left_out.tell(&self.notices);
        let mut column = StringViewBuilder::new();
        let mut is_estimate = Vec::with_capacity(groups.len());
        for group in groups {
            let (chosen, is_exact) = self.chosen(group.counts);
            is_estimate.push(!is_exact);
            column.append_value(written(&chosen));
        }
        estimates(Arc::new(column.finish()), is_estimate)
    }

    fn heap_bytes(group: &Sequences) -> usize {
        group.counts.heap_bytes()
    }
}

/// Visits the sequences of a text, each in the memory of `sequence`. Tells what was left out.
fn for_each_sequence(text: &str, sequence: &mut String, mut visit: impl FnMut(&str)) -> LeftOut {
    let words = text.split_whitespace().map(|word| word.trim_matches(|mark: char| !mark.is_alphanumeric()));
    let mut words = words.filter(|word| !word.is_empty());
    let looked_at: Vec<&str> = words.by_ref().take(WORDS_OF_TEXT_MAX).collect();
    let (has_more, words) = (words.next().is_some(), looked_at);
    let is_readable = |word: &&&str| word.len() <= WORD_BYTES_MAX;
    if let [only] = words.as_slice()
        && is_readable(&only)
    {
        visit(only);
    }
    for start in 0..words.len() {
        sequence.clear();
        let following = words[start..].iter().take(WORDS_MAX).take_while(is_readable);
        for (place, word) in following.enumerate() {
            if place == 0 {
                sequence.push_str(word);
                continue;
            }
            sequence.push(' ');
            sequence.push_str(word);
            visit(sequence);
        }
    }
    LeftOut { words: has_more, long_words: !words.iter().all(|word| is_readable(&word)) }
}

fn word_count(sequence: &str) -> usize {
    1 + sequence.matches(' ').count()
}

/// Visits the shorter sequences in a sequence, single words among them.
fn for_each_part(sequence: &str, mut visit: impl FnMut(&str)) {
    let starts = std::iter::once(0).chain(sequence.match_indices(' ').map(|(at, _)| at + 1));
    for start in starts {
        let rest = &sequence[start..];
        let ends = rest.match_indices(' ').map(|(at, _)| at).chain([rest.len()]);
        ends.map(|end| &rest[..end]).filter(|part| part.len() < sequence.len()).for_each(&mut visit);
    }
}

fn written(entries: &[Entry<Count>]) -> String {
    let mut text = String::from("[");
    for (index, entry) in entries.iter().enumerate() {
        text.push_str(if index == 0 { "{\"phrase\":" } else { ",{\"phrase\":" });
        json::write_string(&entry.text, &mut text);
        // Writing to a text cannot fail.
        let _ = write!(text, ",\"count\":{}}}", entry.about.count);
    }
    text.push(']');
    text
}
