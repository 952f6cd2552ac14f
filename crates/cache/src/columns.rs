//! Columns of blocks in decoded form, kept while they fit. Decoding is what most questions cost, and blocks never
//! change, so a kept column is as good as a read one. This file chooses among the forms of `kept.rs`, of which some take
//! less and have to be unpacked, for when room becomes short; which columns stay is up to `share.rs`.

mod kept;
mod narrow;
mod share;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray, StringViewArray};
use arrow_schema::DataType;
use hashbrown::HashSet;
use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::Input;
use tidegauge_store::{BlockId, Templates};

use crate::templates::Texts;

use kept::{Key, What, of_column};
use share::{Share, Size};

pub use kept::Kept;
pub use narrow::Narrow;

/// Texts have at least one part in so many of all room: they are large, and numbers and codes serve more questions with
/// the same bytes.
const TEXTS_SHARE_MIN: usize = 8;

/// Other columns than texts cost about the same for a block.
const SMALL_COST: usize = 1;

/// The kept columns of all datasets.
#[derive(Debug)]
pub struct ColumnCache {
    bytes_max: usize,
    small: Mutex<Share>,
    texts: Mutex<Share>,
}

impl ColumnCache {
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, small: Mutex::default(), texts: Mutex::default() }
    }

    /// A column as it is kept.
    pub fn get(&self, block: BlockId, column: &InputColumn) -> Option<Kept> {
        let key = of_column(block, column);
        // Where it would be is not known before it is read: codes or text.
        let kept = lock(&self.small).get(&key);
        kept.or_else(|| lock(&self.texts).get(&key))
    }

    /// The texts of a column, if they are kept without views.
    pub fn packed(&self, block: BlockId, column: &InputColumn) -> Option<StringArray> {
        lock(&self.texts).in_form(&of_column(block, column), |kept| match kept {
            Kept::Packed(texts) => Some(texts.clone()),
            _ => None,
        })
    }

    /// The texts of a column, if they are kept without what is the same in all of their template.
    pub fn taken_apart(&self, block: BlockId, column: &InputColumn) -> Option<Arc<Texts>> {
        lock(&self.texts).in_form(&of_column(block, column), |kept| match kept {
            Kept::Texts(texts) => Some(Arc::clone(texts)),
            _ => None,
        })
    }

    /// Whether texts that were read should be taken apart, which takes longer than reading them: who looks for something
    /// once does not wait for what only the next question gains by, and of more texts than fit most are not kept.
    pub fn pays_to_take_apart(&self, block: BlockId, column: &InputColumn, texts: &ArrayRef) -> bool {
        /// What is left of texts, about.
        const PART_LEFT: usize = 4;
        let key = of_column(block, column);
        let cost = texts.get_array_memory_size();
        let room = self.room_for_texts();
        let share = lock(&self.texts);
        share.was_asked_before(&key) && share.has_room(Size { bytes: cost / PART_LEFT, cost }, room, &key)
    }

    pub fn insert(&self, block: BlockId, column: &InputColumn, input: &Input) {
        let key = of_column(block, column);
        match input {
            Input::Plain(array) if array.data_type() == &DataType::Utf8View => {
                let texts = array.as_string_view();
                let packed_bytes = packed_bytes(texts).filter(|_| self.is_short_for_texts());
                let cost = array.get_array_memory_size();
                let size = Size { bytes: packed_bytes.unwrap_or(cost), cost };
                // Packing takes about as long as reading did, and most that is read once is not kept.
                let room = self.room_for_texts();
                if lock(&self.texts).has_room(size, room, &key) {
                    let packed = packed_bytes.map(|bytes| packed(texts, bytes));
                    let kept = packed.map_or_else(|| Kept::Column(input.clone()), Kept::Packed);
                    self.insert_text(key, kept, cost);
                }
            }
            Input::Plain(array) if self.is_short_for_small() => self.insert_narrow(key, array),
            _ => self.insert_small(key, Kept::Column(input.clone())),
        }
    }

    /// Keeps numbers in the form that takes less, if they have it.
    fn insert_narrow(&self, key: Key, array: &ArrayRef) {
        let bytes = Narrow::bytes_of(array).unwrap_or_else(|| array.get_array_memory_size());
        let size = Size { bytes, cost: SMALL_COST };
        // As with texts, most that is read once is not kept.
        if lock(&self.small).has_room(size, self.room_for_small(), &key) {
            let narrow = Narrow::of(array).map(|narrow| Kept::Narrow(Arc::new(narrow)));
            let kept = narrow.unwrap_or_else(|| Kept::Column(Input::Plain(Arc::clone(array))));
            self.insert_small(key, kept);
        }
    }

    /// The templates of a field's texts, if it is known whether there are any.
    pub fn templates(&self, block: BlockId, field: &Arc<str>) -> Option<Option<Arc<Templates>>> {
        match lock(&self.small).get(&(block, What::Templates(Arc::clone(field))))? {
            Kept::Templates(templates) => Some(templates),
            Kept::Column(_) | Kept::Texts(_) | Kept::Packed(_) | Kept::Narrow(_) => None,
        }
    }

    /// Keeps texts that were taken apart from the column that was read.
    pub fn insert_texts(&self, block: BlockId, column: &InputColumn, texts: Texts, read: &ArrayRef) {
        let key = of_column(block, column);
        self.insert_text(key, Kept::Texts(Arc::new(texts)), read.get_array_memory_size());
    }

    pub fn insert_templates(&self, block: BlockId, field: &Arc<str>, templates: Option<&Arc<Templates>>) {
        let key = (block, What::Templates(Arc::clone(field)));
        self.insert_small(key, Kept::Templates(templates.cloned()));
    }

    /// Texts may also have the room that nothing else needs yet.
    fn room_for_texts(&self) -> usize {
        self.bytes_max.saturating_sub(lock(&self.small).bytes)
    }

    /// Whether so much of the room for texts is taken that less memory is worth the time it takes to read them.
    fn is_short_for_texts(&self) -> bool {
        let room = self.room_for_texts();
        lock(&self.texts).bytes > room / 2
    }

    fn room_for_small(&self) -> usize {
        self.bytes_max - self.bytes_max / TEXTS_SHARE_MIN
    }

    /// The same of the room for everything else. Numbers are unpacked in a fraction of the time that texts take.
    fn is_short_for_small(&self) -> bool {
        lock(&self.small).bytes > self.room_for_small() / 3
    }

    fn insert_text(&self, key: Key, kept: Kept, cost: usize) {
        let room = self.room_for_texts();
        lock(&self.texts).insert(key, kept, cost, room);
    }

    /// Everything else has its room, also where texts are in it.
    fn insert_small(&self, key: Key, kept: Kept) {
        let mut small = lock(&self.small);
        small.insert(key, kept, SMALL_COST, self.room_for_small());
        let left = self.bytes_max.saturating_sub(small.bytes);
        drop(small);
        lock(&self.texts).shrink_to(left);
    }

    /// Lets all go that is kept of these segments.
    pub fn forget(&self, segments: &HashSet<u128>) {
        let is_gone = |block: BlockId| match block {
            BlockId::Segment { segment, .. } => segments.contains(&segment),
            BlockId::Buffer { .. } => false,
        };
        for share in [&self.small, &self.texts] {
            lock(share).forget(|(block, _)| is_gone(*block));
        }
    }

    /// How many bytes are kept.
    pub fn bytes(&self) -> usize {
        lock(&self.small).bytes + lock(&self.texts).bytes
    }
}

fn lock(share: &Mutex<Share>) -> MutexGuard<'_, Share> {
    share.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many bytes texts take without views, where that is less: most of them are too long to stand in their view, and
/// each is there once.
fn packed_bytes(texts: &StringViewArray) -> Option<usize> {
    let bytes = texts.total_bytes_len();
    let with_ends = bytes + texts.len() * size_of::<i32>();
    (i32::try_from(bytes).is_ok() && with_ends < texts.get_array_memory_size() / 4 * 3).then_some(with_ends)
}

fn packed(texts: &StringViewArray, bytes: usize) -> StringArray {
    let mut packed = StringBuilder::with_capacity(texts.len(), bytes);
    packed.extend(texts.iter());
    packed.finish()
}
