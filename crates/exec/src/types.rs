//! How the types of queries lie in Arrow arrays, and how the kinds of stored values become types.

use arrow_schema::DataType;
use tidegauge_lang::tree::Type;
use tidegauge_model::FieldKind;

/// Texts up to this many bytes are part of their view, and lie nowhere else.
pub const INLINE_MAX: usize = 12;

/// The array type of a type. Times and timespans are nanoseconds; arrays, maps and dynamic values are JSON text, and
/// integers beyond 64 bits their digits.
pub fn arrow_type(kind: Type) -> DataType {
    match kind {
        Type::Boolean => DataType::Boolean,
        Type::Integer | Type::Datetime | Type::Timespan => DataType::Int64,
        Type::Float => DataType::Float64,
        Type::String | Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => DataType::Utf8View,
    }
}

pub fn type_of(kind: FieldKind) -> Type {
    match kind {
        FieldKind::Boolean => Type::Boolean,
        FieldKind::Integer => Type::Integer,
        FieldKind::Float => Type::Float,
        FieldKind::String => Type::String,
        FieldKind::Array => Type::Array,
        FieldKind::Map => Type::Map,
        FieldKind::LongInteger => Type::LongInteger,
    }
}

/// How the language calls a type.
pub fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "bool",
        Type::Integer | Type::LongInteger => "long",
        Type::Float => "real",
        Type::String => "string",
        Type::Datetime => "datetime",
        Type::Timespan => "timespan",
        Type::Array | Type::Map | Type::Dynamic => "dynamic",
    }
}
