//! The order of keys that mix types. As columns they are JSON text, which puts 10 before 9: they are sorted by whether
//! there is a value, then by the number it is, as a float and by the digits that a float loses, then by its text.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringViewArray};
use arrow_schema::{DataType, Schema};
use datafusion_common::Result as DataFusionResult;
use datafusion_expr::ColumnarValue;
use datafusion_physical_expr::PhysicalExpr;

use crate::functions::{convert, json};

/// One of the columns that JSON text is sorted by.
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
}

/// The columns by which a column of JSON text is sorted.
pub(super) fn sort_columns(of: &Arc<dyn PhysicalExpr>) -> Vec<Arc<dyn PhysicalExpr>> {
    let aspects = [Aspect::IsThere, Aspect::Number, Aspect::LostDigits, Aspect::Text];
    let parts = aspects.map(|aspect| Arc::new(Part { of: Arc::clone(of), aspect }) as Arc<dyn PhysicalExpr>);
    // A text and another value that reads the same are in the order of their JSON.
    parts.into_iter().chain([Arc::clone(of)]).collect()
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
    fn of(self, texts: &StringViewArray) -> ArrayRef {
        match self {
            Self::IsThere => {
                Arc::new(texts.iter().map(|text| Some(text.is_some())).collect::<BooleanArray>())
            }
            Self::Number => Arc::new(texts.iter().map(|text| json::number(text?)).collect::<Float64Array>()),
            Self::LostDigits => {
                let lost = |text: &str| text.trim().parse().map_or(0, convert::lost_digits);
                Arc::new(texts.iter().map(|text| text.map(lost)).collect::<Int64Array>())
            }
            Self::Text => {
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
    fn data_type(&self, _: &Schema) -> DataFusionResult<DataType> {
        Ok(match self.aspect {
            Aspect::IsThere => DataType::Boolean,
            Aspect::Number => DataType::Float64,
            Aspect::LostDigits => DataType::Int64,
            Aspect::Text => DataType::Utf8View,
        })
    }

    fn nullable(&self, _: &Schema) -> DataFusionResult<bool> {
        Ok(true)
    }

    fn evaluate(&self, batch: &RecordBatch) -> DataFusionResult<ColumnarValue> {
        let column = self.of.evaluate(batch)?.into_array(batch.num_rows())?;
        Ok(ColumnarValue::Array(self.aspect.of(column.as_string_view())))
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
