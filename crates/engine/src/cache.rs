//! Columns of blocks in decoded form, kept while they fit. Decoding is what most questions cost, and blocks never
//! change, so a kept column is as good as a read one. A column takes the place of another only if it was asked for
//! more often lately, so that one question over much text does not push out what all others use.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::Array;
use arrow_schema::DataType;
use hashbrown::{DefaultHashBuilder, HashMap};
use tidegauge_store::{BlockId, Codes, Templates};

use crate::bind::InputColumn;
use crate::expr::Input;
use crate::templates::Texts;

type Key = (BlockId, What);

/// What of a block is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum What {
    Column(InputColumn),
    /// The templates of a field's texts.
    Templates(Arc<str>),
}

/// It, as it is kept.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Column(Input),
    /// Texts without what is the same in all of their template.
    Texts(Arc<Texts>),
    /// None where its texts are too different to have any.
    Templates(Option<Arc<Templates>>),
}

/// The kept columns of all datasets. Texts have a share of their own: they are large, and numbers and codes serve more
/// questions with the same bytes.
#[derive(Debug)]
pub(crate) struct ColumnCache {
    small: Mutex<Share>,
    texts: Mutex<Share>,
}

#[derive(Debug)]
struct Share {
    bytes_max: usize,
    bytes: usize,
    entries: HashMap<Key, Entry>,
    /// In the order in which they are compared with new ones.
    queue: VecDeque<Key>,
    asked: Frequencies,
}

#[derive(Debug)]
struct Entry {
    kept: Kept,
    bytes: usize,
}

/// How often columns were asked for lately, kept or not.
#[derive(Debug, Default)]
struct Frequencies {
    hasher: DefaultHashBuilder,
    counts: HashMap<u64, u8>,
    since_halved: usize,
}

impl ColumnCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let share = || Mutex::new(Share::new(bytes_max / 2));
        Self { small: share(), texts: share() }
    }

    /// A column as it is kept.
    pub(crate) fn get(&self, block: BlockId, column: &InputColumn) -> Option<Kept> {
        let key = (block, What::Column(column.clone()));
        // Where it would be is not known before it is read: codes or text.
        let kept = lock(&self.small).get(&key);
        kept.or_else(|| lock(&self.texts).get(&key))
    }

    pub(crate) fn insert(&self, block: BlockId, column: &InputColumn, input: &Input) {
        let is_text = matches!(input, Input::Plain(array) if array.data_type() == &DataType::Utf8View);
        let share = if is_text { &self.texts } else { &self.small };
        lock(share).insert((block, What::Column(column.clone())), Kept::Column(input.clone()));
    }

    /// The templates of a field's texts, if it is known whether there are any.
    pub(crate) fn templates(&self, block: BlockId, field: &Arc<str>) -> Option<Option<Arc<Templates>>> {
        match lock(&self.small).get(&(block, What::Templates(Arc::clone(field))))? {
            Kept::Templates(templates) => Some(templates),
            Kept::Column(_) | Kept::Texts(_) => None,
        }
    }

    pub(crate) fn insert_texts(&self, block: BlockId, column: &InputColumn, texts: Texts) {
        let key = (block, What::Column(column.clone()));
        lock(&self.texts).insert(key, Kept::Texts(Arc::new(texts)));
    }

    pub(crate) fn insert_templates(
        &self,
        block: BlockId,
        field: &Arc<str>,
        templates: Option<&Arc<Templates>>,
    ) {
        let key = (block, What::Templates(Arc::clone(field)));
        lock(&self.small).insert(key, Kept::Templates(templates.cloned()));
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> usize {
        lock(&self.small).bytes + lock(&self.texts).bytes
    }
}

fn lock(share: &Mutex<Share>) -> MutexGuard<'_, Share> {
    share.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Share {
    fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            bytes: 0,
            entries: HashMap::new(),
            queue: VecDeque::new(),
            asked: Frequencies::default(),
        }
    }

    fn get(&mut self, key: &Key) -> Option<Kept> {
        self.asked.add(key);
        self.entries.get(key).map(|entry| entry.kept.clone())
    }

    fn insert(&mut self, key: Key, kept: Kept) {
        let bytes = size_of(&kept);
        if self.entries.contains_key(&key) || bytes > self.bytes_max || !self.make_room(bytes, &key) {
            return;
        }
        self.bytes += bytes;
        self.queue.push_back(key.clone());
        self.entries.insert(key, Entry { kept, bytes });
    }

    /// Lets columns go that were asked for less often than this one; false where there are not enough of them.
    fn make_room(&mut self, bytes: usize, key: &Key) -> bool {
        let asked = self.asked.of(key);
        while self.bytes + bytes > self.bytes_max {
            let Some(victim) = self.queue.pop_front() else { return false };
            if self.asked.of(&victim) >= asked {
                // The next new one is compared with another.
                self.queue.push_back(victim);
                return false;
            }
            if let Some(gone) = self.entries.remove(&victim) {
                self.bytes -= gone.bytes;
            }
        }
        true
    }
}

impl Frequencies {
    /// After so many questions for columns the counts are halved, so that what was used once does not stay for ever.
    const HALVED_AFTER: usize = 1 << 17;

    fn add(&mut self, key: &Key) {
        let count = self.counts.entry(self.hasher.hash_one(key)).or_insert(0);
        *count = count.saturating_add(1);
        self.since_halved += 1;
        if self.since_halved >= Self::HALVED_AFTER {
            self.since_halved = 0;
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }

    fn of(&self, key: &Key) -> u8 {
        self.counts.get(&self.hasher.hash_one(key)).copied().unwrap_or(0)
    }
}

/// How much memory it takes.
fn size_of(kept: &Kept) -> usize {
    /// What an entry costs besides its values.
    const ENTRY_BYTES: usize = 256;
    ENTRY_BYTES
        + match kept {
            Kept::Templates(templates) => templates.as_ref().map_or(0, |templates| templates.memory_bytes()),
            Kept::Texts(texts) => texts.memory_bytes(),
            Kept::Column(Input::Plain(array)) => array.get_array_memory_size(),
            Kept::Column(Input::Coded { codes, values, nulls }) => {
                let codes = match codes {
                    Codes::U8(codes) => codes.len(),
                    Codes::U16(codes) => codes.len() * 2,
                    Codes::U32(codes) => codes.len() * 4,
                };
                codes + values.get_array_memory_size() + nulls.as_ref().map_or(0, |nulls| nulls.len() / 8)
            }
            Kept::Column(Input::Absent(_)) => 0,
        }
}
