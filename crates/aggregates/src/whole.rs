//! Sums and averages of whole numbers, computed exactly: DataFusion's own sum goes round at the end of 64 bits, and
//! its average loses digits of large numbers such as times.

use std::fmt::Debug;
use std::mem::size_of;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int64Array, UInt64Array};
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef};
use datafusion_common::Result;
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion_expr::{Accumulator, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility};

use super::grouped::{OneGroup, Rows, wrong_input};

/// The type of exact sums. Their 38 digits are more than any number of rows can fill.
const SUM: DataType = DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0);

/// What is made of the sum and the number of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Outcome {
    Sum,
    Average,
    /// The average as a whole number, rounded, for times.
    WholeAverage,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Whole {
    outcome: Outcome,
    signature: Signature,
}

impl Whole {
    pub(super) fn new(outcome: Outcome) -> Self {
        Self { outcome, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Whole {
    fn name(&self) -> &str {
        match self.outcome {
            Outcome::Sum => "sum",
            Outcome::Average | Outcome::WholeAverage => "avg",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.outcome {
            Outcome::Sum => SUM,
            Outcome::Average => DataType::Float64,
            Outcome::WholeAverage => DataType::Int64,
        })
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let sum = Field::new(format_state_name(args.name, "sum"), SUM, false);
        let count = Field::new(format_state_name(args.name, "count"), DataType::UInt64, false);
        Ok(vec![Arc::new(sum), Arc::new(count)])
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneGroup::new(WholeGroups::new(self.outcome, 1))))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(WholeGroups::new(self.outcome, 0)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

#[derive(Debug)]
struct WholeGroups {
    outcome: Outcome,
    sums: Vec<i128>,
    counts: Vec<u64>,
}

impl WholeGroups {
    fn new(outcome: Outcome, count: usize) -> Self {
        Self { outcome, sums: vec![0; count], counts: vec![0; count] }
    }

    fn grow(&mut self, groups: usize) {
        self.sums.resize(groups, 0);
        self.counts.resize(groups, 0);
    }
}

impl GroupsAccumulator for WholeGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.grow(total_num_groups);
        let column = whole_numbers(values)?;
        let numbers = column.values();
        Rows::new(group_indices, opt_filter).for_each(column.nulls(), |row, group| {
            self.sums[group] += i128::from(numbers[row]);
            self.counts[group] += 1;
        });
        Ok(())
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.grow(total_num_groups);
        let sums = values[0]
            .as_primitive_opt::<Decimal128Type>()
            .ok_or_else(|| wrong_input(values[0].data_type(), "the sums of a state"))?;
        let counts = values[1]
            .as_primitive_opt::<UInt64Type>()
            .ok_or_else(|| wrong_input(values[1].data_type(), "the counts of a state"))?;
        for ((group, sum), count) in group_indices.iter().zip(sums.values()).zip(counts.values()) {
            self.sums[*group] += sum;
            self.counts[*group] += count;
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let sums = emit_to.take_needed(&mut self.sums);
        let counts = emit_to.take_needed(&mut self.counts);
        let groups = sums.into_iter().zip(counts);
        Ok(match self.outcome {
            Outcome::Sum => {
                let sums: Decimal128Array = groups.map(|(sum, count)| (count > 0).then_some(sum)).collect();
                Arc::new(sums.with_data_type(SUM))
            }
            Outcome::Average => {
                let average = |(sum, count)| (count > 0).then(|| sum as f64 / count as f64);
                Arc::new(groups.map(average).collect::<Float64Array>())
            }
            Outcome::WholeAverage => {
                let average = |(sum, count): (i128, u64)| {
                    let count = i128::from(count);
                    // The average of numbers of 64 bits has 64 bits.
                    (count > 0).then(|| (sum + count / 2).div_euclid(count) as i64)
                };
                Arc::new(groups.map(average).collect::<Int64Array>())
            }
        })
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let sums = Decimal128Array::from(emit_to.take_needed(&mut self.sums)).with_data_type(SUM);
        let counts = UInt64Array::from(emit_to.take_needed(&mut self.counts));
        Ok(vec![Arc::new(sums), Arc::new(counts)])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let mut rows = Self::new(self.outcome, 0);
        let indices: Vec<usize> = (0..values[0].len()).collect();
        rows.update_batch(values, &indices, opt_filter, indices.len())?;
        rows.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.counts.capacity() * size_of::<u64>()
    }
}

fn whole_numbers(values: &[ArrayRef]) -> Result<&Int64Array> {
    values[0].as_primitive_opt::<Int64Type>().ok_or_else(|| wrong_input(values[0].data_type(), "Int64"))
}

/// Exact sums as whole numbers, and as fractions where they do not fit into 64 bits, if there are such.
pub(super) fn split_sums(sums: &Decimal128Array) -> (Int64Array, Option<Float64Array>) {
    let whole: Int64Array = sums.iter().map(|sum| sum.and_then(|sum| i64::try_from(sum).ok())).collect();
    if whole.null_count() == sums.null_count() {
        return (whole, None);
    }
    let large = sums.iter().map(|sum| sum.filter(|sum| i64::try_from(*sum).is_err()).map(|sum| sum as f64));
    (whole, Some(large.collect()))
}
