//! Counters: how much the values of series rose, over resets. A group keeps the points of each series, because states
//! come in any order of time and may lie between each other: only all points together tell which follows which. What
//! points hold is left to `numbers` and `histograms`; what lies between two buckets of time is added by `along`.

mod along;
mod exponential;
mod histogram;
mod histograms;
mod kind;
mod numbers;
mod points;
mod side;

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use datafusion_common::Result;
use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_128;

pub use self::along::{Along, settled};
pub(super) use self::exponential::of_exponential;
pub(super) use self::histogram::Histogram;
pub(super) use self::histograms::{Added, Histograms};
pub(super) use self::kind::Kind;
pub(super) use self::numbers::Numbers;
use self::points::Points;
use super::grouped::{Aggregate, Bytes, Rows, check_room, texts, wrong_input};
use super::state::{StateReader, write_number, write_word};

/// How much series rose. The inputs are the time of a point, its value, what tells its series from others, as text, and
/// whether it holds what came since the point before and not since a beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Counters<K>(pub(super) K);

/// The hash of what tells a series from others, and whether its points are increases by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Series {
    name: u128,
    is_delta: bool,
}

/// The series of a group.
#[derive(Debug, Default)]
pub(super) struct Group<K: Kind> {
    series: HashMap<Series, Points<K>>,
    point_bytes: usize,
}

/// A series with its points.
type OfSeries<'a, K> = (Series, &'a [(i64, <K as Kind>::Value)]);

impl<K: Kind> Group<K> {
    fn heap_bytes(&self) -> usize {
        self.series.allocation_size() + self.point_bytes
    }

    fn add(&mut self, series: Series, time: i64, value: K::Value, bytes: &mut Bytes) {
        let before = self.heap_bytes();
        let points = self.series.entry(series).or_default();
        let points_before = points.heap_bytes();
        points.add(time, value);
        self.point_bytes = self.point_bytes + points.heap_bytes() - points_before;
        bytes.replace(before, self.heap_bytes());
    }

    /// The series in an order that is always the same, with their points in the order of time.
    fn in_order(&mut self) -> Vec<OfSeries<'_, K>> {
        let mut all: Vec<_> =
            self.series.iter_mut().map(|(series, points)| (*series, points.in_order())).collect();
        all.sort_unstable_by_key(|(series, _)| *series);
        all
    }

    /// How much all series rose from point to point, and where each began and ended, for the buckets beside.
    fn result(&mut self, edges: &mut Vec<u8>) -> K::Sum {
        let mut sum = K::Sum::default();
        let mut ends = Vec::new();
        for (series, points) in self.in_order() {
            if series.is_delta {
                points.iter().for_each(|(_, value)| K::add(&mut sum, value));
                continue;
            }
            for pair in points.windows(2) {
                K::add(&mut sum, &K::since(&pair[1].1, &pair[0].1));
            }
            if let (Some(first), Some(last)) = (points.first(), points.last()) {
                ends.push((series.name, first, last));
            }
        }
        K::write_sum(&sum, edges);
        for (name, (_, first), (_, last)) in ends {
            edges.extend_from_slice(&name.to_le_bytes());
            K::write(first, None, edges);
            K::write(last, Some(first), edges);
        }
        sum
    }
}

fn fields(value: DataType) -> Fields {
    Fields::from(vec![Field::new("value", value, true), Field::new("edges", DataType::Binary, false)])
}

impl<K: Kind> Aggregate for Counters<K> {
    type Group = Group<K>;

    fn name(&self) -> &'static str {
        K::NAME
    }

    fn output_type(&self) -> DataType {
        DataType::Struct(fields(K::output_type()))
    }

    fn update(
        &self,
        groups: &mut [Group<K>],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        let times = inputs[0]
            .as_primitive_opt::<Int64Type>()
            .ok_or_else(|| wrong_input(inputs[0].data_type(), "Int64"))?;
        let values = K::reader(&inputs[1])?;
        let names = texts(inputs, 2)?;
        let deltas =
            inputs[3].as_boolean_opt().ok_or_else(|| wrong_input(inputs[3].data_type(), "Boolean"))?;
        let nulls = NullBuffer::union(times.nulls(), inputs[1].nulls());
        rows.for_each(nulls.as_ref(), |row, group| {
            let Some(value) = values(row) else { return };
            // No text of a value is empty, so that nothing is a name of its own.
            let name = if names.is_valid(row) { names.value(row) } else { "" };
            let is_delta = deltas.is_valid(row) && deltas.value(row);
            let series = Series { name: xxh3_128(name.as_bytes()), is_delta };
            groups[group].add(series, times.value(row), value, bytes);
        });
        Ok(())
    }

    fn merge(&self, group: &mut Group<K>, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        while !state.is_at_end() {
            let is_delta = state.byte()? == 1;
            let name = state.wide()?;
            let count = state.number()?;
            let (mut time, mut before): (i64, Option<K::Value>) = (0, None);
            for _ in 0..count {
                let step = if before.is_some() { state.number()? } else { state.word()? };
                time = time.wrapping_add(step.cast_signed());
                let value = K::read(before.as_ref(), state)?;
                group.add(Series { name, is_delta }, time, value.clone(), bytes);
                before = Some(value);
            }
        }
        Ok(())
    }

    fn write_state(&self, group: &mut Group<K>, state: &mut Vec<u8>) {
        for (series, points) in group.in_order() {
            state.push(u8::from(series.is_delta));
            state.extend_from_slice(&series.name.to_le_bytes());
            write_number(state, points.len() as u64);
            let mut before: Option<&(i64, K::Value)> = None;
            for point in points {
                match before {
                    Some((time, _)) => write_number(state, point.0.wrapping_sub(*time).cast_unsigned()),
                    None => write_word(state, point.0.cast_unsigned()),
                }
                K::write(&point.1, before.map(|(_, value)| value), state);
                before = Some(point);
            }
        }
    }

    fn evaluate(&self, groups: Vec<Group<K>>) -> Result<ArrayRef> {
        let mut sums = Vec::with_capacity(groups.len());
        let mut column = BinaryBuilder::with_capacity(groups.len(), groups.len() * 64);
        let mut edges = Vec::new();
        for mut group in groups {
            edges.clear();
            sums.push(group.result(&mut edges));
            check_room(column.values_slice().len(), edges.len())?;
            column.append_value(&edges);
        }
        let columns: Vec<ArrayRef> = vec![K::finish(sums), Arc::new(column.finish())];
        Ok(Arc::new(StructArray::try_new(fields(K::output_type()), columns, None)?))
    }

    fn heap_bytes(group: &Group<K>) -> usize {
        group.heap_bytes()
    }
}
