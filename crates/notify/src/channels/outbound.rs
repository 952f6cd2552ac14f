//! What channels write, and what they know beside the message when they write it. The forms are left to each channel.

use std::fmt;

use serde_json::Value;
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
    pub(super) fn json(url: impl Into<String>, body: &Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { url: url.into(), headers, body: body.to_string() }
    }

    pub(super) fn with_header(mut self, name: &str, value: String) -> Self {
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

/// An address below a base, with each part of the path kept to itself.
pub(super) fn below(base: &str, parts: &[&str]) -> Result<url::Url, Unwritable> {
    let wrong = || Unwritable("the address of the service in the settings is not a URL".to_owned());
    let mut url = url::Url::parse(base).map_err(|_| wrong())?;
    url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().extend(parts);
    Ok(url)
}
