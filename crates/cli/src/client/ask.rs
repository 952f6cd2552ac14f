//! Asks a server a query and reads its answer. What is refused is told with the query's text and a mark below the
//! place that is wrong, where the server tells one.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, anyhow};
use reqwest::{Client, StatusCode, Url, header::HeaderMap};
use serde_json::{Map, Value, json};
use tidegauge_lang::{Diagnostic, Span};

use super::address::address;
use super::answer::Answer;
use super::bearer::Bearer;
use super::exchange::{answered, client, shown};
use super::refusal::{self, Refusal};
use super::target::in_org;

/// Longer than any server works on a query.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(600);

/// A query and what belongs to it.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub apl: String,
    pub start: Option<String>,
    pub end: Option<String>,
    pub limit: Option<u64>,
    pub variables: Map<String, Value>,
}

/// Where queries are asked, and by whom.
pub struct Asker {
    client: Client,
    url: Url,
    headers: HeaderMap,
    bearer: Bearer,
}

impl fmt::Debug for Asker {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "queries at {}", self.url)
    }
}

/// The server refused a question, and will refuse it the next time as well.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

/// An answer as it came, and read.
#[derive(Debug)]
pub struct Answered {
    pub body: Vec<u8>,
    pub answer: Answer,
}

impl Asker {
    pub fn new(url: &str, bearer: Bearer, org: Option<&str>) -> anyhow::Result<Self> {
        let mut url = address(url, &["v1", "query", "_apl"])?;
        url.query_pairs_mut().append_pair("format", "tabular");
        let client = client(&url, REQUEST_TIMEOUT).build().context("setting up HTTP")?;
        Ok(Self { client, url, headers: in_org(org)?, bearer })
    }

    pub async fn ask(&self, question: &Question) -> anyhow::Result<Answered> {
        let mut headers = self.headers.clone();
        self.bearer.sign(&mut headers).await?;
        let request = self.client.post(self.url.clone()).headers(headers);
        let (status, body) = answered(request.json(&body_of(question))).await?;
        if !status.is_success() {
            let told = refused(&question.apl, status.as_u16(), &body);
            let is_final = status.is_client_error()
                && !matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
            return Err(if is_final { Refused(told).into() } else { anyhow!(told) });
        }
        let answer = serde_json::from_slice(&body)
            .map_err(|error| anyhow!(error).context(format!("not an answer to a query: {}", shown(&body))))?;
        Ok(Answered { body, answer })
    }
}

fn body_of(question: &Question) -> Value {
    let mut body = Map::new();
    body.insert("apl".to_owned(), json!(question.apl));
    for (name, time) in [("startTime", &question.start), ("endTime", &question.end)] {
        if let Some(time) = time {
            body.insert(name.to_owned(), json!(time));
        }
    }
    if let Some(limit) = question.limit {
        body.insert("defaultLimit".to_owned(), json!(limit));
    }
    if !question.variables.is_empty() {
        body.insert("variables".to_owned(), Value::Object(question.variables.clone()));
    }
    Value::Object(body)
}

/// The words of the server, with the place in the text if it tells one.
fn refused(apl: &str, status: u16, body: &[u8]) -> String {
    let read = Refusal::read(body);
    if let Some(refusal) = &read
        && let Some((line, column, message)) = place(refusal)
    {
        let start = byte_of(apl, line, column);
        let mut diagnostic = Diagnostic::new(message, word_at(apl, start));
        diagnostic.hint.clone_from(&refusal.hint);
        return diagnostic.render(apl);
    }
    let has_hint = read.is_some_and(|refusal| refusal.hint.is_some());
    let advice = "see that --url is right; `tidegauge dataset list` lists the datasets";
    refusal::with_hint(refusal::text(status, body), (status == 404 && !has_hint).then_some(advice))
}

/// The line, the column and the message: from the details, or from the beginning of the message.
fn place(refusal: &Refusal) -> Option<(usize, usize, String)> {
    let number = |name: &str| refusal.detail.get(name).and_then(Value::as_u64);
    if let (Some(line), Some(column)) = (number("line"), number("column")) {
        let told = refusal.detail.get("message").and_then(Value::as_str).unwrap_or(&refusal.message);
        return Some((usize::try_from(line).ok()?, usize::try_from(column).ok()?, without_place(told)));
    }
    let (line, rest) = refusal.message.strip_prefix("line ")?.split_once(", column ")?;
    let (column, message) = rest.split_once(": ")?;
    Some((line.parse().ok()?, column.parse().ok()?, message.to_owned()))
}

fn without_place(message: &str) -> String {
    let rest = message.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    rest.map_or(message, |(_, rest)| rest).to_owned()
}

/// The byte of a line and a column, both counted from one and the column in characters.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let start = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(place, _)| place + 1))
        .nth(line.saturating_sub(1))
        .unwrap_or(text.len());
    let rest = text[start..].split('\n').next().unwrap_or_default();
    let within = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(place, _)| place);
    start + within
}

/// The word that begins at a place, so that a mark can stand below all of it.
fn word_at(text: &str, start: usize) -> Span {
    let rest = &text[start..];
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    Span { start: place(start), end: place(start + length) }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::extract::State;
    use axum::http::{HeaderMap, StatusCode, Uri};
    use axum::routing::post;

    use super::*;

    /// What the server was sent: address, token and body.
    type Sent = Arc<Mutex<Vec<(String, String, Value)>>>;

    /// A server that answers every query with this.
    async fn server(status: u16, answer: &'static str) -> (String, Sent) {
        let sent = Sent::default();
        let take = move |State(sent): State<Sent>, uri: Uri, headers: HeaderMap, body: String| async move {
            let token = headers["authorization"].to_str().unwrap().to_owned();
            sent.lock().unwrap().push((uri.to_string(), token, serde_json::from_str(&body).unwrap()));
            (StatusCode::from_u16(status).unwrap(), answer)
        };
        let router = Router::new().route("/base/v1/query/_apl", post(take)).with_state(Arc::clone(&sent));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/base/", listener.local_addr().unwrap());
        tokio_util::task::TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
        (url, sent)
    }

    #[tokio::test]
    async fn a_question_is_sent_and_its_answer_read() {
        let answer = r#"{"format":"tabular","status":{"elapsedTime":1500,"rowsExamined":7,"messages":null},
            "tables":[{"name":"0","sources":[{"name":"web"}],"fields":[{"name":"n","type":"integer","agg":{"name":"count"}}],
            "order":[],"groups":[],"columns":[[3]]},{"name":"_totals","fields":[],"columns":[]}],"datasetNames":["web"]}"#;
        let (url, sent) = server(200, answer).await;
        let asker = Asker::new(&url, "xapt-1".into(), None).unwrap();
        let variables = [("a".to_owned(), json!(5))].into_iter().collect();
        let question = Question {
            apl: "web | count".to_owned(),
            start: Some("now-1h".to_owned()),
            limit: Some(9),
            variables,
            ..Question::default()
        };
        let answered = asker.ask(&question).await.unwrap();
        assert_eq!(answered.answer.table().unwrap().rows(), 1);
        assert_eq!(crate::client::answer::summary(&answered.answer), "1 row in 1.5 ms, 7 events examined");
        assert_eq!(answered.body, answer.as_bytes());
        let expected =
            json!({"apl": "web | count", "startTime": "now-1h", "defaultLimit": 9, "variables": {"a": 5}});
        let sent = sent.lock().unwrap().remove(0);
        assert_eq!(
            sent,
            ("/base/v1/query/_apl?format=tabular".to_owned(), "Bearer xapt-1".to_owned(), expected)
        );
    }

    #[tokio::test]
    async fn a_refusal_is_told_with_advice() {
        let (url, _) = server(401, r#"{"code":401,"message":"forbidden"}"#).await;
        let asker = Asker::new(&url, "xapt-1".into(), None).unwrap();
        let error = asker.ask(&Question::default()).await.unwrap_err().to_string();
        assert_eq!(
            error,
            "the server answered 401: forbidden\n  hint: sign in with `tidegauge login`, or give a token with \
             --token-file or TIDEGAUGE_TOKEN"
        );
    }

    #[test]
    fn refusals_point_at_their_place() {
        let text = "web\n| where strln(host) > 1";
        let expected = "line 2, column 9: unknown function `strln`\n  | where strln(host) > 1\n          ^^^^^\n  \
            hint: did you mean `strlen`?";
        for body in [
            r#"{"code":400,"message":"line 2, column 9: unknown function `strln`","hint":"did you mean `strlen`?"}"#,
            r#"{"code":400,"message":"no","detail":{"errorType":1,"line":2,"column":9,"message":"unknown function `strln`"},"hint":"did you mean `strlen`?"}"#,
        ] {
            assert_eq!(refused(text, 400, body.as_bytes()), expected);
        }
        assert_eq!(
            refused(text, 404, br#"{"code":404,"message":"dataset not found","hint":"look"}"#),
            "the server answered 404: dataset not found\n  hint: look"
        );
        assert_eq!(refused(text, 502, b"bad gateway"), "the server answered 502: bad gateway");
    }
}
