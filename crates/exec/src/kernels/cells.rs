//! Texts that were found somewhere as values of a column's type, and the arrays that they are collected in.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringViewBuilder};
use serde_json::value::RawValue;
use tidegauge_lang::tree::Type;

use super::{convert, digits, json, times};

/// A value that a text says.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    Boolean(bool),
    /// Integers, times and timespans.
    Integer(i64),
    Float(f64),
    Text(&'a str),
    /// A text that is not in the source as it is.
    Owned(String),
}

impl<'a> Cell<'a> {
    /// What a text says in a type; none where it says nothing of it.
    pub fn read(kind: Type, text: &'a str) -> Option<Self> {
        Some(match kind {
            Type::String => Self::Text(text),
            Type::Boolean => Self::Boolean(convert::parsed_boolean(text)?),
            Type::Integer => Self::Integer(integer(text)?),
            Type::Float => Self::Float(convert::parsed_float(text)?),
            Type::LongInteger => Some(text.trim()).filter(|text| digits::is_long(text)).map(Self::Text)?,
            Type::Datetime => Self::Integer(times::read(text).or_else(|| american_time(text))?),
            Type::Timespan => Self::Integer(times::read_timespan(text)?),
            Type::Array | Type::Map | Type::Dynamic => dynamic(text)?,
        })
    }

    /// The longest beginning of a text that says something of a type, with its length.
    pub fn read_start(kind: Type, text: &'a str) -> Option<(Self, usize)> {
        const LENGTH_MAX: usize = 64;
        let trimmed = text.trim_start();
        let skipped = text.len() - trimmed.len();
        let longest = match kind {
            Type::String => trimmed.len(),
            Type::Integer => trimmed.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(trimmed.len()),
            Type::Array | Type::Map | Type::Dynamic => {
                let mut values = serde_json::Deserializer::from_str(trimmed).into_iter::<&RawValue>();
                values.next()?.ok()?;
                values.byte_offset()
            }
            _ => trimmed.floor_char_boundary(LENGTH_MAX),
        };
        let ends = (1..=longest).rev().filter(|end| trimmed.is_char_boundary(*end));
        ends.into_iter().find_map(|end| Some((Self::read(kind, &trimmed[..end])?, skipped + end)))
    }

    /// What JSON text says in a type.
    pub fn of_json(kind: Type, json: &'a str) -> Option<Self> {
        let json = json.trim();
        if json == "null" {
            return None;
        }
        if matches!(kind, Type::Array | Type::Map | Type::Dynamic) {
            return dynamic(json);
        }
        if !json.starts_with('"') {
            return Self::read(kind, json);
        }
        let mut plain = String::new();
        json::write_plain(json, &mut plain);
        Self::of_owned(kind, plain)
    }

    /// What a text says in a type that is not in the source as it is.
    pub fn of_owned(kind: Type, text: String) -> Option<Self> {
        if kind == Type::String {
            return Some(Self::Owned(text));
        }
        Some(match Cell::read(kind, &text)? {
            Cell::Boolean(value) => Self::Boolean(value),
            Cell::Integer(value) => Self::Integer(value),
            Cell::Float(value) => Self::Float(value),
            Cell::Text(value) => Self::Owned(value.to_owned()),
            Cell::Owned(value) => Self::Owned(value),
        })
    }
}

fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// `02/17/2016 08:40:01`: the month, the day and the year.
fn american_time(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, clock) = text.split_once([' ', 'T']).unwrap_or((text, "00:00:00"));
    let mut parts = date.split(['/', '-']);
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    times::read(&format!("{year}-{month:0>2}-{day:0>2}T{}", clock.trim()))
}

/// JSON as it is without the blanks around it, and any other text as a string.
fn dynamic(text: &str) -> Option<Cell<'_>> {
    let trimmed = text.trim();
    if serde_json::from_str::<&RawValue>(trimmed).is_ok() {
        return (trimmed != "null").then_some(Cell::Text(trimmed));
    }
    let mut quoted = String::new();
    json::write_string(text, &mut quoted);
    Some(Cell::Owned(quoted))
}

/// Where the values of a column are collected.
#[derive(Debug)]
pub enum Column {
    Booleans(BooleanBuilder),
    Integers(Int64Builder),
    Floats(Float64Builder),
    Texts(StringViewBuilder),
}

impl Column {
    pub fn of(kind: Type, rows: usize) -> Self {
        match kind {
            Type::Boolean => Self::Booleans(BooleanBuilder::with_capacity(rows)),
            Type::Integer | Type::Datetime | Type::Timespan => {
                Self::Integers(Int64Builder::with_capacity(rows))
            }
            Type::Float => Self::Floats(Float64Builder::with_capacity(rows)),
            Type::String | Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => {
                Self::Texts(StringViewBuilder::with_capacity(rows))
            }
        }
    }

    /// Adds a value, which is of the column's type.
    pub fn push(&mut self, cell: Option<Cell<'_>>) {
        match (self, cell) {
            (Self::Booleans(builder), Some(Cell::Boolean(value))) => builder.append_value(value),
            (Self::Integers(builder), Some(Cell::Integer(value))) => builder.append_value(value),
            (Self::Floats(builder), Some(Cell::Float(value))) => builder.append_value(value),
            (Self::Texts(builder), Some(Cell::Text(value))) => builder.append_value(value),
            (Self::Texts(builder), Some(Cell::Owned(value))) => builder.append_value(value),
            (Self::Booleans(builder), _) => builder.append_null(),
            (Self::Integers(builder), _) => builder.append_null(),
            (Self::Floats(builder), _) => builder.append_null(),
            (Self::Texts(builder), _) => builder.append_null(),
        }
    }

    pub fn finish(self) -> ArrayRef {
        match self {
            Self::Booleans(mut builder) => Arc::new(builder.finish()),
            Self::Integers(mut builder) => Arc::new(builder.finish()),
            Self::Floats(mut builder) => Arc::new(builder.finish()),
            Self::Texts(mut builder) => Arc::new(builder.finish()),
        }
    }
}
