//! Reads and changes things of a server by their addresses, in JSON. What is refused is told in the words of the server.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, anyhow};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, StatusCode};
use serde_json::Value;

use super::address::address;
use super::bearer::Bearer;
use super::exchange::{answered, client, shown};
use super::refusal;
use super::target::in_org;

/// Longer than a server works on a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Where things are, and who asks for them.
pub struct Resources {
    client: Client,
    server: String,
    headers: HeaderMap,
    bearer: Bearer,
}

impl fmt::Debug for Resources {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resources at {}", self.server)
    }
}

impl Resources {
    pub fn new(server: &str, bearer: Bearer, org: Option<&str>) -> anyhow::Result<Self> {
        let client = client(&address(server, &[])?, REQUEST_TIMEOUT).build().context("setting up HTTP")?;
        Ok(Self { client, server: server.to_owned(), headers: in_org(org)?, bearer })
    }

    /// Sends a request and reads the answer, which is null where there is none.
    pub async fn call(&self, method: Method, path: &[&str], body: Option<&Value>) -> anyhow::Result<Value> {
        let mut headers = self.headers.clone();
        self.bearer.sign(&mut headers).await?;
        let mut request = self.client.request(method, address(&self.server, path)?).headers(headers);
        if let Some(body) = body {
            request = request.json(body);
        }
        let (status, body) = answered(request).await?;
        if !status.is_success() {
            let told = refusal::text(status.as_u16(), &body);
            let is_missing = status == StatusCode::NOT_FOUND && !told.contains("hint: ");
            return Err(anyhow!(refusal::with_hint(told, is_missing.then(|| where_listed(path)).flatten())));
        }
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body)
            .map_err(|error| anyhow!(error).context(format!("not an answer in JSON: {}", shown(&body))))
    }
}

/// Which command lists things of the kind that the path leads to.
fn where_listed(path: &[&str]) -> Option<&'static str> {
    match *path.get(1)? {
        "datasets" => Some("`tidegauge dataset list` lists the datasets"),
        "monitors" => Some("`tidegauge monitor list` lists the monitors"),
        "notifiers" => Some("`tidegauge notifier list` lists the notifiers"),
        _ => None,
    }
}
