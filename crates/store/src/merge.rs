//! Merges inputs in the order of time: the rows of several requests or segments as one sorted whole, column by
//! column, so that only one column is in memory at a time. How the result is stored is left to `segment`.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array};
use hashbrown::HashMap;
use tidegauge_model::Column;

use crate::arrays;
use crate::column_key::{ColumnKey, ColumnName};
use crate::identities::Identities;
use crate::merge_input::MergeInput;
use crate::{Error, Result};

/// Inputs with the order of their rows.
#[derive(Debug)]
pub(crate) struct Merge {
    inputs: Vec<MergeInput>,
    pub(crate) identities: Identities,
    /// Row numbers in the order of time; absent when they are in that order already.
    order: Option<Vec<u32>>,
    columns: HashMap<ColumnKey, Occurrences>,
    /// The number of each input's first row.
    bases: Vec<usize>,
}

/// Where a column occurs: the input and its index in there, in the order of the inputs.
#[derive(Debug, Default)]
struct Occurrences {
    rows: u64,
    places: Vec<(usize, usize)>,
}

impl Occurrences {
    fn add(&mut self, rows: u64, input: usize, place: usize) {
        self.rows += rows;
        self.places.push((input, place));
    }
}

/// Some rows of a merge, in the order of time.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// Rows that lie side by side already.
    Range(Range<usize>),
    Picked(Vec<u32>),
}

impl Merge {
    pub(crate) fn new(mut inputs: Vec<MergeInput>) -> Result<Self> {
        let rows: usize = inputs.iter().map(MergeInput::rows).sum();
        if u32::try_from(rows).is_err() {
            return Err(Error::corrupt("too many rows to be merged at once"));
        }
        // Requests mostly come in the order of their events: inputs in the order of their first event need no sort.
        inputs.sort_by_key(MergeInput::first_time);
        let mut identities = Identities::default();
        let mut bases = Vec::with_capacity(inputs.len());
        let mut columns: HashMap<ColumnKey, Occurrences> = HashMap::new();
        for (number, input) in inputs.iter().enumerate() {
            bases.push(identities.times.len());
            input.identify(&mut identities);
            input.columns(&mut |place, field, kind, rows| {
                // Many small requests have the same few columns: their names are copied once.
                if let Some(occurrences) = columns.get_mut(&ColumnName(field, kind)) {
                    occurrences.add(rows, number, place);
                } else {
                    columns.entry((Arc::from(field), kind)).or_default().add(rows, number, place);
                }
            });
        }
        let order = order_of(&identities);
        Ok(Self { inputs, identities, order, columns, bases })
    }

    pub(crate) fn rows(&self) -> usize {
        self.identities.times.len()
    }

    pub(crate) fn raw_bytes(&self) -> u64 {
        self.inputs.iter().map(MergeInput::raw_bytes).sum()
    }

    /// The time of the row at a place in the order.
    pub(crate) fn time_at(&self, place: usize) -> i64 {
        let row = self.order.as_ref().map_or(place, |order| order[place] as usize);
        self.identities.times[row]
    }

    /// The numbers of the rows in the order of time; `None` when they are in that order already.
    pub(crate) fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// Every column, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &ColumnKey> {
        self.columns.keys()
    }

    pub(crate) fn contains(&self, column: ColumnName<'_>) -> bool {
        self.columns.contains_key(&column)
    }

    /// Where a column occurs: the number of the input's first row, the input, and its index in there.
    pub(crate) fn occurrences(
        &self,
        column: ColumnName<'_>,
    ) -> impl Iterator<Item = (usize, &MergeInput, usize)> {
        let places = self.columns.get(&column).map_or(&[][..], |occurrences| &occurrences.places);
        places.iter().map(|(number, place)| (self.bases[*number], &self.inputs[*number], *place))
    }

    /// The rows at these places in the order, which must ascend.
    pub(crate) fn rows_at(&self, places: &[Range<usize>]) -> Rows {
        match (&self.order, places) {
            (None, [range]) => Rows::Range(range.clone()),
            (None, ranges) => Rows::Picked(ranges.iter().cloned().flatten().map(|row| row as u32).collect()),
            (Some(order), ranges) => {
                Rows::Picked(ranges.iter().flat_map(|range| &order[range.clone()]).copied().collect())
            }
        }
    }

    /// Every column with the number of rows that have it, those of most rows first.
    pub(crate) fn columns(&self) -> Vec<(ColumnKey, u64)> {
        let mut columns: Vec<(ColumnKey, u64)> =
            self.columns.iter().map(|(key, occurrences)| (key.clone(), occurrences.rows)).collect();
        columns.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        columns
    }

    /// A column over all rows, in the order of the inputs.
    pub(crate) fn array(&self, key: &ColumnKey) -> Result<ArrayRef> {
        let mut arrays: Vec<ArrayRef> = Vec::new();
        let mut rows = 0;
        for (number, place) in self.places(key) {
            let base = self.bases[*number];
            if base > rows {
                // All inputs between that lack the column at once: of many fields, each is in few inputs.
                arrays.push(arrays::nulls(key.1, base - rows));
            }
            let array = self.inputs[*number].array(*place)?;
            rows = base + array.len();
            arrays.push(array);
        }
        if self.rows() > rows {
            arrays.push(arrays::nulls(key.1, self.rows() - rows));
        }
        match arrays.as_slice() {
            [only] => Ok(Arc::clone(only)),
            _ => {
                let all: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
                Ok(arrow_select::concat::concat(&all)?)
            }
        }
    }

    /// The values of a column that are there, for each input that has some with the number of the input's first row.
    pub(crate) fn sparse(&self, key: &ColumnKey) -> impl Iterator<Item = Result<(usize, Column)>> {
        self.places(key)
            .iter()
            .map(move |(number, place)| Ok((self.bases[*number], self.inputs[*number].sparse(*place, key)?)))
    }

    fn places(&self, key: &ColumnKey) -> &[(usize, usize)] {
        self.columns.get(key).map_or(&[], |occurrences| &occurrences.places)
    }
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Picked(rows) => rows.len(),
        }
    }

    /// The part of these rows at some places among them.
    pub(crate) fn slice(&self, places: Range<usize>) -> Self {
        match self {
            Self::Range(range) => Self::Range(range.start + places.start..range.start + places.end),
            Self::Picked(rows) => Self::Picked(rows[places].to_vec()),
        }
    }

    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Self::Range(range) => Box::new(range.clone()),
            Self::Picked(rows) => Box::new(rows.iter().map(|row| *row as usize)),
        }
    }

    pub(crate) fn of(&self, array: &ArrayRef) -> Result<ArrayRef> {
        match self {
            Self::Range(range) => Ok(array.slice(range.start, range.len())),
            Self::Picked(rows) => {
                let rows = UInt32Array::from(rows.clone());
                Ok(arrow_select::take::take(array, &rows, None)?)
            }
        }
    }
}

fn order_of(identities: &Identities) -> Option<Vec<u32>> {
    let key = |row: usize| (identities.times[row], identities.sequences[row], identities.indexes[row]);
    let rows = identities.times.len();
    if (1..rows).all(|row| key(row - 1) <= key(row)) {
        return None;
    }
    let mut order: Vec<u32> = (0..rows as u32).collect();
    // The stable sort finds the runs that the inputs are.
    order.sort_by_key(|row| key(*row as usize));
    Some(order)
}
