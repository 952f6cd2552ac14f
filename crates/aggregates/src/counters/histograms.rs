//! Counters that are histograms, and histograms added up. Those of different buckets are added apart and put together
//! in the end, so that the order in which they come does not matter.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use datafusion_common::Result;
use tidegauge_exec::kernels::json;

use super::super::grouped::wrong_input;
use super::super::state::{StateReader, write_number};
use super::histogram::{Exponential, Histogram, Listed};
use super::kind::Kind;
use super::side::Side;

/// An answer lists so many buckets of a side, empty ones among them. Where there would be more, they are made wider.
const LISTED_MAX: u64 = 4096;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Histograms;

/// Histograms added up: of each list of bounds, and of each scale and width of zero, those that have it.
#[derive(Debug, Default)]
pub(crate) struct Added {
    listed: BTreeMap<Vec<u64>, Listed>,
    exponential: BTreeMap<(i32, u64), Exponential>,
    heap_bytes: usize,
}

impl Added {
    pub(crate) fn add(&mut self, histogram: &Histogram) {
        match histogram {
            Histogram::Listed(one) => {
                let key: Vec<u64> = one.bounds.iter().map(|bound| bound.to_bits()).collect();
                match self.listed.get_mut(&key) {
                    Some(sum) => {
                        sum.counts.iter_mut().zip(&one.counts).for_each(|(sum, count)| *sum += count)
                    }
                    None => {
                        self.heap_bytes +=
                            histogram.heap_bytes() + key.capacity() * size_of::<u64>() + ENTRY_BYTES;
                        self.listed.insert(key, one.clone());
                    }
                }
            }
            Histogram::Exponential(one) => {
                let key = (one.scale, one.zero_threshold.to_bits());
                let (before, sum) = match self.exponential.get(&key) {
                    Some(sum) => (heap_bytes(sum), sum.plus(one)),
                    None => (0, one.clone()),
                };
                self.heap_bytes = (self.heap_bytes + heap_bytes(&sum)).saturating_sub(before);
                self.exponential.insert(key, sum);
            }
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.heap_bytes
    }

    pub(crate) fn write(&self, state: &mut Vec<u8>) {
        write_number(state, (self.listed.len() + self.exponential.len()) as u64);
        self.listed.values().for_each(|listed| Histogram::Listed(listed.clone()).write(state));
        self.exponential.values().for_each(|one| Histogram::Exponential(one.clone()).write(state));
    }

    /// Adds what was written of others.
    pub(crate) fn merge(&mut self, state: &mut StateReader<'_>) -> Result<()> {
        for _ in 0..state.number()? {
            self.add(&Histogram::read(state)?);
        }
        Ok(())
    }

    /// All together: with the bounds that all have, or with the widest buckets and the widest zero. None where there is
    /// nothing, and where some have listed bounds and others have not, which cannot be put together.
    pub(crate) fn together(&self) -> Option<Histogram> {
        match (self.listed.is_empty(), self.exponential.is_empty()) {
            (false, true) => self.of_common_bounds().map(Histogram::Listed),
            (true, false) => self.of_coarsest().map(Histogram::Exponential),
            _ => None,
        }
    }

    fn of_common_bounds(&self) -> Option<Listed> {
        let mut all = self.listed.values();
        let mut common = all.next()?.bounds.clone();
        all.for_each(|other| common.retain(|bound| other.bounds.contains(bound)));
        let mut counts = vec![0.0; common.len() + 1];
        for listed in self.listed.values() {
            let counted = listed.with_bounds(&common).counts;
            counts.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
        }
        Some(Listed { bounds: common, counts })
    }

    fn of_coarsest(&self) -> Option<Exponential> {
        let scale = self.exponential.values().map(|one| one.scale).min()?;
        let zero = self.exponential.values().map(|one| one.zero_threshold).fold(0.0, f64::max);
        let coarse = self.exponential.values().map(|one| one.coarser(scale, zero));
        coarse.reduce(|sum, one| sum.plus(&one))
    }
}

/// About what an entry of a map takes beside what it points to.
const ENTRY_BYTES: usize = 96;

fn heap_bytes(one: &Exponential) -> usize {
    one.positive.heap_bytes() + one.negative.heap_bytes() + ENTRY_BYTES
}

impl Kind for Histograms {
    type Value = Histogram;
    type Sum = Added;

    const NAME: &'static str = "histogram_increase";

    fn output_type() -> DataType {
        DataType::Utf8View
    }

    fn reader(column: &ArrayRef) -> Result<impl Fn(usize) -> Option<Histogram> + '_> {
        let texts = column.as_string_view_opt().ok_or_else(|| wrong_input(column.data_type(), "Utf8View"))?;
        Ok(move |row: usize| Histogram::of_json(texts.value(row)))
    }

    fn order(one: &Histogram, other: &Histogram) -> Ordering {
        one.order(other)
    }

    fn since(value: &Histogram, before: &Histogram) -> Histogram {
        value.since(before)
    }

    fn heap_bytes(value: &Histogram) -> usize {
        value.heap_bytes()
    }

    fn write(value: &Histogram, _: Option<&Histogram>, state: &mut Vec<u8>) {
        value.write(state);
    }

    fn read(_: Option<&Histogram>, state: &mut StateReader<'_>) -> Result<Histogram> {
        Histogram::read(state)
    }

    fn add(sum: &mut Added, increase: &Histogram) {
        sum.add(increase);
    }

    fn write_sum(sum: &Added, state: &mut Vec<u8>) {
        sum.write(state);
    }

    fn read_sum(state: &mut StateReader<'_>) -> Result<Added> {
        let mut sum = Added::default();
        sum.merge(state)?;
        Ok(sum)
    }

    fn finish(sums: Vec<Added>) -> ArrayRef {
        let mut column = StringViewBuilder::with_capacity(sums.len());
        let mut text = String::new();
        for sum in sums {
            match sum.together() {
                Some(histogram) => {
                    text.clear();
                    write_json(&histogram, &mut text);
                    column.append_value(&text);
                }
                None => column.append_null(),
            }
        }
        Arc::new(column.finish())
    }
}

/// The map that a histogram is read from.
fn write_json(histogram: &Histogram, text: &mut String) {
    match histogram {
        Histogram::Listed(listed) => {
            write_list("{\"bounds\":", listed.bounds.iter().copied(), text);
            write_list(",\"counts\":", listed.counts.iter().copied(), text);
        }
        Histogram::Exponential(exponential) => {
            let mut exponential = exponential.clone();
            while exponential.positive.width().max(exponential.negative.width()) > LISTED_MAX {
                exponential = exponential.coarser(exponential.scale - 1, exponential.zero_threshold);
            }
            text.push_str("{\"scale\":");
            text.push_str(&exponential.scale.to_string());
            text.push_str(",\"zero_count\":");
            json::write_float_json(exponential.zero_count, text);
            text.push_str(",\"zero_threshold\":");
            json::write_float_json(exponential.zero_threshold, text);
            for (name, side) in [("positive", &exponential.positive), ("negative", &exponential.negative)] {
                write_side(name, side, text);
            }
        }
    }
    text.push('}');
}

fn write_side(name: &str, side: &Side, text: &mut String) {
    let Some((first, _)) = side.buckets().first() else { return };
    text.push_str(&format!(",\"{name}.offset\":{first}"));
    let mut counts = vec![0.0; usize::try_from(side.width()).unwrap_or_default()];
    for (number, count) in side.buckets() {
        if let Some(place) = counts.get_mut(usize::try_from(number - first).unwrap_or(usize::MAX)) {
            *place = *count;
        }
    }
    write_list(&format!(",\"{name}.counts\":"), counts.into_iter(), text);
}

fn write_list(name: &str, numbers: impl Iterator<Item = f64>, text: &mut String) {
    text.push_str(name);
    for (place, number) in numbers.enumerate() {
        text.push(if place == 0 { '[' } else { ',' });
        json::write_float_json(number, text);
    }
    if text.ends_with(':') {
        text.push('[');
    }
    text.push(']');
}
