//! The columns that expressions read: whole arrays, codes with their values, or nothing where no row has the field.

use std::cell::RefCell;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, UInt32Array, new_null_array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::{Allowance, At, Codes, Node, Picked, Values, bits};
use crate::error::Result;

/// The inputs of a scan for some rows.
#[derive(Debug)]
pub struct Rows<'a> {
    /// One for each input of the scan; those that no expression at hand reads are absent.
    pub inputs: &'a [Input],
    pub count: usize,
    allowance: Option<&'a Allowance>,
    /// What was computed for several expressions.
    shared: RefCell<Vec<(Arc<Node>, Values)>>,
}

/// One column.
#[derive(Clone, Debug)]
pub enum Input {
    Plain(ArrayRef),
    /// Texts or integers of which few are different: for each row its place among them.
    Coded {
        codes: Codes,
        values: ArrayRef,
        nulls: Option<NullBuffer>,
    },
    /// No row has a value of this type.
    Absent(DataType),
}

impl Input {
    /// The same as codes, where it has integers of which few are different: they take an eighth of the memory, and what
    /// is computed of them is computed once for each.
    pub fn with_few_integers_coded(self) -> Self {
        let Self::Plain(array) = &self else { return self };
        let Some(integers) = array.as_primitive_opt::<Int64Type>() else { return self };
        coded(integers).unwrap_or(self)
    }

    /// A stretch of its rows.
    pub fn slice(&self, start: usize, count: usize) -> Self {
        match self {
            Self::Plain(array) => Self::Plain(array.slice(start, count)),
            Self::Coded { codes, values, nulls } => Self::Coded {
                codes: match codes {
                    Codes::U8(codes) => Codes::U8(codes.slice(start, count)),
                    Codes::U16(codes) => Codes::U16(codes.slice(start, count)),
                    Codes::U32(codes) => Codes::U32(codes.slice(start, count)),
                },
                values: Arc::clone(values),
                nulls: nulls.as_ref().map(|nulls| nulls.slice(start, count)),
            },
            Self::Absent(data_type) => Self::Absent(data_type.clone()),
        }
    }

    /// Some of its rows.
    pub fn take(&self, rows: &[u32]) -> Result<Self> {
        Ok(match self {
            Self::Plain(array) => {
                let places = UInt32Array::new(ScalarBuffer::from(rows.to_vec()), None);
                Self::Plain(arrow_select::take::take(array, &places, None)?)
            }
            Self::Coded { codes, values, nulls } => Self::Coded {
                codes: match codes {
                    Codes::U8(codes) => Codes::U8(picked(codes, rows)),
                    Codes::U16(codes) => Codes::U16(picked(codes, rows)),
                    Codes::U32(codes) => Codes::U32(picked(codes, rows)),
                },
                values: Arc::clone(values),
                nulls: nulls.as_ref().map(|nulls| {
                    NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |at| {
                        nulls.is_valid(rows[at] as usize)
                    }))
                }),
            },
            Self::Absent(data_type) => Self::Absent(data_type.clone()),
        })
    }

    /// Those of its rows that are wanted.
    pub fn pick(&self, picked: &Picked) -> Result<Self> {
        match picked {
            Picked::Range(range) => Ok(self.slice(range.start, range.len())),
            Picked::Rows(rows) => self.take(rows),
        }
    }

    /// The values as one array.
    pub fn values(&self) -> Result<Values> {
        Ok(match self {
            Self::Plain(array) => Values::Array(Arc::clone(array)),
            Self::Coded { codes, values, nulls } => {
                let places = places(codes, nulls.as_ref(), None);
                Values::Array(arrow_select::take::take(values.as_ref(), &places, None)?)
            }
            Self::Absent(data_type) => Values::Scalar(new_null_array(data_type, 1)),
        })
    }
}

/// Integers as codes; none where they are spread too far or too many are different.
fn coded(integers: &Int64Array) -> Option<Input> {
    /// How far apart the integers may lie: a table of as many places is filled.
    const SPREAD_MAX: i128 = 1 << 12;
    let (min, max) = arrow_arith::aggregate::min(integers).zip(arrow_arith::aggregate::max(integers))?;
    if i128::from(max) - i128::from(min) >= SPREAD_MAX {
        return None;
    }
    let mut table = [None; SPREAD_MAX as usize];
    let mut values: Vec<i64> = Vec::new();
    let mut codes: Vec<u8> = Vec::with_capacity(integers.len());
    for (row, value) in integers.values().iter().enumerate() {
        if integers.is_null(row) {
            codes.push(0);
            continue;
        }
        let code = &mut table[value.wrapping_sub(min) as usize];
        if code.is_none() {
            *code = Some(u8::try_from(values.len()).ok()?);
            values.push(*value);
        }
        codes.push(code.unwrap_or(0));
    }
    Some(Input::Coded {
        codes: Codes::U8(codes.into()),
        values: Arc::new(Int64Array::from(values)),
        nulls: integers.nulls().filter(|nulls| nulls.null_count() > 0).cloned(),
    })
}

fn picked<T: arrow_buffer::ArrowNativeType>(codes: &ScalarBuffer<T>, rows: &[u32]) -> ScalarBuffer<T> {
    rows.iter().map(|row| codes[*row as usize]).collect()
}

/// Codes as row numbers of the table of values. Rows without a value are null, or get the number that is given.
fn places(codes: &Codes, nulls: Option<&NullBuffer>, of_nulls: Option<u32>) -> UInt32Array {
    let mut numbers: Vec<u32> = match codes {
        Codes::U8(codes) => codes.iter().map(|code| u32::from(*code)).collect(),
        Codes::U16(codes) => codes.iter().map(|code| u32::from(*code)).collect(),
        Codes::U32(codes) => codes.to_vec(),
    };
    match (nulls, of_nulls) {
        (Some(nulls), Some(number)) => {
            for (row, place) in numbers.iter_mut().enumerate() {
                if nulls.is_null(row) {
                    *place = number;
                }
            }
            UInt32Array::from(numbers)
        }
        (nulls, _) => UInt32Array::new(ScalarBuffer::from(numbers), nulls.cloned()),
    }
}

/// The table of values of a coded column, with a null after them for the rows that have none.
pub(super) struct OfCodes(ArrayRef);

impl OfCodes {
    pub(super) fn as_inputs(&self, place: usize) -> Vec<Input> {
        let absent = || Input::Absent(DataType::Null);
        let mut inputs: Vec<Input> = std::iter::repeat_with(absent).take(place).collect();
        inputs.push(Input::Plain(Arc::clone(&self.0)));
        inputs
    }
}

impl<'a> Rows<'a> {
    pub fn new(inputs: &'a [Input], count: usize) -> Self {
        Self { inputs, count, allowance: None, shared: RefCell::default() }
    }

    /// Rows for which no more may be taken than is allowed.
    pub fn allowed(inputs: &'a [Input], count: usize, allowance: &'a Allowance) -> Self {
        Self { allowance: Some(allowance), ..Self::new(inputs, count) }
    }

    pub(super) fn at(&self) -> At<'a> {
        At { rows: self.count, allowance: self.allowance }
    }

    /// The different values of an input in the place of the rows.
    pub(super) fn of_values<'b>(&self, inputs: &'b [Input], distinct: usize) -> Rows<'b>
    where
        'a: 'b,
    {
        Rows { allowance: self.allowance, ..Rows::new(inputs, distinct) }
    }

    /// What a shared expression gives for these rows, computed the first time.
    pub(super) fn shared(
        &self,
        node: &Arc<Node>,
        compute: impl FnOnce() -> Result<Values>,
    ) -> Result<Values> {
        let known = self.shared.borrow().iter().find(|(known, _)| Arc::ptr_eq(known, node)).cloned();
        if let Some((_, values)) = known {
            return Ok(values);
        }
        let values = compute()?;
        self.shared.borrow_mut().push((Arc::clone(node), values.clone()));
        Ok(values)
    }

    pub(super) fn values(&self, place: usize) -> Result<Values> {
        self.inputs[place].values()
    }

    /// How many different values a coded input has.
    pub(super) fn distinct(&self, place: usize) -> Option<usize> {
        match &self.inputs[place] {
            Input::Coded { values, .. } => Some(values.len()),
            Input::Plain(_) | Input::Absent(_) => None,
        }
    }

    /// The values of a coded input and how many there are, the null among them.
    pub(super) fn by_code(&self, place: usize) -> Option<(OfCodes, usize)> {
        let Input::Coded { values, .. } = &self.inputs[place] else { return None };
        let null = new_null_array(values.data_type(), 1);
        let with_null = arrow_select::concat::concat(&[values.as_ref(), null.as_ref()]).ok()?;
        let count = with_null.len();
        Some((OfCodes(with_null), count))
    }

    /// What was computed for each value of a coded input, for each row.
    pub(super) fn spread(&self, place: usize, of_values: &ArrayRef) -> Result<ArrayRef> {
        let Input::Coded { codes, values, nulls } = &self.inputs[place] else {
            return Ok(Arc::clone(of_values));
        };
        let of_nulls = values.len();
        if let Some(of_values) = of_values.as_boolean_opt() {
            return Ok(Arc::new(spread_bits(of_values, codes, nulls.as_ref())));
        }
        let places = places(codes, nulls.as_ref(), u32::try_from(of_nulls).ok());
        Ok(arrow_select::take::take(of_values, &places, None)?)
    }
}

/// Bits by code, for each row. The last of them is for rows without a value.
fn spread_bits(of_values: &BooleanArray, codes: &Codes, nulls: Option<&NullBuffer>) -> BooleanArray {
    let of_nulls = of_values.len() - 1;
    let is_true: Vec<bool> = (0..of_values.len()).map(|at| of_values.value(at)).collect();
    let is_known: Vec<bool> = (0..of_values.len()).map(|at| of_values.is_valid(at)).collect();
    let is_all_known =
        if nulls.is_some() { of_values.null_count() == 0 } else { !is_known[..of_nulls].contains(&false) };
    let spread = |table: &[bool]| {
        let bits = bits::of_codes(codes, &table[..of_nulls]);
        match nulls {
            None => bits,
            // A row without a value has the code of some other.
            Some(nulls) if table[of_nulls] => &bits | &!nulls.inner(),
            Some(nulls) => &bits & nulls.inner(),
        }
    };
    BooleanArray::new(spread(&is_true), (!is_all_known).then(|| NullBuffer::new(spread(&is_known))))
}
