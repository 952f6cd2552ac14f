//! Columns of blocks in decoded form, kept while they fit. Decoding is what most questions cost, and blocks never
//! change, so a kept column is as good as a read one. What was not used since the hand last passed goes first.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::Array;
use hashbrown::HashMap;
use tidegauge_store::{BlockId, Codes};

use crate::bind::InputColumn;
use crate::expr::Input;

type Key = (BlockId, InputColumn);

/// The kept columns of all datasets.
#[derive(Debug)]
pub(crate) struct ColumnCache {
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// In the order in which the hand passes.
    queue: VecDeque<Key>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    input: Input,
    bytes: usize,
    was_used: bool,
}

impl ColumnCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, state: Mutex::new(State::default()) }
    }

    pub(crate) fn get(&self, block: BlockId, column: &InputColumn) -> Option<Input> {
        let mut state = self.lock();
        let entry = state.entries.get_mut(&(block, column.clone()))?;
        entry.was_used = true;
        Some(entry.input.clone())
    }

    pub(crate) fn insert(&self, block: BlockId, column: &InputColumn, input: &Input) {
        let bytes = size_of(input);
        // One column that would push out most of the others helps nobody.
        if bytes > self.bytes_max / 8 {
            return;
        }
        let key = (block, column.clone());
        let mut state = self.lock();
        let entry = Entry { input: input.clone(), bytes, was_used: false };
        match state.entries.insert(key.clone(), entry) {
            Some(old) => state.bytes -= old.bytes,
            None => state.queue.push_back(key),
        }
        state.bytes += bytes;
        while state.bytes > self.bytes_max && state.let_one_go() {}
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn let_one_go(&mut self) -> bool {
        while let Some(key) = self.queue.pop_front() {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.was_used => {
                    entry.was_used = false;
                    self.queue.push_back(key);
                }
                Some(_) => {
                    if let Some(gone) = self.entries.remove(&key) {
                        self.bytes -= gone.bytes;
                    }
                    return true;
                }
                None => {}
            }
        }
        false
    }
}

/// How much memory a column holds.
pub(crate) fn size_of(input: &Input) -> usize {
    /// What an entry costs besides its values.
    const ENTRY_BYTES: usize = 256;
    ENTRY_BYTES
        + match input {
            Input::Plain(array) => array.get_array_memory_size(),
            Input::Coded { codes, values, nulls } => {
                let codes = match codes {
                    Codes::U8(codes) => codes.len(),
                    Codes::U16(codes) => codes.len() * 2,
                    Codes::U32(codes) => codes.len() * 4,
                };
                codes + values.get_array_memory_size() + nulls.as_ref().map_or(0, |nulls| nulls.len() / 8)
            }
            Input::Absent(_) => 0,
        }
}
