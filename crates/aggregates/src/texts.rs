//! A table of different texts with something about each, for aggregates over values that come as JSON text.

use std::mem::size_of;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// Texts in no order of meaning.
#[derive(Debug)]
pub(super) struct Texts<V> {
    /// Where the text of a hash lies in `entries`.
    index: HashTable<u32>,
    entries: Vec<Entry<V>>,
    text_bytes: usize,
}

/// A text with its hash, which is the same in all processes.
#[derive(Debug)]
pub(super) struct Entry<V> {
    pub(super) text: Box<str>,
    pub(super) hash: u64,
    pub(super) about: V,
}

impl<V> Default for Texts<V> {
    fn default() -> Self {
        Self { index: HashTable::new(), entries: Vec::new(), text_bytes: 0 }
    }
}

impl<V> Texts<V> {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The bytes of the texts themselves.
    pub(super) fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    pub(super) fn entries(&self) -> &[Entry<V>] {
        &self.entries
    }

    pub(super) fn entries_mut(&mut self) -> &mut [Entry<V>] {
        &mut self.entries
    }

    pub(super) fn get_mut(&mut self, text: &str) -> Option<&mut V> {
        let hash = xxh3_64(text.as_bytes());
        let found = self.index.find(hash, |at| *self.entries[*at as usize].text == *text).copied();
        found.map(|at| &mut self.entries[at as usize].about)
    }

    /// What is known of a text, and `new` if it is not there yet.
    pub(super) fn get_or_insert(&mut self, text: &str, new: V) -> &mut V {
        let hash = xxh3_64(text.as_bytes());
        let found = self.index.find(hash, |at| *self.entries[*at as usize].text == *text).copied();
        let at = found.unwrap_or_else(|| self.insert(Entry { text: text.into(), hash, about: new }));
        &mut self.entries[at as usize].about
    }

    /// Adds an entry whose text is not there yet.
    fn insert(&mut self, entry: Entry<V>) -> u32 {
        let at = self.entries.len() as u32;
        self.text_bytes += entry.text.len();
        let hash = entry.hash;
        self.entries.push(entry);
        self.index.insert_unique(hash, at, |at| self.entries[*at as usize].hash);
        at
    }

    /// Takes all entries out.
    pub(super) fn take(&mut self) -> Vec<Entry<V>> {
        self.index.clear();
        self.text_bytes = 0;
        std::mem::take(&mut self.entries)
    }

    /// Puts entries with different texts into an empty table.
    pub(super) fn fill(&mut self, entries: Vec<Entry<V>>) {
        self.text_bytes = entries.iter().map(|entry| entry.text.len()).sum();
        self.entries = entries;
        for (at, entry) in self.entries.iter().enumerate() {
            self.index.insert_unique(entry.hash, at as u32, |at| self.entries[*at as usize].hash);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.index.allocation_size() + self.entries.capacity() * size_of::<Entry<V>>() + self.text_bytes
    }
}
