//! Reads and changes things of a server by their addresses, in JSON. What is refused is told in the words of the server.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, anyhow};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method};
use serde::Deserialize;
use serde_json::Value;

use super::bearer::Bearer;
use super::exchange::{answered, client, shown};
use super::target::{address, in_org};

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

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Refusal {
    message: String,
    detail: Value,
    hint: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Diagnostic {
    picture: Option<String>,
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
            return Err(anyhow!(refusal(status.as_u16(), &body)));
        }
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body)
            .map_err(|error| anyhow!(error).context(format!("not an answer in JSON: {}", shown(&body))))
    }
}

fn refusal(status: u16, body: &[u8]) -> String {
    let Ok(refusal) = serde_json::from_slice::<Refusal>(body) else {
        return format!("the server answered {status}: {}", shown(body));
    };
    let mut text = format!("the server answered {status}: {}", refusal.message);
    let pictures = refusal.diagnostics.iter().filter_map(|diagnostic| diagnostic.picture.as_deref());
    let details = refusal.detail.as_str().into_iter().chain(pictures);
    for line in details.flat_map(str::lines) {
        text.push_str("\n  ");
        text.push_str(line);
    }
    if let Some(hint) = &refusal.hint {
        text.push_str("\n  hint: ");
        text.push_str(hint);
    }
    if status == 401 {
        text.push_str(
            "\n  hint: sign in with `tidegauge login`, or give a token with --token-file or TIDEGAUGE_TOKEN",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_told_in_the_words_of_the_server() {
        let body = br#"{"code": 400, "message": "line 1, column 3: no", "hint": "write yes",
            "detail": {"line": 1}, "diagnostics": [{"picture": "a b\n  ^ no"}]}"#;
        let told = "the server answered 400: line 1, column 3: no\n  a b\n    ^ no\n  hint: write yes";
        assert_eq!(refusal(400, body), told);
        assert_eq!(refusal(502, b"<html>"), "the server answered 502: <html>");
    }
}
