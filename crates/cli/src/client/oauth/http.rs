//! Requests to an authorisation server: documents and forms, answered with JSON of bounded size, and the errors of the
//! protocol told apart from all others.

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::client::address::is_loopback;
use crate::client::messages::not_reached;
use crate::client::refusal;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Longest answer that is read.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Characters of a text from a server that are shown.
const SHOWN_CHARACTERS: usize = 300;

/// What a server refused by the rules of the protocol.
#[derive(Debug, Deserialize, thiserror::Error)]
#[error("{}", self.in_words())]
pub struct Refused {
    pub error: String,
    #[serde(default)]
    pub error_description: Option<String>,
}

impl Refused {
    fn in_words(&self) -> String {
        let text = match &self.error_description {
            Some(description) => format!("{description} ({})", self.error),
            None => self.error.clone(),
        };
        printable(&text)
    }
}

/// Sends requests, and never follows where an answer leads. A server and its issuer may be at different places, of which
/// one on this machine is not asked through a proxy.
#[derive(Clone, Debug)]
pub struct Http {
    here: Client,
    elsewhere: Client,
}

impl Http {
    pub fn new() -> anyhow::Result<Self> {
        let builder = || {
            Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(REQUEST_TIMEOUT)
                .redirect(reqwest::redirect::Policy::none())
                .user_agent(concat!("tidegauge/", env!("CARGO_PKG_VERSION")))
        };
        let here = builder().no_proxy().build().context("setting up HTTP")?;
        Ok(Self { here, elsewhere: builder().build().context("setting up HTTP")? })
    }

    fn client(&self, url: &Url) -> &Client {
        if is_loopback(url) { &self.here } else { &self.elsewhere }
    }

    /// Reads a document; `None` if there is none at this address.
    pub async fn document<T: DeserializeOwned>(&self, url: &Url) -> anyhow::Result<Option<T>> {
        let request = self.client(url).get(url.clone()).header("accept", "application/json");
        let response = request.send().await.map_err(|error| not_reached(url, error))?;
        match response.status() {
            StatusCode::OK => {}
            // Servers that do not know a document say so in more ways than one.
            status if status.is_client_error() => return Ok(None),
            status => bail!("{url} answered {status}"),
        }
        let body = body(response).await?;
        let document = serde_json::from_slice(&body);
        Ok(Some(document.with_context(|| format!("the answer of {url} cannot be read"))?))
    }

    /// Reads an answer of the interface, asked for with a token.
    pub async fn with_token<T: DeserializeOwned>(&self, url: &Url, token: &str) -> anyhow::Result<T> {
        let request = self.client(url).get(url.clone()).bearer_auth(token);
        let response = request.send().await.map_err(|error| not_reached(url, error))?;
        let status = response.status();
        let body = body(response).await?;
        if !status.is_success() {
            return Err(Status(status, refusal::text(status.as_u16(), &body)).into());
        }
        serde_json::from_slice(&body).with_context(|| format!("the answer of {url} cannot be read"))
    }

    /// Sends a form. A refusal by the rules of the protocol is a [`Refused`] in the error.
    pub async fn form<T: DeserializeOwned>(&self, url: &Url, form: &[(&str, &str)]) -> anyhow::Result<T> {
        let body = self.send_form(url, form).await?;
        serde_json::from_slice(&body).with_context(|| format!("the answer of {url} cannot be read"))
    }

    /// Sends a form whose answer says nothing.
    pub async fn form_only(&self, url: &Url, form: &[(&str, &str)]) -> anyhow::Result<()> {
        self.send_form(url, form).await.map(|_| ())
    }

    async fn send_form(&self, url: &Url, form: &[(&str, &str)]) -> anyhow::Result<Vec<u8>> {
        let mut encoded = url::form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(form);
        let request = self
            .client(url)
            .post(url.clone())
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json")
            .body(encoded.finish());
        let response = request.send().await.map_err(|error| not_reached(url, error))?;
        let status = response.status();
        let body = body(response).await?;
        if status.is_success() {
            return Ok(body);
        }
        match serde_json::from_slice::<Refused>(&body) {
            Ok(refused) => Err(refused.into()),
            Err(_) => bail!("{url} answered {status}"),
        }
    }
}

/// An answer that is an error, with its status for who wants to tell them apart.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub struct Status(pub StatusCode, pub String);

async fn body(mut response: Response) -> anyhow::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)? {
        body.extend_from_slice(&chunk);
        if body.len() > ANSWER_BYTES_MAX {
            bail!("the answer of the server is longer than {ANSWER_BYTES_MAX} bytes");
        }
    }
    Ok(body)
}

/// A text from elsewhere, as it can be shown on a terminal: short, and without signs that steer it.
pub fn printable(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(SHOWN_CHARACTERS).collect()
}
