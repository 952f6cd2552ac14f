//! The columns of an answer's table as JSON values, one cell at a time, straight from Arrow arrays.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, StringViewArray};
use tidegauge_app::service::Error;
use tidegauge_engine::Field;
use tidegauge_lang::tree::Type;
use tidegauge_model::ErrorKind;

use super::json::{write_float, write_integer, write_string, write_time, write_timespan};

const NULL: &[u8] = b"null";

/// A field with its arrays, each known by its type.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    variants: Vec<Variant<'a>>,
}

#[derive(Debug)]
enum Variant<'a> {
    Boolean(&'a BooleanArray),
    Integer(&'a Int64Array),
    Float(&'a Float64Array),
    String(&'a StringViewArray),
    Datetime(&'a Int64Array),
    Timespan(&'a Int64Array),
    /// Text that is JSON already.
    Json(&'a StringViewArray),
}

impl<'a> Column<'a> {
    pub(super) fn of(field: &'a Field) -> Result<Self, Error> {
        let variants = field.values.iter().map(|(of, array)| {
            Variant::of(*of, array.as_ref()).ok_or_else(|| {
                let found = array.data_type();
                let cause = format!("the field {:?} has {found} where {of:?} is said", field.name);
                Error {
                    source: Some(cause.into()),
                    ..Error::new(ErrorKind::Internal, "the answer cannot be written")
                }
            })
        });
        Ok(Self { name: &field.name, variants: variants.collect::<Result<_, Error>>()? })
    }

    /// Writes the value of a row: that of the one type that has one, or null.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self.variants.iter().find(|variant| variant.is_set(row)) {
            Some(variant) => variant.write(row, out),
            None => out.extend_from_slice(NULL),
        }
    }

    /// Writes the value of a row as plain text: without quotes around texts, times and timespans, and nothing for null.
    pub(super) fn write_plain(&self, row: usize, out: &mut Vec<u8>) {
        match self.variants.iter().find(|variant| variant.is_set(row)) {
            None => {}
            Some(Variant::String(array)) => out.extend_from_slice(array.value(row).as_bytes()),
            Some(variant @ (Variant::Datetime(_) | Variant::Timespan(_))) => {
                let start = out.len();
                variant.write(row, out);
                out.pop();
                out.remove(start);
            }
            Some(Variant::Float(array)) if !array.value(row).is_finite() => {}
            Some(variant) => variant.write(row, out),
        }
    }

    /// Whether the value of a row is a text.
    pub(super) fn is_text(&self, row: usize) -> bool {
        let set = self.variants.iter().find(|variant| variant.is_set(row));
        matches!(set, Some(Variant::String(_)))
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        !self.variants.iter().any(|variant| variant.is_set(row))
    }

    /// The value of a row where it is a time.
    pub(super) fn time(&self, row: usize) -> Option<i64> {
        self.variants.iter().find_map(|variant| match variant {
            Variant::Datetime(array) if array.is_valid(row) => Some(array.value(row)),
            _ => None,
        })
    }
}

impl<'a> Variant<'a> {
    fn of(of: Type, array: &'a dyn Array) -> Option<Self> {
        Some(match of {
            Type::Boolean => Self::Boolean(array.as_boolean_opt()?),
            Type::Integer => Self::Integer(array.as_primitive_opt::<Int64Type>()?),
            Type::Float => Self::Float(array.as_primitive_opt::<Float64Type>()?),
            Type::String => Self::String(array.as_string_view_opt()?),
            Type::Datetime => Self::Datetime(array.as_primitive_opt::<Int64Type>()?),
            Type::Timespan => Self::Timespan(array.as_primitive_opt::<Int64Type>()?),
            // The digits of an integer are JSON too.
            Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => {
                Self::Json(array.as_string_view_opt()?)
            }
        })
    }

    fn is_set(&self, row: usize) -> bool {
        match self {
            Self::Boolean(array) => array.is_valid(row),
            Self::Integer(array) | Self::Datetime(array) | Self::Timespan(array) => array.is_valid(row),
            Self::Float(array) => array.is_valid(row),
            Self::String(array) | Self::Json(array) => array.is_valid(row),
        }
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Boolean(array) if array.value(row) => out.extend_from_slice(b"true"),
            Self::Boolean(_) => out.extend_from_slice(b"false"),
            Self::Integer(array) => write_integer(out, array.value(row)),
            Self::Float(array) => write_float(out, array.value(row)),
            Self::String(array) => write_string(out, array.value(row)),
            Self::Datetime(array) => write_time(out, array.value(row)),
            Self::Timespan(array) => write_timespan(out, array.value(row)),
            Self::Json(array) => out.extend_from_slice(array.value(row).as_bytes()),
        }
    }
}

/// The types that occur, such as `integer|string`.
pub(super) fn type_names(field: &Field) -> String {
    // Integers have one name, however long they are.
    let as_told = |of: Type| if of == Type::LongInteger { Type::Integer } else { of };
    let types: BTreeSet<Type> = field.values.iter().map(|(of, _)| as_told(*of)).collect();
    if types.is_empty() {
        return "unknown".to_owned();
    }
    types.into_iter().map(type_name).collect::<Vec<_>>().join("|")
}

/// The word that clients know for a type.
fn type_name(of: Type) -> &'static str {
    match of {
        Type::Boolean => "boolean",
        Type::Integer | Type::LongInteger => "integer",
        Type::Float => "float",
        Type::String => "string",
        Type::Datetime => "datetime",
        Type::Timespan => "timespan",
        Type::Array => "array",
        Type::Map => "map",
        Type::Dynamic => "unknown",
    }
}
