//! The numbers of a group: all of them while they are few, a sketch of them when they are many, and the aggregates
//! that keep them. What an aggregate makes of the numbers is left to itself.

use std::fmt::Debug;
use std::hash::Hash;
use std::mem::size_of;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use datafusion_common::Result;

use super::grouped::{Aggregate, Bytes, Rows, floats};
use super::sketch::Sketch;
use super::sketched::{Bucket, Sketched};
use super::state::{StateReader, damaged, write_float, write_number};

/// How many numbers of a group are kept as they are.
pub(super) const FEW: usize = 1024;

/// Finite numbers. Others are left out, since an answer in JSON could not name them.
#[derive(Debug)]
pub(super) struct Values<S = Sketch> {
    /// All numbers, as long as there is no sketch.
    few: Vec<f64>,
    many: Option<Box<S>>,
}

impl<S> Default for Values<S> {
    fn default() -> Self {
        Self { few: Vec::new(), many: None }
    }
}

/// What is known of the numbers of a group when all have come.
#[derive(Debug)]
pub(super) enum Summary {
    /// All numbers, sorted.
    Exact(Vec<f64>),
    /// Buckets, sorted, with the least and the greatest number, which are exact.
    Estimate { buckets: Vec<Bucket>, min: f64, max: f64 },
}

/// An aggregate over the numbers of a group, which differs from the others of its kind in what it makes of them.
pub(super) trait OverNumbers: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// What is kept of many numbers.
    type Sketch: Sketched;

    fn name(&self) -> &'static str;

    fn output_type(&self) -> DataType;

    fn evaluate(&self, groups: Vec<Values<Self::Sketch>>) -> Result<ArrayRef>;

    /// About what the answer of a group takes where that can be far more than what it is made of.
    fn answer_bytes(&self) -> usize {
        0
    }
}

impl<A: OverNumbers> Aggregate for A {
    type Group = Values<A::Sketch>;

    fn name(&self) -> &'static str {
        OverNumbers::name(self)
    }

    fn output_type(&self) -> DataType {
        OverNumbers::output_type(self)
    }

    fn update(
        &self,
        groups: &mut [Self::Group],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let column = floats(inputs)?;
        let values = column.values();
        rows.for_each(arrow_array::Array::nulls(column), |row, group| groups[group].add(values[row], bytes));
        Ok(())
    }

    fn merge(&self, group: &mut Self::Group, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        group.merge(state, bytes)
    }

    fn write_state(&self, group: &mut Self::Group, state: &mut Vec<u8>) {
        group.write(state);
    }

    fn evaluate(&self, groups: Vec<Self::Group>) -> Result<ArrayRef> {
        OverNumbers::evaluate(self, groups)
    }

    fn heap_bytes(group: &Self::Group) -> usize {
        group.heap_bytes()
    }

    fn answer_bytes(&self) -> usize {
        OverNumbers::answer_bytes(self)
    }
}

impl<S: Sketched> Values<S> {
    #[inline]
    pub(super) fn add(&mut self, value: f64, bytes: &mut Bytes) {
        let is_added = self.many.as_mut().is_some_and(|sketch| sketch.add_within(value));
        if !is_added {
            self.add_slowly(value, bytes);
        }
    }

    /// Counts a number for which there may be no place yet.
    fn add_slowly(&mut self, value: f64, bytes: &mut Bytes) {
        if !value.is_finite() {
            return;
        }
        if self.few.len() < self.few.capacity() {
            self.few.push(value);
            return;
        }
        let before = self.heap_bytes();
        if self.many.is_none() && self.few.len() < FEW {
            let more = self.few.len().max(4).min(FEW - self.few.len());
            self.few.reserve_exact(more);
            self.few.push(value);
        } else {
            self.sketch().add(value);
        }
        bytes.replace(before, self.heap_bytes());
    }

    /// The sketch, made of the numbers so far if there is none yet.
    fn sketch(&mut self) -> &mut S {
        self.many.get_or_insert_with(|| {
            let mut sketch = Box::new(S::new());
            std::mem::take(&mut self.few).into_iter().for_each(|value| sketch.add(value));
            sketch
        })
    }

    pub(super) fn write(&self, state: &mut Vec<u8>) {
        match &self.many {
            None => {
                state.push(0);
                write_number(state, self.few.len() as u64);
                self.few.iter().for_each(|value| write_float(state, *value));
            }
            Some(sketch) => {
                state.push(1);
                sketch.write(state);
            }
        }
    }

    pub(super) fn merge(&mut self, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        match state.byte()? {
            0 => {
                for _ in 0..state.number()? {
                    self.add(state.float()?, bytes);
                }
                Ok(())
            }
            1 => {
                let before = self.heap_bytes();
                let merged = self.sketch().merge(state);
                bytes.replace(before, self.heap_bytes());
                merged
            }
            _ => Err(damaged()),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let many = self.many.as_ref().map_or(0, |sketch| size_of::<S>() + sketch.heap_bytes());
        self.few.capacity() * size_of::<f64>() + many
    }

    pub(super) fn summarise(mut self) -> Summary {
        match self.many {
            None => {
                self.few.sort_unstable_by(f64::total_cmp);
                Summary::Exact(self.few)
            }
            Some(sketch) => {
                let (min, max) = sketch.bounds();
                Summary::Estimate { buckets: sketch.buckets(), min, max }
            }
        }
    }
}

impl Summary {
    pub(super) fn is_estimate(&self) -> bool {
        matches!(self, Self::Estimate { .. })
    }
}
