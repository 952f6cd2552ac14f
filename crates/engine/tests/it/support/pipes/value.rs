//! Values, their types, and how they compare.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::support::reply::{float, time_text};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit 64 bits with a sign.
    Long(u64),
    Real(f64),
    Text(String),
    /// In nanoseconds since 1970.
    Time(i64),
    /// In nanoseconds.
    Span(i64),
    List(Vec<Val>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Bool,
    Int,
    Long,
    Real,
    Text,
    Time,
    Span,
    List,
    /// Known only value by value.
    Any,
}

/// The types that a column may have. None at all is a column of nulls.
pub(crate) type TypeSet = BTreeSet<Kind>;

/// What can be done with a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Int,
    /// Integers and floats, or floats alone.
    Number,
    /// Numbers of which some are integers beyond 64 bits.
    Long,
    Text,
    Bool,
    Time,
    /// Nulls alone.
    Nothing,
    Mixed,
}

impl Class {
    pub(crate) fn of(kinds: &TypeSet) -> Self {
        let only = |list: &[Kind]| kinds.iter().all(|kind| list.contains(kind));
        match kinds.len() {
            0 => Self::Nothing,
            _ if only(&[Kind::Int]) => Self::Int,
            _ if only(&[Kind::Int, Kind::Real]) => Self::Number,
            _ if only(&[Kind::Int, Kind::Real, Kind::Long]) => Self::Long,
            _ if only(&[Kind::Text]) => Self::Text,
            _ if only(&[Kind::Bool]) => Self::Bool,
            _ if only(&[Kind::Time]) => Self::Time,
            _ => Self::Mixed,
        }
    }
}

impl Val {
    pub(crate) fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Null => return None,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Long(_) => Kind::Long,
            Self::Real(_) => Kind::Real,
            Self::Text(_) => Kind::Text,
            Self::Time(_) => Kind::Time,
            Self::Span(_) => Kind::Span,
            Self::List(_) => Kind::List,
        })
    }

    pub(crate) fn is_null(&self) -> bool {
        *self == Self::Null
    }

    pub(crate) fn of_json(json: &Json) -> Self {
        match json {
            Json::Null | Json::Object(_) => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(elements) => Self::List(elements.iter().map(Self::of_json).collect()),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(integer), _) => Self::Int(integer),
                (None, Some(long)) => Self::Long(long),
                (None, None) => Self::Real(number.as_f64().unwrap()),
            },
        }
    }

    pub(crate) fn json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::from(*value),
            Self::Int(value) => Json::from(*value),
            Self::Long(value) => Json::from(*value),
            Self::Real(value) => float(*value),
            Self::Text(value) => Json::from(value.clone()),
            Self::Time(value) => Json::from(time_text(*value)),
            Self::Span(value) => Json::from(tidegauge_model::duration::to_text(*value)),
            Self::List(values) => Json::Array(values.iter().map(Self::json).collect()),
        }
    }

    /// As it stands in an array: a whole float as the integer that it is, one beyond 64 bits where long integers may be.
    pub(crate) fn in_array(self, may_be_long: bool) -> Self {
        const BEYOND: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Self::Real(value) if value.fract() == 0.0 && (-BEYOND..BEYOND).contains(&value) => {
                Self::Int(value as i64)
            }
            Self::Real(value) if may_be_long && (BEYOND..2.0 * BEYOND).contains(&value) => {
                Self::Long(value as u64)
            }
            other => other,
        }
    }

    pub(crate) fn float(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Long(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer that it is.
    fn whole(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(i128::from(*value)),
            Self::Long(value) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// The text of a value, as it is concatenated and searched.
    pub(crate) fn text(&self) -> Option<String> {
        Some(match self {
            Self::Null => return None,
            Self::Text(text) => text.clone(),
            Self::Int(value) => value.to_string(),
            Self::Long(value) => value.to_string(),
            Self::Bool(value) => value.to_string(),
            Self::Real(value) => value.to_string(),
            Self::Time(value) => time_text(*value),
            other => other.json().to_string(),
        })
    }

    /// What tells values apart in groups and keys: equal numbers are one, whatever their type.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Int(value) => format!("number {value}"),
            Self::Long(value) => format!("number {value}"),
            Self::Real(value) if value.fract() == 0.0 && value.abs() < 1e20 => {
                format!("number {}", *value as i128)
            }
            Self::Real(value) => format!("number {value:?}"),
            Self::Text(text) => format!("text {text}"),
            other => format!("{:?} {}", other.kind(), other.json()),
        }
    }

    /// How two values of one type stand to each other; numbers are one type.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.whole(), other.whole()) {
            return Some(a.cmp(&b));
        }
        match (self, other) {
            (Self::Time(a), Self::Time(b)) | (Self::Span(a), Self::Span(b)) => Some(a.cmp(b)),
            (Self::Real(a), Self::Real(b)) => a.partial_cmp(b),
            (a, Self::Real(b)) => with_float(a.whole()?, *b),
            (Self::Real(a), b) => with_float(b.whole()?, *a).map(Ordering::reverse),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// The order of a sort from the least on: null, then the values.
    pub(crate) fn order(&self, other: &Self, has_nulls_first: bool) -> Ordering {
        match (self.is_null(), other.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) if has_nulls_first => Ordering::Less,
            (true, false) => Ordering::Greater,
            (false, true) if has_nulls_first => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.compare(other).unwrap_or(Ordering::Equal),
        }
    }
}

/// An integer with a float, in 128 bits, where every whole float near the bounds of integers has its place.
fn with_float(integer: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.abs() > 1e20 {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let order = integer.cmp(&(float.floor() as i128));
    Some(order.then(if float > float.floor() { Ordering::Less } else { Ordering::Equal }))
}
