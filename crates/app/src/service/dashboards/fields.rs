//! The fields of one object in a dashboard's document, read by name: what is wrong is told with its path. A field that is
//! null counts as absent.

use serde_json::{Map, Value};

use super::fault::invalid;
use crate::service::Result;

/// An object, and where it stands.
pub(super) struct Fields<'a> {
    path: String,
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(path: impl Into<String>, value: &'a Value) -> Result<Self> {
        let path = path.into();
        match value {
            Value::Object(members) => Ok(Self { path, members }),
            _ => Err(invalid(&path, "must be an object")),
        }
    }

    /// Refuses a key that is not known here, which is most likely misspelt.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        match self.members.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                let key: String = key.chars().take(100).collect();
                Err(invalid(&self.path, format!("Unrecognized key: {key:?}")))
            }
            None => Ok(()),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn require(&self, key: &str) -> Result<()> {
        if self.has(key) { Ok(()) } else { Err(self.wrong(key, "is required")) }
    }

    /// A text of so many characters, if there is one.
    pub(super) fn text(&self, key: &str, min: usize, max: usize) -> Result<Option<&'a str>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let Some(text) = value.as_str() else {
            return Err(self.wrong(key, "must be a string"));
        };
        match text.chars().count() {
            length if length < min => Err(self.wrong(key, format!("should be at least {min} chars long"))),
            length if length > max => Err(self.wrong(key, format!("should be at most {max} chars long"))),
            _ if text.contains('\0') => Err(self.wrong(key, "must not contain the NUL character")),
            _ => Ok(Some(text)),
        }
    }

    /// A whole number within bounds, if there is one.
    pub(super) fn whole(&self, key: &str, min: i64, max: i64) -> Result<Option<i64>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.as_i64().or_else(|| value.as_f64().and_then(whole)) {
            Some(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ => Err(self.wrong(key, format!("must be a whole number from {min} to {max}"))),
        }
    }

    /// One of a few whole numbers, if there is one.
    pub(super) fn one_of(&self, key: &str, allowed: &[i64]) -> Result<()> {
        match self.get(key).map(|value| value.as_i64().or_else(|| value.as_f64().and_then(whole))) {
            None => Ok(()),
            Some(Some(number)) if allowed.contains(&number) => Ok(()),
            Some(_) => {
                let allowed: Vec<String> = allowed.iter().map(i64::to_string).collect();
                Err(self.wrong(key, format!("must be one of [{}]", allowed.join(" "))))
            }
        }
    }

    /// A number within bounds, if there is one.
    pub(super) fn number(&self, key: &str, min: f64, max: f64) -> Result<()> {
        match self.get(key).map(Value::as_f64) {
            None => Ok(()),
            Some(Some(number)) if (min..=max).contains(&number) => Ok(()),
            Some(_) => Err(self.wrong(key, format!("must be a number from {min} to {max}"))),
        }
    }

    /// A list of so many, if there is one.
    pub(super) fn list(&self, key: &str, max: usize) -> Result<Option<&'a [Value]>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.as_array() {
            None => Err(self.wrong(key, "must be a list")),
            Some(list) if list.len() > max => {
                Err(self.wrong(key, format!("should have at most {max} items")))
            }
            Some(list) => Ok(Some(list)),
        }
    }

    /// An object, if there is one.
    pub(super) fn object(&self, key: &str) -> Result<Option<Fields<'a>>> {
        self.get(key).map(|value| Fields::of(self.place(key), value)).transpose()
    }

    /// What is wrong with one of the fields.
    pub(super) fn wrong(&self, key: &str, problem: impl Into<String>) -> crate::service::Error {
        invalid(&self.place(key), problem)
    }

    /// The path of one of the fields.
    pub(super) fn place(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{} {key}", self.path) }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }
}

/// A number without a fraction, such as 60.0.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked before")]
    let cut = (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    cut
}
