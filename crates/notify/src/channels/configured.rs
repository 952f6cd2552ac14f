//! What a notifier says of its channel, read by the table of channels. What is checked beyond that is in `check`.

use std::fmt;

use serde_json::{Map, Value};
use tidegauge_model::notifier::Channel;

/// What a notifier says of its one channel.
#[derive(Clone)]
pub struct Configured {
    pub(super) channel: &'static Channel,
    pub(super) key: String,
    fields: Map<String, Value>,
}

impl fmt::Debug for Configured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Configured").field(&self.channel.canonical_key()).finish()
    }
}

impl Configured {
    /// Reads the properties of a notifier, which were checked against the table of channels when they were saved.
    pub fn read(properties: &str) -> Option<Self> {
        let properties: Map<String, Value> = serde_json::from_str(properties).ok()?;
        let mut configured = properties.into_iter().filter(|(_, value)| !value.is_null());
        let (key, value) = configured.next()?;
        let channel = Channel::by_key(&key)?;
        match value {
            Value::Object(fields) => Some(Self { channel, key, fields }),
            _ => None,
        }
    }

    /// What a field is set to, by its canonical name.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        let field = self.channel.fields.iter().find(|field| field.names[0] == name)?;
        let mut spelled = self.fields.iter().filter(|(spelling, _)| self.channel.spells(field, spelling));
        spelled.find_map(|(_, value)| Some(value).filter(|value| !value.is_null()))
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.value(name).and_then(Value::as_str).unwrap_or("")
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.value(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    pub(super) fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let fields = self.value(name).and_then(Value::as_object);
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        fields.into_iter().flatten().filter_map(text).collect()
    }
}
