//! The groups of one part while its rows come: a table of their keys, with the bytes of longer texts, and the states of
//! aggregates.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::SchemaRef;
use datafusion_common::DataFusionError;
use datafusion_expr::{EmitTo, GroupsAccumulator};
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::first::First;
use super::keys::{Form, Key, Texts, placed};
use super::part::Rows;
use crate::Result;
use crate::groups::accumulators::accumulators;

/// How many groups a part may have: their places have 32 bits.
const PLACES_MAX: usize = u32::MAX as usize;

/// What is found of each part.
pub(super) struct Wanted {
    pub(super) form: Arc<Form>,
    pub(super) aggregates: Vec<Arc<AggregateFunctionExpr>>,
    pub(super) arguments: Vec<Vec<usize>>,
    pub(super) schema: SchemaRef,
    pub(super) first: First,
}

/// The groups of one part.
pub(super) struct PartGroups<'a> {
    wanted: &'a Wanted,
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

impl Wanted {
    /// What an aggregate reads of some rows.
    fn values(&self, rows: &Rows<'_>, arguments: &[usize]) -> Vec<ArrayRef> {
        if arguments.is_empty() {
            return vec![Arc::new(Int64Array::from(vec![1; rows.keys.len()]))];
        }
        // Keys are the first columns, and can be what is aggregated.
        let keys = self.form.columns();
        let of_keys = match arguments.iter().any(|place| *place < keys) {
            true => self.form.arrays(rows.keys.iter().copied(), rows.texts()),
            false => Vec::new(),
        };
        let of = |place: &usize| match place.checked_sub(keys) {
            Some(place) => Arc::clone(&rows.arguments[place]),
            None => Arc::clone(&of_keys[*place]),
        };
        arguments.iter().map(of).collect()
    }
}

impl<'a> PartGroups<'a> {
    pub(super) fn new(wanted: &'a Wanted) -> Result<Self> {
        let accumulators = accumulators(&wanted.aggregates)?;
        Ok(Self { wanted, table: Table::default(), accumulators, places: Vec::new() })
    }

    pub(super) fn add(&mut self, rows: &Rows<'_>) -> Result<()> {
        let (wanted, table) = (self.wanted, &mut self.table);
        if table.keys.len() + rows.keys.len() > PLACES_MAX {
            // What memory is not enough for is grouped in another way.
            Err(DataFusionError::ResourcesExhausted("a part has too many groups".to_owned()))?;
        }
        self.places.clear();
        let texts = rows.texts();
        self.places.extend(rows.keys.iter().map(|key| table.place(*key, texts, &wanted.form)));
        for (accumulator, arguments) in self.accumulators.iter_mut().zip(&wanted.arguments) {
            let values = wanted.values(rows, arguments);
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
        let (wanted, table) = (self.wanted, &self.table);
        let mut aggregates: Vec<ArrayRef> = Vec::with_capacity(self.accumulators.len());
        for accumulator in &mut self.accumulators {
            aggregates.push(accumulator.evaluate(EmitTo::All)?);
        }
        let form = &wanted.form;
        let compare = |left: u32, right: u32| table.compare(left, right, form);
        let mut columns = match wanted.first.candidates(&aggregates, compare) {
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
        Ok((RecordBatch::try_new(Arc::clone(&wanted.schema), columns)?, groups))
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
