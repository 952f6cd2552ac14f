//! One value of an answer. Numbers, and whatever is nested, are kept as the server wrote them: read as a number of the
//! machine, those beyond 64 bits would lose digits.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Boolean(bool),
    /// Digit by digit.
    Number(Box<str>),
    Text(String),
    /// An array or an object, as JSON.
    Nested(Box<str>),
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(match raw.get().as_bytes().first() {
            Some(b'"') => Self::Text(serde_json::from_str(raw.get()).map_err(D::Error::custom)?),
            Some(b'n') => Self::Null,
            Some(b't') => Self::Boolean(true),
            Some(b'f') => Self::Boolean(false),
            Some(b'[' | b'{') => Self::Nested(Box::<str>::from(raw)),
            _ => Self::Number(Box::<str>::from(raw)),
        })
    }
}

impl Value {
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Boolean(_))
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether it is an integer of 64 bits.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(is_true) => Some(*is_true),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        self.digits()?.parse().ok()
    }

    /// The nearest number of the machine.
    pub fn as_f64(&self) -> Option<f64> {
        self.digits()?.parse().ok()
    }

    fn digits(&self) -> Option<&str> {
        match self {
            Self::Number(digits) => Some(digits),
            _ => None,
        }
    }

    /// As text: texts as they are, nothing for null, everything else as JSON.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Null => String::new(),
            _ => self.to_json(),
        }
    }

    pub fn to_json(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Boolean(is_true) => is_true.to_string(),
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::Number(json) | Self::Nested(json) => json.to_string(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_as_they_were_written() {
        let json = r#"[null, true, "a\n\"", -5, 18446744073709551616, 0.10, 1e400, {"k": 18446744073709551617}, [1]]"#;
        let values: Vec<Value> = serde_json::from_str(json).unwrap();
        let texts: Vec<String> = values.iter().map(Value::to_text).collect();
        let nested = r#"{"k": 18446744073709551617}"#;
        let expected = ["", "true", "a\n\"", "-5", "18446744073709551616", "0.10", "1e400", nested, "[1]"];
        assert_eq!(texts, expected);
        let json: Vec<String> = values.iter().map(Value::to_json).collect();
        assert_eq!((json[0].as_str(), json[2].as_str()), ("null", r#""a\n\"""#));
        assert_eq!((values[3].as_i64(), values[4].as_i64()), (Some(-5), None));
        assert_eq!(values[4].as_f64(), Some(18_446_744_073_709_551_616.0));
        assert!(values[4].is_number() && !values[4].is_i64() && !values[2].is_number());
    }
}
