//! One row for each element of arrays and maps: the rows of a batch once over, in batches of bounded length however many
//! elements a row has. The plan that they are a step of is `leaf`'s.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::SchemaRef;
use datafusion_common::{DataFusionError, Result as DataFusionResult};
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use serde_json::{Map, Value as Json};
use tidegauge_exec::kernels::json;

use crate::Result;
use crate::own_rows;

/// How many rows a batch has at most, and about how many bytes of text where each row has its own.
const BATCH_ROWS: usize = 16 * 1024;
const BATCH_BYTES: usize = 16 << 20;

/// Taking a text apart takes about so many times its bytes.
const TAKEN_APART: usize = 8;

/// What is taken apart, and how.
#[derive(Clone, Debug)]
pub(crate) struct Unfolding {
    /// How many of the input's columns are given as they are, once for each element. Those behind them are JSON texts
    /// that are taken apart side by side.
    pub(crate) kept: usize,
    /// Whether members of maps become arrays of key and value, and not maps of one member.
    pub(crate) is_pairs: bool,
    /// Whether the number of the element is given too, as the last column.
    pub(crate) has_index: bool,
    /// The most rows that one row becomes.
    pub(crate) limit: usize,
}

/// The rows of one batch while they are taken apart.
pub(crate) struct Rows {
    batch: RecordBatch,
    unfolding: Arc<Unfolding>,
    schema: SchemaRef,
    row: usize,
    /// The element of the row that is next.
    element: usize,
    /// The elements of each text of the row, where the row was begun.
    begun: Option<Vec<Elements>>,
    /// What the elements of the row take.
    memory: MemoryReservation,
}

/// The elements of one text, as places in it or as texts of their own.
enum Elements {
    /// Null, and what is neither array nor map: one element, itself.
    Single,
    Places(Vec<(usize, usize)>),
    Texts(Vec<String>),
}

impl Elements {
    fn of(text: Option<&str>, is_pairs: bool) -> Self {
        let Some(text) = text else { return Self::Single };
        match text.trim_start().as_bytes().first() {
            Some(b'[') => {
                let start = text.as_ptr().addr();
                let place = |element: &str| (element.as_ptr().addr() - start, element.len());
                Self::Places(json::elements(text).into_iter().flatten().map(place).collect())
            }
            Some(b'{') => {
                let members: Map<String, Json> = serde_json::from_str(text).unwrap_or_default();
                let write = |(key, value): (&String, &Json)| {
                    let mut name = String::new();
                    json::write_string(key, &mut name);
                    if is_pairs { format!("[{name},{value}]") } else { format!("{{{name}:{value}}}") }
                };
                Self::Texts(members.iter().map(write).collect())
            }
            _ => Self::Single,
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Single => 1,
            Self::Places(places) => places.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// An element; none where there are not so many, or it is null.
    fn get<'a>(&'a self, number: usize, text: Option<&'a str>) -> Option<Cow<'a, str>> {
        let element = match self {
            Self::Single if number == 0 => text?,
            Self::Single => return None,
            Self::Places(places) => {
                let (start, length) = places.get(number)?;
                text?.get(*start..start + length)?
            }
            Self::Texts(texts) => texts.get(number)?,
        };
        (element.trim() != "null").then_some(Cow::Borrowed(element))
    }
}

impl Rows {
    pub(crate) fn new(
        batch: RecordBatch,
        unfolding: &Arc<Unfolding>,
        schema: &SchemaRef,
        pool: &Arc<dyn MemoryPool>,
    ) -> Self {
        let (unfolding, schema) = (Arc::clone(unfolding), Arc::clone(schema));
        let memory = MemoryConsumer::new("elements").register(pool);
        Self { batch, unfolding, schema, row: 0, element: 0, begun: None, memory }
    }

    fn text(&self, place: usize, row: usize) -> Option<&str> {
        let texts = self.batch.column(self.unfolding.kept + place).as_string_view();
        texts.is_valid(row).then(|| texts.value(row))
    }

    /// The next batch, none when all rows are taken apart.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let fields = self.batch.num_columns() - self.unfolding.kept;
        let mut places: Vec<u32> = Vec::new();
        let mut numbers: Vec<i64> = Vec::new();
        let mut builders: Vec<StringViewBuilder> = (0..fields).map(|_| StringViewBuilder::new()).collect();
        let mut bytes = 0;
        while self.row < self.batch.num_rows() && places.len() < BATCH_ROWS && bytes < BATCH_BYTES {
            let row = self.row;
            let kept: usize = own_rows::text_bytes(&self.batch.columns()[..self.unfolding.kept], row);
            let elements = match self.begun.take() {
                Some(elements) => elements,
                None => {
                    let texts = (0..fields).map(|place| self.text(place, row));
                    self.memory
                        .try_resize(texts.clone().flatten().map(str::len).sum::<usize>() * TAKEN_APART)?;
                    texts.map(|text| Elements::of(text, self.unfolding.is_pairs)).collect()
                }
            };
            let count = elements.iter().map(Elements::count).max().unwrap_or(0).min(self.unfolding.limit);
            let mut number = self.element;
            while number < count && places.len() < BATCH_ROWS && bytes < BATCH_BYTES {
                places.push(row as u32);
                numbers.push(number as i64);
                bytes += kept;
                for (place, (elements, builder)) in elements.iter().zip(&mut builders).enumerate() {
                    let element = elements.get(number, self.text(place, row));
                    bytes += element.as_ref().map_or(0, |element| element.len());
                    builder.append_option(element);
                }
                number += 1;
            }
            if number < count {
                (self.element, self.begun) = (number, Some(elements));
            } else {
                (self.row, self.element) = (row + 1, 0);
            }
        }
        if places.is_empty() {
            return Ok(None);
        }
        let rows = places.len();
        let places = UInt32Array::from(places);
        let kept = self.batch.columns()[..self.unfolding.kept].iter();
        let taken = kept.map(|column| arrow_select::take::take(column, &places, None));
        let mut arrays = taken.collect::<Result<Vec<ArrayRef>, _>>()?;
        arrays.extend(builders.into_iter().map(|mut builder| Arc::new(builder.finish()) as ArrayRef));
        if self.unfolding.has_index {
            arrays.push(Arc::new(Int64Array::from(numbers)));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(Some(RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?))
    }
}

impl Iterator for Rows {
    type Item = DataFusionResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch().map_err(|error| DataFusionError::External(Box::new(error)));
        next.transpose()
    }
}
