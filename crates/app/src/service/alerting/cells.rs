//! The cells of one column of an answer, which may have an array for each type: as numbers, as text, as JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use serde_json::Value;
use tidegauge_engine::Field;
use tidegauge_lang::tree::Type;
use tidegauge_model::Timestamp;

/// The cells of a column.
pub(super) struct Cells<'a>(&'a [(Type, ArrayRef)]);

impl<'a> Cells<'a> {
    pub(super) fn of(field: &'a Field) -> Self {
        Self(&field.values)
    }

    /// The type and the array that have the cell.
    fn cell(&self, row: usize) -> Option<(Type, &'a ArrayRef)> {
        self.0
            .iter()
            .find(|(_, values)| row < values.len() && values.is_valid(row))
            .map(|(of, values)| (*of, values))
    }

    /// The numbers in a cell: one, or those of an array.
    pub(super) fn numbers(&self, row: usize) -> Vec<f64> {
        let number = match self.cell(row) {
            Some((Type::Integer | Type::Float | Type::LongInteger, _)) => {
                self.json(row).and_then(|value| value.as_f64())
            }
            Some((Type::Array | Type::Dynamic, _)) => {
                return match self.json(row) {
                    Some(Value::Array(values)) => values.iter().filter_map(Value::as_f64).collect(),
                    Some(value) => value.as_f64().into_iter().collect(),
                    None => Vec::new(),
                };
            }
            _ => None,
        };
        number.into_iter().collect()
    }

    pub(super) fn time(&self, row: usize) -> Option<Timestamp> {
        match self.cell(row)? {
            (Type::Datetime, values) => {
                let nanoseconds = values.as_primitive_opt::<Int64Type>()?.value(row);
                Some(Timestamp::from_nanos(nanoseconds))
            }
            _ => None,
        }
    }

    /// The cell as people write it. Nothing is empty.
    pub(super) fn text(&self, row: usize) -> String {
        if let Some((Type::LongInteger, digits)) = self.cell(row) {
            return digits
                .as_string_view_opt()
                .map_or_else(String::new, |digits| digits.value(row).to_owned());
        }
        match self.json(row) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
        }
    }

    /// The cell as JSON. None where it is null.
    pub(super) fn json(&self, row: usize) -> Option<Value> {
        let (of, values) = self.cell(row)?;
        match of {
            Type::Boolean => Some(Value::Bool(values.as_boolean_opt()?.value(row))),
            Type::Integer | Type::Timespan => {
                Some(Value::from(values.as_primitive_opt::<Int64Type>()?.value(row)))
            }
            Type::Float => {
                let value = values.as_primitive_opt::<Float64Type>()?.value(row);
                serde_json::Number::from_f64(value).map(Value::Number)
            }
            Type::Datetime => {
                let nanoseconds = values.as_primitive_opt::<Int64Type>()?.value(row);
                Some(Value::String(Timestamp::from_nanos(nanoseconds).to_string()))
            }
            Type::String => Some(Value::String(values.as_string_view_opt()?.value(row).to_owned())),
            Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => {
                let text = values.as_string_view_opt()?.value(row);
                Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
            }
        }
    }
}
