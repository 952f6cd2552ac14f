//! Where events go and who sends them: the address of a dataset's ingest, and the headers that every request has.

use std::fmt;

use anyhow::Context;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::address::{address, is_loopback};
use super::bearer::Bearer;

const ORG: HeaderName = HeaderName::from_static("x-tidegauge-org-id");
const LABELS: HeaderName = HeaderName::from_static("x-tidegauge-event-labels");

/// What the user says about the server and the events.
#[derive(Default)]
pub struct Destination {
    pub url: String,
    pub dataset: String,
    pub token: Bearer,
    pub org: Option<String>,
    pub labels: Vec<(String, String)>,
    pub timestamp_field: Option<String>,
    pub timestamp_format: Option<String>,
    pub csv_delimiter: Option<char>,
}

impl fmt::Debug for Destination {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dataset {} at {}", self.dataset, self.url)
    }
}

/// The same, ready to be sent.
#[derive(Debug)]
pub struct Target {
    pub url: Url,
    pub headers: HeaderMap,
    pub bearer: Bearer,
}

impl Target {
    pub fn new(destination: &Destination) -> anyhow::Result<Self> {
        Ok(Self { url: url(destination)?, headers: headers(destination)?, bearer: destination.token.clone() })
    }

    /// Whether the server is on this machine, where compressing costs more than it saves.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }
}

fn url(destination: &Destination) -> anyhow::Result<Url> {
    let mut url = address(&destination.url, &["v1", "datasets", &destination.dataset, "ingest"])?;
    let delimiter = destination.csv_delimiter.map(String::from);
    let parameters = [
        ("timestamp-field", &destination.timestamp_field),
        ("timestamp-format", &destination.timestamp_format),
        ("csv-delimiter", &delimiter),
    ];
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    Ok(url)
}

/// The header that tells in which organisation somebody asks.
pub(super) fn in_org(org: Option<&str>) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(org) = org {
        let org = HeaderValue::from_str(org).ok();
        headers.insert(ORG, org.context("--org has characters that cannot be sent")?);
    }
    Ok(headers)
}

fn headers(destination: &Destination) -> anyhow::Result<HeaderMap> {
    let mut headers = in_org(destination.org.as_deref())?;
    if !destination.labels.is_empty() {
        let labels = destination.labels.iter().cloned().map(|(name, value)| (name, value.into()));
        let labels = serde_json::Value::Object(labels.collect()).to_string();
        let labels = HeaderValue::from_bytes(labels.as_bytes()).ok();
        headers.insert(LABELS, labels.context("--label has characters that cannot be sent")?);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_holds_dataset_and_parameters() {
        let destination = Destination {
            url: "https://tide.example.com/base/".to_owned(),
            dataset: "web logs".to_owned(),
            timestamp_field: Some("at".to_owned()),
            timestamp_format: Some("2/Jan/2006:15:04:05 +0000".to_owned()),
            csv_delimiter: Some(';'),
            labels: vec![("zone".to_owned(), "größer".to_owned())],
            ..Destination::default()
        };
        let target = Target::new(&destination).unwrap();
        assert_eq!(
            target.url.as_str(),
            "https://tide.example.com/base/v1/datasets/web%20logs/ingest?timestamp-field=at\
             &timestamp-format=2%2FJan%2F2006%3A15%3A04%3A05+%2B0000&csv-delimiter=%3B"
        );
        assert_eq!(target.headers[LABELS].as_bytes(), r#"{"zone":"größer"}"#.as_bytes());
        assert!(!target.is_loopback());
    }

    #[test]
    fn this_machine_has_several_names() {
        for (url, expected) in [
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("http://localhost", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example.com", false),
        ] {
            let destination = Destination { url: url.to_owned(), ..Destination::default() };
            assert_eq!(Target::new(&destination).unwrap().is_loopback(), expected, "{url}");
        }
        for wrong in ["", "localhost:8080", "ftp://localhost", "mailto:a@b"] {
            let destination = Destination { url: wrong.to_owned(), ..Destination::default() };
            assert!(Target::new(&destination).is_err(), "{wrong}");
        }
    }
}
