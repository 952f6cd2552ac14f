//! Values gathered into JSON arrays: all of them in the order of the rows, or the different ones in the order of
//! their text. Both take a number of items at most, and 1 MiB of text for a group.

use std::mem::size_of;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion_common::Result;
use tidegauge_exec::{Message, Notices};

use super::grouped::{Aggregate, Bytes, Rows, texts};
use super::state::{StateReader, write_text};
use super::texts::Texts;

const TEXT_BYTES_MAX: usize = 1 << 20;

/// How many values a set has, where the query does not say.
pub const SET_DEFAULT: u32 = 128;

/// How many a list has, and a set with a condition; no query can ask for more.
pub const LIST_DEFAULT: u32 = 1_048_576;

/// Tells that values had no place, unless the query itself said how many it wants and got as many. Who asks for the
/// most that there is did not ask to leave out what is beyond.
fn tell_of_cut(
    notices: &Notices,
    function: &'static str,
    items: usize,
    (items_max, is_asked): (usize, bool),
) {
    if items < items_max {
        notices.tell(Message::Cut { function, limit: TEXT_BYTES_MAX as u64, unit: "bytes for a group" });
    } else if !is_asked || items_max >= LIST_DEFAULT as usize {
        notices.tell(Message::Cut { function, limit: items_max as u64, unit: "values for a group" });
    }
}

/// All values, in the order of the rows of a part and the parts in the order in which they come. What comes after
/// the first value that has no place any more is left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MakeList {
    pub(super) items_max: usize,
    pub(super) notices: Notices,
}

/// The list of a group.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The items with a comma after each.
    text: String,
    /// Where each item ends.
    ends: Vec<u32>,
    is_full: bool,
}

impl MakeList {
    fn add(&self, list: &mut List, item: &str, bytes: &mut Bytes) {
        if list.is_full {
            return;
        }
        if list.ends.len() >= self.items_max || list.text.len() + item.len() > TEXT_BYTES_MAX {
            list.is_full = true;
            return;
        }
        let before = list.heap_bytes();
        list.text.push_str(item);
        list.ends.push(list.text.len() as u32);
        list.text.push(',');
        bytes.replace(before, list.heap_bytes());
    }
}

impl List {
    fn items(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|end| *end as usize + 1));
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end as usize])
    }

    fn heap_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

impl Aggregate for MakeList {
    type Group = List;

    fn name(&self) -> &'static str {
        "makelist"
    }

    fn output_type(&self) -> DataType {
        DataType::Utf8View
    }

    fn update(
        &self,
        groups: &mut [List],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let column = texts(inputs, 0)?;
        rows.for_each(column.nulls(), |row, group| self.add(&mut groups[group], column.value(row), bytes));
        Ok(())
    }

    fn merge(&self, group: &mut List, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        let is_full = state.byte()? == 1;
        while !state.is_at_end() {
            self.add(group, state.text()?, bytes);
        }
        group.is_full |= is_full;
        Ok(())
    }

    fn write_state(&self, group: &mut List, state: &mut Vec<u8>) {
        state.push(u8::from(group.is_full));
        group.items().for_each(|item| write_text(state, item));
    }

    fn evaluate(&self, groups: Vec<List>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::with_capacity(groups.len());
        for group in groups {
            if group.is_full {
                tell_of_cut(&self.notices, "make_list", group.ends.len(), (self.items_max, true));
            }
            let items = group.text.strip_suffix(',').unwrap_or_default();
            column.append_value(format!("[{items}]"));
        }
        Ok(Arc::new(column.finish()))
    }

    fn heap_bytes(group: &List) -> usize {
        group.heap_bytes()
    }
}

/// The different values, in the order of their text. If there are too many, the first in that order are kept, so
/// that the answer does not depend on the order of the rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MakeSet {
    items_max: usize,
    /// Whether the query says how many it wants.
    is_asked: bool,
    notices: Notices,
}

/// The set of a group.
#[derive(Debug, Default)]
pub(super) struct Set {
    texts: Texts<()>,
    /// The first text that has no place, if some have none. Nothing from there on is taken in.
    cut: Option<Box<str>>,
}

impl MakeSet {
    pub(super) fn new(asked: Option<u32>, notices: Notices) -> Self {
        let items_max = asked.unwrap_or(SET_DEFAULT) as usize;
        Self { items_max, is_asked: asked.is_some(), notices }
    }

    fn add(&self, set: &mut Set, text: &str, bytes: &mut Bytes) {
        if set.cut.as_deref().is_some_and(|cut| text >= cut) || set.texts.get_mut(text).is_some() {
            return;
        }
        let before = set.heap_bytes();
        set.texts.get_or_insert(text, ());
        // Twice what may stay, so that sorting is rare.
        let is_much = set.texts.len() > self.items_max.saturating_mul(2).max(16)
            || set.texts.text_bytes() > 2 * TEXT_BYTES_MAX;
        if is_much {
            self.trim(set);
        }
        bytes.replace(before, set.heap_bytes());
    }

    /// Sorts the texts and leaves out those that have no place.
    fn trim(&self, set: &mut Set) {
        let mut entries = set.texts.take();
        entries.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        let mut bytes = 0;
        let fitting = entries.iter().take(self.items_max).take_while(|entry| {
            bytes += entry.text.len();
            bytes <= TEXT_BYTES_MAX
        });
        let mut kept = fitting.count();
        // What another part of the rows had no place for has none here either.
        if let Some(cut) = &set.cut {
            kept = kept.min(entries.partition_point(|entry| entry.text < *cut));
        }
        let mut left_out = entries.split_off(kept);
        if !left_out.is_empty() {
            let first = left_out.swap_remove(0).text;
            set.cut = Some(set.cut.take().map_or(first.clone(), |cut| cut.min(first)));
        }
        set.texts.fill(entries);
    }
}

impl Set {
    fn heap_bytes(&self) -> usize {
        self.texts.heap_bytes() + self.cut.as_ref().map_or(0, |cut| cut.len())
    }
}

impl Aggregate for MakeSet {
    type Group = Set;

    fn name(&self) -> &'static str {
        "makeset"
    }

    fn output_type(&self) -> DataType {
        DataType::Utf8View
    }

    fn update(
        &self,
        groups: &mut [Set],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let column = texts(inputs, 0)?;
        rows.for_each(column.nulls(), |row, group| self.add(&mut groups[group], column.value(row), bytes));
        Ok(())
    }

    fn merge(&self, group: &mut Set, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        if state.byte()? == 1 {
            let before = group.heap_bytes();
            let cut: Box<str> = state.text()?.into();
            group.cut = Some(group.cut.take().map_or(cut.clone(), |old| old.min(cut)));
            bytes.replace(before, group.heap_bytes());
        }
        while !state.is_at_end() {
            self.add(group, state.text()?, bytes);
        }
        Ok(())
    }

    fn write_state(&self, group: &mut Set, state: &mut Vec<u8>) {
        self.trim(group);
        state.push(u8::from(group.cut.is_some()));
        if let Some(cut) = &group.cut {
            write_text(state, cut);
        }
        group.texts.entries().iter().for_each(|entry| write_text(state, &entry.text));
    }

    fn evaluate(&self, groups: Vec<Set>) -> Result<ArrayRef> {
        let mut column = StringViewBuilder::with_capacity(groups.len());
        for mut group in groups {
            self.trim(&mut group);
            if group.cut.is_some() {
                let places = (self.items_max, self.is_asked);
                tell_of_cut(&self.notices, "make_set", group.texts.len(), places);
            }
            let items: Vec<&str> = group.texts.entries().iter().map(|entry| &*entry.text).collect();
            column.append_value(format!("[{}]", items.join(",")));
        }
        Ok(Arc::new(column.finish()))
    }

    fn heap_bytes(group: &Set) -> usize {
        group.heap_bytes()
    }
}
