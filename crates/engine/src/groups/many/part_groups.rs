//! The groups of one part while its rows come: a table of their keys, with the bytes of longer texts, and the states of
//! aggregates.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use datafusion_common::DataFusionError;
use datafusion_expr::{EmitTo, GroupsAccumulator};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::Merging;
use super::keys::{Form, Key, Texts, placed};
use super::part::Rows;
use crate::Result;
use crate::groups::accumulators::accumulators;

/// How many groups a part may have: their places have 32 bits.
const PLACES_MAX: usize = u32::MAX as usize;

/// The groups of one part.
pub(super) struct PartGroups<'a> {
    merging: &'a Merging,
    table: Table,
    accumulators: Vec<Box<dyn GroupsAccumulator>>,
    /// The places of the rows that came last.
    places: Vec<usize>,
}

/// The keys of groups, each with a place.
#[derive(Default)]
struct Table {
    places: HashTable<u32>,
    keys: Vec<Key>,
    bytes: Vec<u8>,
}

impl<'a> PartGroups<'a> {
    pub(super) fn new(merging: &'a Merging) -> Result<Self> {
        let accumulators = accumulators(&merging.aggregates)?;
        Ok(Self { merging, table: Table::default(), accumulators, places: Vec::new() })
    }

    pub(super) fn add(&mut self, rows: &Rows<'_>) -> Result<()> {
        let (merging, table) = (self.merging, &mut self.table);
        if table.keys.len() + rows.keys.len() > PLACES_MAX {
            // What memory is not enough for is grouped in another way.
            Err(DataFusionError::ResourcesExhausted("a part has too many groups".to_owned()))?;
        }
        self.places.clear();
        let texts = rows.texts();
        self.places.extend(rows.keys.iter().map(|key| table.place(*key, texts, &merging.form)));
        for (accumulator, arguments) in self.accumulators.iter_mut().zip(&merging.arguments) {
            let values = merging.values(rows, arguments);
            accumulator.update_batch(&values, &self.places, None, table.keys.len())?;
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        let states: usize = self.accumulators.iter().map(|accumulator| accumulator.size()).sum();
        let keys = self.table.keys.capacity() * (size_of::<Key>() + size_of::<u64>());
        states + keys + self.table.bytes.capacity()
    }

    /// Those that may be among the first, and how many there are.
    pub(super) fn first(mut self) -> Result<(RecordBatch, u64)> {
        let (merging, table) = (self.merging, &self.table);
        let mut aggregates: Vec<ArrayRef> = Vec::with_capacity(self.accumulators.len());
        for accumulator in &mut self.accumulators {
            aggregates.push(accumulator.evaluate(EmitTo::All)?);
        }
        let form = &merging.form;
        let compare = |left: u32, right: u32| table.compare(left, right, form);
        let mut columns = match merging.first.candidates(&aggregates, compare) {
            None => form.arrays(table.keys.iter().copied(), table.texts()),
            Some(rows) => {
                for column in &mut aggregates {
                    *column = arrow_select::take::take(column, &rows, None)?;
                }
                let keys = rows.values().iter().map(|row| table.keys[*row as usize]);
                form.arrays(keys, table.texts())
            }
        };
        columns.append(&mut aggregates);
        // Where all groups are wanted, they wait for those of the other parts.
        columns.iter_mut().for_each(Array::shrink_to_fit);
        let groups = table.keys.len() as u64;
        Ok((RecordBatch::try_new(Arc::clone(&merging.schema), columns)?, groups))
    }
}

impl Table {
    fn texts(&self) -> Texts<'_> {
        Texts { bytes: &self.bytes, first: 0 }
    }

    fn compare(&self, left: u32, right: u32, form: &Form) -> Ordering {
        form.compare(self.keys[left as usize], self.keys[right as usize], self.texts())
    }

    fn place(&mut self, key: Key, of_rows: Texts<'_>, form: &Form) -> usize {
        let Self { places, keys, bytes } = self;
        let own = Texts { bytes, first: 0 };
        let is_long = form.is_long(key);
        let are_equal = |place: &u32| {
            let known = keys[*place as usize];
            match is_long {
                false => known == key,
                true => known as u64 == key as u64 && own.long(known) == of_rows.long(key),
            }
        };
        match places.entry(form.hash(key), are_equal, |place| form.hash(keys[*place as usize])) {
            Entry::Occupied(place) => *place.get() as usize,
            Entry::Vacant(free) => {
                let place = keys.len();
                free.insert(place as u32);
                if is_long {
                    keys.push(placed(key, bytes.len()));
                    bytes.extend_from_slice(of_rows.long(key));
                } else {
                    keys.push(key);
                }
                place
            }
        }
    }
}
