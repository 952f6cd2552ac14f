//! What groups are sorted by. Values that mix types are JSON text, which puts 10 before 9: they are sorted by whether
//! there is a value, then by the number it is, as a float and by the digits that a float loses, then by its text.
//! Aggregates that give two columns in one are sorted by what they say.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type, Int64Type};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringViewArray,
};
use arrow_schema::{DataType, Schema};
use datafusion_common::Result as DataFusionResult;
use datafusion_expr::ColumnarValue;
use datafusion_physical_expr::PhysicalExpr;
use tidegauge_exec::kernels::digits::Number;
use tidegauge_exec::kernels::json;
use tidegauge_exec::kernels::ranks::lost_digits;

/// One of the columns that another is sorted by.
#[derive(Debug, Eq)]
struct Part {
    of: Arc<dyn PhysicalExpr>,
    aspect: Aspect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Aspect {
    IsThere,
    Number,
    LostDigits,
    Text,
    /// What an aggregate gives, beside whether it is an estimate.
    Value,
    /// The number among an integer and a float, as a float.
    Extreme,
    /// What that float loses of the integer.
    ExtremeLost,
    /// The number, and zero where there is none.
    OrZero,
}

/// A column of numbers in which nothing is as much as zero.
pub(super) fn or_zero(column: Arc<dyn PhysicalExpr>) -> Arc<dyn PhysicalExpr> {
    Arc::new(Part { of: column, aspect: Aspect::OrZero })
}

/// The columns by which a column is sorted; none where its values have no order.
pub(super) fn of(
    column: &Arc<dyn PhysicalExpr>,
    data_type: &DataType,
    is_json: bool,
) -> Vec<Arc<dyn PhysicalExpr>> {
    let part = |aspect| Arc::new(Part { of: Arc::clone(column), aspect }) as Arc<dyn PhysicalExpr>;
    match data_type {
        DataType::Struct(fields) if fields.len() == 2 && fields[1].data_type() == &DataType::Float64 => {
            vec![part(Aspect::Extreme), part(Aspect::ExtremeLost)]
        }
        DataType::Struct(fields) if fields.first().is_some_and(|first| first.data_type().is_primitive()) => {
            vec![part(Aspect::Value)]
        }
        kind if kind.is_nested() => Vec::new(),
        _ if is_json => {
            let aspects = [Aspect::IsThere, Aspect::Number, Aspect::LostDigits, Aspect::Text];
            // A text and another value that reads the same are in the order of their JSON.
            aspects.map(part).into_iter().chain([Arc::clone(column)]).collect()
        }
        _ => vec![Arc::clone(column)],
    }
}

// A derived comparison would move the expression out of its reference.
impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.aspect == other.aspect && self.of.eq(&other.of)
    }
}

impl Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.aspect.hash(state);
        self.of.hash(state);
    }
}

impl Aspect {
    fn of(self, column: &ArrayRef) -> ArrayRef {
        match self {
            Self::Value => Arc::clone(column.as_struct().column(0)),
            Self::Extreme => {
                let parts = column.as_struct();
                let integers = parts.column(0).as_primitive::<Int64Type>().iter();
                let floats = parts.column(1).as_primitive::<Float64Type>().iter();
                let numbers =
                    integers.zip(floats).map(|(integer, float)| float.or(integer.map(|i| i as f64)));
                Arc::new(numbers.collect::<Float64Array>())
            }
            Self::ExtremeLost => {
                let integers = column.as_struct().column(0).as_primitive::<Int64Type>().iter();
                Arc::new(Int64Array::from_iter_values(integers.map(|integer| integer.map_or(0, lost_digits))))
            }
            Self::OrZero => match column.data_type() {
                // Sums of integers are exact beyond 64 bits.
                DataType::Decimal128(..) => {
                    let numbers = column.as_primitive::<Decimal128Type>().iter();
                    let numbers =
                        numbers.map(|number| Some(number.unwrap_or(0))).collect::<Decimal128Array>();
                    Arc::new(numbers.with_data_type(column.data_type().clone()))
                }
                DataType::Float64 => {
                    let numbers = column.as_primitive::<Float64Type>().iter();
                    Arc::new(numbers.map(|number| Some(number.unwrap_or(0.0))).collect::<Float64Array>())
                }
                _ => Arc::clone(column),
            },
            of_json => of_json.of_texts(column.as_string_view()),
        }
    }

    fn of_texts(self, texts: &StringViewArray) -> ArrayRef {
        match self {
            Self::IsThere => {
                Arc::new(texts.iter().map(|text| Some(text.is_some())).collect::<BooleanArray>())
            }
            Self::Number => Arc::new(texts.iter().map(|text| json::number(text?)).collect::<Float64Array>()),
            Self::LostDigits => {
                let lost = |text: &str| {
                    let mut lost = String::new();
                    Number::of_json(text).unwrap_or(Number::Integer(0)).write_lost(&mut lost);
                    lost
                };
                Arc::new(texts.iter().map(|text| text.map(lost)).collect::<StringViewArray>())
            }
            _ => {
                let plain = |text: &str| {
                    let mut plain = String::new();
                    json::write_plain(text, &mut plain);
                    plain
                };
                Arc::new(texts.iter().map(|text| text.map(plain)).collect::<StringViewArray>())
            }
        }
    }
}

impl PhysicalExpr for Part {
    fn data_type(&self, schema: &Schema) -> DataFusionResult<DataType> {
        Ok(match self.aspect {
            Aspect::Value => match self.of.data_type(schema)? {
                DataType::Struct(fields) if !fields.is_empty() => fields[0].data_type().clone(),
                other => other,
            },
            Aspect::OrZero => self.of.data_type(schema)?,
            Aspect::IsThere => DataType::Boolean,
            Aspect::Number | Aspect::Extreme => DataType::Float64,
            Aspect::ExtremeLost => DataType::Int64,
            Aspect::LostDigits | Aspect::Text => DataType::Utf8View,
        })
    }

    fn nullable(&self, _: &Schema) -> DataFusionResult<bool> {
        Ok(true)
    }

    fn evaluate(&self, batch: &RecordBatch) -> DataFusionResult<ColumnarValue> {
        let column = self.of.evaluate(batch)?.into_array(batch.num_rows())?;
        Ok(ColumnarValue::Array(self.aspect.of(&column)))
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.of]
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> DataFusionResult<Arc<dyn PhysicalExpr>> {
        let of = children.into_iter().next().unwrap_or_else(|| Arc::clone(&self.of));
        Ok(Arc::new(Self { of, aspect: self.aspect }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({})", self.aspect, self.of)
    }
}
