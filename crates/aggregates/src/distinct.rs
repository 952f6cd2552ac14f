//! How many different values there are: exact up to 1024 in a group, an estimate with a standard error of 0.81 %
//! above (HyperLogLog with 2^14 registers, which neither order nor parts of the rows have an influence on). Equal
//! numbers are equal whether they came whole or as fractions.

use std::mem::size_of;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::{DataType, TimeUnit};
use datafusion_common::Result;
use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::grouped::{Aggregate, Bytes, Rows, estimate_type, estimates, wrong_input};
use super::state::{StateReader, damaged, write_word};

const FEW: usize = 1024;
const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
/// The greatest value of a register: the bits of a hash that do not choose the register, and one more.
const RANK_MAX: usize = (64 - INDEX_BITS) as usize + 1;

/// The seeds keep values of different kinds apart. They are part of the states of other processes: never change them.
const WHOLE: u64 = 1;
const FRACTION: u64 = 2;
const TRUTH: u64 = 3;
const TEXT: u64 = 4;

/// Counts different values. Several columns are taken as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Distinct;

/// The values of a group.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The hashes of all values, as long as there are no registers.
    few: HashTable<u64>,
    many: Option<Box<[u8; REGISTERS]>>,
}

impl Seen {
    #[inline]
    fn add(&mut self, hash: u64, bytes: &mut Bytes) {
        match &mut self.many {
            Some(registers) => note(registers, hash),
            None => {
                if self.few.find(hash, |other| *other == hash).is_none() {
                    self.add_new(hash, bytes);
                }
            }
        }
    }

    fn add_new(&mut self, hash: u64, bytes: &mut Bytes) {
        let before = self.heap_bytes();
        if self.few.len() < FEW {
            self.few.insert_unique(hash, hash, |other| *other);
        } else {
            note(self.registers(), hash);
        }
        bytes.replace(before, self.heap_bytes());
    }

    /// The registers, made of the hashes so far if there are none yet.
    fn registers(&mut self) -> &mut [u8; REGISTERS] {
        self.many.get_or_insert_with(|| {
            let mut registers = Box::new([0; REGISTERS]);
            std::mem::take(&mut self.few).into_iter().for_each(|hash| note(&mut registers, hash));
            registers
        })
    }

    fn heap_bytes(&self) -> usize {
        self.few.allocation_size() + self.many.as_ref().map_or(0, |_| REGISTERS * size_of::<u8>())
    }

    fn count(&self) -> u64 {
        self.many.as_ref().map_or(self.few.len() as u64, |registers| estimate(registers))
    }
}

/// The register of a hash keeps the longest run of zeros that its hashes began with after the bits that chose it.
#[inline]
fn note(registers: &mut [u8; REGISTERS], hash: u64) {
    let register = &mut registers[(hash >> (64 - INDEX_BITS)) as usize];
    // The added bit ends the run where the hash ends.
    let rest = (hash << INDEX_BITS) | (1 << (INDEX_BITS - 1));
    *register = (*register).max(rest.leading_zeros() as u8 + 1);
}

/// The estimator of Ertl (2017, "New cardinality estimation algorithms for HyperLogLog sketches"), which needs no
/// correction for small or large counts.
fn estimate(registers: &[u8; REGISTERS]) -> u64 {
    let mut of_rank = [0_u32; RANK_MAX + 1];
    for register in registers {
        of_rank[(*register as usize).min(RANK_MAX)] += 1;
    }
    let all = REGISTERS as f64;
    let share = |rank: usize| f64::from(of_rank[rank]) / all;
    let mut sum = all * saturated_part(1.0 - share(RANK_MAX));
    for rank in (1..RANK_MAX).rev() {
        sum = 0.5 * (sum + f64::from(of_rank[rank]));
    }
    sum += all * empty_part(share(0));
    let count = all * all / (2.0 * std::f64::consts::LN_2 * sum);
    count.round() as u64
}

/// The function σ of that paper, of the share of empty registers.
fn empty_part(share: f64) -> f64 {
    let (mut x, mut y, mut z) = (share, 1.0, share);
    loop {
        x *= x;
        let last = z;
        z += x * y;
        y += y;
        // A sum that grows without bound is infinite and equal to itself; then the estimate is zero.
        if z == last {
            return z;
        }
    }
}

/// The function τ of that paper, of the share of registers that are not at their end.
fn saturated_part(share: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return 0.0;
    }
    let (mut x, mut y, mut z) = (share, 1.0, 1.0 - share);
    loop {
        x = x.sqrt();
        let last = z;
        y *= 0.5;
        z -= (1.0 - x).powi(2) * y;
        if z == last {
            return z / 3.0;
        }
    }
}

fn hash_whole(value: i64) -> u64 {
    xxh3_64_with_seed(&value.to_le_bytes(), WHOLE)
}

fn hash_float(value: f64) -> u64 {
    let whole = value as i64;
    // The greatest whole number is what everything above becomes, so it stands for nothing here.
    if whole as f64 == value && whole != i64::MAX {
        return hash_whole(whole);
    }
    xxh3_64_with_seed(&value.to_bits().to_le_bytes(), FRACTION)
}

impl Aggregate for Distinct {
    type Group = Seen;

    fn name(&self) -> &'static str {
        "distinct"
    }

    fn output_type(&self) -> DataType {
        estimate_type(DataType::Int64)
    }

    fn update(
        &self,
        groups: &mut [Seen],
        inputs: &[ArrayRef],
        rows: &Rows<'_>,
        bytes: &mut Bytes,
    ) -> Result<()> {
        for input in inputs {
            let mut add = |group: usize, hash: u64| groups[group].add(hash, bytes);
            match input.data_type() {
                DataType::Int64 => {
                    let values = input.as_primitive::<Int64Type>().values();
                    rows.for_each(input.nulls(), |row, group| add(group, hash_whole(values[row])));
                }
                DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                    let values = input.as_primitive::<TimestampNanosecondType>().values();
                    rows.for_each(input.nulls(), |row, group| add(group, hash_whole(values[row])));
                }
                DataType::Float64 => {
                    let values = input.as_primitive::<Float64Type>().values();
                    rows.for_each(input.nulls(), |row, group| {
                        if !values[row].is_nan() {
                            add(group, hash_float(values[row]));
                        }
                    });
                }
                DataType::Boolean => {
                    let values = input.as_boolean();
                    rows.for_each(input.nulls(), |row, group| {
                        add(group, xxh3_64_with_seed(&[u8::from(values.value(row))], TRUTH));
                    });
                }
                DataType::Utf8View => {
                    let values = input.as_string_view();
                    rows.for_each(input.nulls(), |row, group| {
                        add(group, xxh3_64_with_seed(values.value(row).as_bytes(), TEXT));
                    });
                }
                other => return Err(wrong_input(other, "Int64, Float64, Boolean or Utf8View")),
            }
        }
        Ok(())
    }

    fn merge(&self, group: &mut Seen, state: &mut StateReader<'_>, bytes: &mut Bytes) -> Result<()> {
        match state.byte()? {
            0 => {
                while !state.is_at_end() {
                    group.add(state.word()?, bytes);
                }
            }
            1 => {
                let before = group.heap_bytes();
                let others = state.bytes(REGISTERS)?;
                for (register, other) in group.registers().iter_mut().zip(others) {
                    *register = (*register).max(*other);
                }
                bytes.replace(before, group.heap_bytes());
            }
            _ => return Err(damaged()),
        }
        Ok(())
    }

    fn write_state(&self, group: &mut Seen, state: &mut Vec<u8>) {
        match &group.many {
            None => {
                state.push(0);
                group.few.iter().for_each(|hash| write_word(state, *hash));
            }
            Some(registers) => {
                state.push(1);
                state.extend_from_slice(&registers[..]);
            }
        }
    }

    fn evaluate(&self, groups: Vec<Seen>) -> Result<ArrayRef> {
        let counts: Int64Array = groups.iter().map(|group| Some(group.count() as i64)).collect();
        let is_estimate = groups.iter().map(|group| group.many.is_some()).collect();
        estimates(Arc::new(counts), is_estimate)
    }

    fn heap_bytes(group: &Seen) -> usize {
        group.heap_bytes()
    }
}
