//! The channels: what a notifier says about where its messages go, checked when it is saved, and for each kind of
//! receiver a file that writes a message in the form that the receiver documents. Nothing here sends anything.

mod alertmanager;
mod chat_a;
mod chat_a_webhook;
mod chat_b;
mod chat_c;
mod check;
mod custom_webhook;
mod email;
mod incident_a;
mod incident_b;
mod webhook;

use std::fmt;

use serde_json::{Map, Value};
use tidegauge_model::message::Message;
use tidegauge_model::notifier::Channel;
use tidegauge_model::{DeliveryId, Timestamp};

use crate::signature::SigningSecret;

/// Where the services are whose address is not the notifier's own. Without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bases {
    pub chat_a: String,
    pub incident_a: String,
    pub incident_a_eu: String,
    pub incident_b: String,
}

/// What a channel knows beside the message.
#[derive(Debug)]
pub struct Context<'a> {
    /// The same however often the message is sent.
    pub id: &'a DeliveryId,
    pub now: Timestamp,
    pub bases: &'a Bases,
    /// What messages to webhooks are signed with.
    pub secret: &'a SigningSecret,
}

/// A message in the form of its receiver.
#[derive(Clone, Debug, PartialEq)]
pub enum Outbound {
    Http(Request),
    Mail(Mail),
}

/// A request, to be sent by POST. Addresses and headers may hold secrets, so that they do not print themselves.
#[derive(Clone, PartialEq)]
pub struct Request {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("body", &self.body).finish_non_exhaustive()
    }
}

impl Request {
    fn json(url: impl Into<String>, body: &Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { url: url.into(), headers, body: body.to_string() }
    }

    fn with_header(mut self, name: &str, value: String) -> Self {
        self.headers.push((name.to_owned(), value));
        self
    }
}

/// A mail, to whom and with what; who sends it is a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Mail {
    pub to: Vec<String>,
    pub subject: String,
    pub text: String,
    /// What stands before the @ in its Message-ID, the same however often it is sent.
    pub id: String,
    /// What stands before the @ in References, the same for all mails of an incident.
    pub thread: String,
}

/// The message cannot be written, and trying again would not change that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unwritable(pub String);

/// What a notifier says of its one channel.
#[derive(Clone)]
pub struct Configured {
    channel: &'static Channel,
    key: String,
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
    fn value(&self, name: &str) -> Option<&Value> {
        let field = self.channel.fields.iter().find(|field| field.names[0] == name)?;
        let mut spelled = self.fields.iter().filter(|(spelling, _)| self.channel.spells(field, spelling));
        spelled.find_map(|(_, value)| Some(value).filter(|value| !value.is_null()))
    }

    fn text(&self, name: &str) -> &str {
        self.value(name).and_then(Value::as_str).unwrap_or("")
    }

    fn flag(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let items = self.value(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let fields = self.value(name).and_then(Value::as_object);
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        fields.into_iter().flatten().filter_map(text).collect()
    }

    /// Writes a message in the form of the receiver.
    pub fn write(&self, message: &Message, context: &Context<'_>) -> Result<Outbound, Unwritable> {
        Ok(Outbound::Http(match self.channel.canonical_key() {
            "chatA" => chat_a::write(self, message, context)?,
            "chatAWebhook" => chat_a_webhook::write(self, message, context),
            "chatB" => chat_b::write(self, message, context),
            "chatC" => chat_c::write(self, message, context),
            "incidentA" => incident_a::write(self, message, context)?,
            "incidentB" => incident_b::write(self, message, context),
            "webhook" => webhook::write(self, message, context),
            "customWebhook" => custom_webhook::write(self, message, context)?,
            "email" => return Ok(Outbound::Mail(email::write(self, message, context))),
            other => return Err(Unwritable(format!("messages cannot be sent by {other} yet"))),
        }))
    }
}

/// An address below a base, with each part of the path kept to itself.
fn below(base: &str, parts: &[&str]) -> Result<url::Url, Unwritable> {
    let wrong = || Unwritable("the address of the service in the settings is not a URL".to_owned());
    let mut url = url::Url::parse(base).map_err(|_| wrong())?;
    url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().extend(parts);
    Ok(url)
}
