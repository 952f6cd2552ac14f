//! The least or the greatest of numbers that came as integers and as floats. Each kind keeps its own, with all digits;
//! which of the two it is decides at the end, exactly.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};
use datafusion_common::Result;
use tidegauge_exec::kernels::order::integer_to_float;

use super::grouped::{Aggregate, Bytes, Rows, wrong_input};
use super::state::{StateReader, write_float, write_word};

/// Which end of the numbers is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Extreme {
    Min,
    Max,
}

/// The best integer and the best float of a group so far.
#[derive(Debug, Default)]
pub(super) struct Best {
    integer: Option<i64>,
    float: Option<f64>,
}

impl Extreme {
    fn offer_integer(self, best: &mut Best, value: i64) {
        best.integer = Some(match (best.integer, self) {
            (None, _) => value,
            (Some(old), Self::Min) => old.min(value),
            (Some(old), Self::Max) => old.max(value),
        });
    }

    fn offer_float(self, best: &mut Best, value: f64) {
        if value.is_nan() {
            return;
        }
        best.float = Some(match (best.float, self) {
            (None, _) => value,
            (Some(old), Self::Min) => old.min(value),
            (Some(old), Self::Max) => old.max(value),
        });
    }

    /// Whether the integer of a group is its answer.
    fn is_integer(self, best: &Best) -> bool {
        let (Some(integer), Some(float)) = (best.integer, best.float) else { return best.integer.is_some() };
        let order = integer_to_float(integer, float);
        order.is_some_and(|order| if self == Self::Min { order.is_le() } else { order.is_ge() })
    }
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("integer", DataType::Int64, true),
        Field::new("float", DataType::Float64, true),
    ])
}

impl Aggregate for Extreme {
    type Group = Best;

    fn name(&self) -> &'static str {
        match self {
            Self::Min => "least",
            Self::Max => "greatest",
        }
    }

    fn output_type(&self) -> DataType {
        DataType::Struct(fields())
    }

    fn update(&self, groups: &mut [Best], inputs: &[ArrayRef], rows: &Rows<'_>, _: &mut Bytes) -> Result<()> {
        let wrong = |place: usize, expected| wrong_input(inputs[place].data_type(), expected);
        let integers = inputs[0].as_primitive_opt::<Int64Type>().ok_or_else(|| wrong(0, "Int64"))?;
        let floats = inputs[1].as_primitive_opt::<Float64Type>().ok_or_else(|| wrong(1, "Float64"))?;
        rows.for_each(integers.nulls(), |row, group| {
            self.offer_integer(&mut groups[group], integers.value(row))
        });
        rows.for_each(floats.nulls(), |row, group| self.offer_float(&mut groups[group], floats.value(row)));
        Ok(())
    }

    fn merge(&self, group: &mut Best, state: &mut StateReader<'_>, _: &mut Bytes) -> Result<()> {
        let kinds = state.byte()?;
        if kinds & 1 != 0 {
            self.offer_integer(group, state.word()?.cast_signed());
        }
        if kinds & 2 != 0 {
            self.offer_float(group, state.float()?);
        }
        Ok(())
    }

    fn write_state(&self, group: &mut Best, state: &mut Vec<u8>) {
        state.push(u8::from(group.integer.is_some()) | u8::from(group.float.is_some()) << 1);
        if let Some(integer) = group.integer {
            write_word(state, integer.cast_unsigned());
        }
        if let Some(float) = group.float {
            write_float(state, float);
        }
    }

    fn evaluate(&self, groups: Vec<Best>) -> Result<ArrayRef> {
        let mut integers = Int64Builder::with_capacity(groups.len());
        let mut floats = Float64Builder::with_capacity(groups.len());
        for group in &groups {
            let is_integer = self.is_integer(group);
            integers.append_option(group.integer.filter(|_| is_integer));
            floats.append_option(group.float.filter(|_| !is_integer));
        }
        let columns: Vec<ArrayRef> = vec![Arc::new(integers.finish()), Arc::new(floats.finish())];
        Ok(Arc::new(StructArray::try_new(fields(), columns, None)?))
    }

    fn heap_bytes(_: &Best) -> usize {
        0
    }
}
