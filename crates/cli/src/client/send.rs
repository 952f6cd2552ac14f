//! Sends a part until the server has it. What may be a passing fault is tried again with the same idempotency key,
//! so that a part whose answer was lost is not stored twice; everything else ends the run with the server's words.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use bytes::Bytes;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use tidegauge_model::{Rng, rng};

use super::exchange::{client, shown};
use super::input::{Encoding, Format};
use super::messages::{WrongScheme, not_reached, plain};
use super::part::Part;
use super::refusal::{self, Refusal};
use super::target::Target;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const CSV_FIELDS: HeaderName = HeaderName::from_static("x-tidegauge-csv-fields");
const WITH_TIME_FIELD: HeaderName = HeaderName::from_static("x-tidegauge-with-timestamp-field");

/// Longer than the server gives itself for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
/// A server that asks for more patience than this is asked again all the same.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(120);
/// How long a server has to show that it speaks what its address says.
const SCHEME_TIMEOUT: Duration = Duration::from_secs(10);
/// What to do about lines that are no events.
pub const LINES_HINT: &str = "each line must be a JSON object; send CSV with --format csv, and lines of plain text with --format lines";
const ZSTD_LEVEL: i32 = 1;
const GZIP_LEVEL: u32 = 1;

/// How often and how patiently a part is tried.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    pub attempts: u32,
    pub first_wait: Duration,
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    /// About 45 seconds in all: a server has time to start again.
    fn default() -> Self {
        Self { attempts: 10, first_wait: Duration::from_millis(200), longest_wait: Duration::from_secs(10) }
    }
}

/// What the server says about a part that it has taken.
#[derive(Debug, Default, Deserialize)]
pub struct Answer {
    pub ingested: u64,
    #[serde(default)]
    pub failed: u64,
    #[serde(default)]
    pub failures: Vec<EventFailure>,
    #[serde(default)]
    pub messages: Vec<StoredMessage>,
    /// How many of the events had the field that was named for the time, where the server tells it.
    #[serde(skip)]
    pub with_time_field: Option<u64>,
}

/// Why the server did not take an event.
#[derive(Debug, Deserialize)]
pub struct EventFailure {
    pub error: String,
}

/// Something to know of events that were stored.
#[derive(Debug, Deserialize)]
pub struct StoredMessage {
    pub count: u64,
    pub msg: String,
}

#[derive(Debug)]
pub struct Sender {
    client: Client,
    target: Target,
    compress: Encoding,
    retry_policy: RetryPolicy,
    run: String,
    rng: Arc<dyn Rng>,
}

/// The server could not read a part. There may be good events in it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// Why an attempt did not succeed.
enum Problem {
    /// It may succeed the next time, and not before this time has passed.
    Passing(anyhow::Error, Duration),
    Final(anyhow::Error),
}

impl Sender {
    pub fn new(
        target: Target,
        compress: Encoding,
        connections: usize,
        retry_policy: RetryPolicy,
        run: String,
        rng: Arc<dyn Rng>,
    ) -> anyhow::Result<Self> {
        let client = client(&target.url, REQUEST_TIMEOUT)
            // Each part in flight has a connection of its own, which one of HTTP/2 would not give it.
            .http1_only()
            .pool_max_idle_per_host(connections)
            .build()
            .context("setting up HTTP")?;
        Ok(Self { client, target, compress, retry_policy, run, rng })
    }

    /// Sends a part; `on_retry` hears of every attempt that is to be repeated.
    pub async fn send(&self, part: &Part, on_retry: impl Fn(&str)) -> anyhow::Result<Answer> {
        let (body, headers) = self.prepare(part).await.with_context(|| part.place.to_string())?;
        let mut attempt = 1;
        loop {
            let mut headers = headers.clone();
            self.target.bearer.sign(&mut headers).await?;
            let request = self.client.post(self.target.url.clone()).headers(headers).body(body.clone());
            let (error, least) = match try_once(request, part.format).await {
                Ok(answer) => return Ok(answer),
                Err(Problem::Final(error)) => return Err(error.context(part.place.to_string())),
                Err(Problem::Passing(error, least)) => (error, least),
            };
            if attempt == 1
                && is_lost(&error)
                && let Some(error) = self.wrong_scheme().await
            {
                return Err(error.context(part.place.to_string()));
            }
            if attempt >= self.retry_policy.attempts {
                let place = format!("{} (tried {attempt} times)", part.place);
                return Err(error.context(place));
            }
            let wait = self.wait_after(attempt).max(least);
            let told = plain(&error);
            on_retry(&format!("{}: {told}\n  trying again in {:.1} s", part.place, wait.as_secs_f32()));
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// Whether the server speaks another scheme. A large part may not get to know: the connection is reset while it is
    /// sent.
    async fn wrong_scheme(&self) -> Option<anyhow::Error> {
        let mut address = self.target.url.clone();
        address.set_path("/healthz");
        address.set_query(None);
        let asked = self.client.get(address.clone()).timeout(SCHEME_TIMEOUT).send().await;
        let error = not_reached(&address, asked.err()?);
        error.is::<WrongScheme>().then_some(error)
    }

    async fn prepare(&self, part: &Part) -> anyhow::Result<(Bytes, HeaderMap)> {
        let mut headers = self.target.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(part.format.content_type()));
        headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_str(&part.idempotency_key(&self.run))?);
        if let Some(fields) = &part.csv_fields {
            let fields = HeaderValue::from_maybe_shared(fields.clone());
            headers.insert(CSV_FIELDS, fields.context("the names of the fields cannot be sent in a header")?);
        }
        let (body, encoding) = match part.encoding {
            Encoding::None => (compress(part.body.clone(), self.compress).await?, self.compress),
            already => (part.body.clone(), already),
        };
        if let Some(name) = encoding.name() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        Ok((body, headers))
    }

    /// Twice as long after each attempt, less up to half of it by chance, so that many senders do not come together.
    fn wait_after(&self, attempt: u32) -> Duration {
        let doubled = self.retry_policy.first_wait.saturating_mul(1 << (attempt - 1).min(20));
        let longest = doubled.min(self.retry_policy.longest_wait);
        let share = u16::from_le_bytes(rng::bytes(&*self.rng));
        longest - longest.mul_f64(f64::from(share) / f64::from(u16::MAX) / 2.0)
    }
}

async fn compress(body: Bytes, encoding: Encoding) -> anyhow::Result<Bytes> {
    // Off the threads that serve the connections: a batch takes some milliseconds.
    let compressed = match encoding {
        Encoding::None => return Ok(body),
        Encoding::Zstd => {
            tokio::task::spawn_blocking(move || zstd::bulk::compress(&body, ZSTD_LEVEL)).await?
        }
        Encoding::Gzip => tokio::task::spawn_blocking(move || gzip(&body)).await?,
    };
    Ok(compressed.context("compressing")?.into())
}

fn gzip(body: &[u8]) -> std::io::Result<Vec<u8>> {
    use std::io::Write;
    let out = Vec::with_capacity(body.len() / 4);
    let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL));
    encoder.write_all(body)?;
    encoder.finish()
}

async fn try_once(request: RequestBuilder, format: Format) -> Result<Answer, Problem> {
    let (client, request) = request.build_split();
    let request = request.map_err(|error| Problem::Final(error.without_url().into()))?;
    let address = request.url().clone();
    // What has not reached the server, or whose answer was lost on its way: the server knows the key if it has stored
    // the part.
    let lost = |error| {
        let error = not_reached(&address, error);
        match error.is::<WrongScheme>() {
            true => Problem::Final(error),
            false => Problem::Passing(error, Duration::ZERO),
        }
    };
    let response = client.execute(request).await.map_err(lost)?;
    let status = response.status();
    let retry_after = retry_after(&response);
    let with_time_field =
        response.headers().get(WITH_TIME_FIELD).and_then(|value| value.to_str().ok()?.parse().ok());
    let body = response.bytes().await.map_err(lost)?;
    if status.is_success() {
        let answer = serde_json::from_slice::<Answer>(&body).map_err(|error| {
            Problem::Final(anyhow!(error).context(format!("not an answer to ingest: {}", shown(&body))))
        })?;
        return Ok(Answer { with_time_field, ..answer });
    }
    let text = refusal::with_hint(refusal::text(status.as_u16(), &body), advice(status, format, &body));
    if status == StatusCode::BAD_REQUEST && is_unreadable(&body) {
        return Err(Problem::Final(Unreadable(text).into()));
    }
    let error = anyhow!(text);
    Err(if is_passing(status) { Problem::Passing(error, retry_after) } else { Problem::Final(error) })
}

/// Whether a connection broke while it was used.
fn is_lost(error: &anyhow::Error) -> bool {
    let of_http = error.downcast_ref::<reqwest::Error>();
    of_http.is_some_and(|error| !error.is_connect() && !error.is_timeout())
}

fn retry_after(response: &Response) -> Duration {
    let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = value.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER)
}

/// Conflict means that the first attempt with this key is still being worked on.
fn is_passing(status: StatusCode) -> bool {
    match status {
        StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::NOT_IMPLEMENTED | StatusCode::HTTP_VERSION_NOT_SUPPORTED => false,
        _ => status.is_server_error(),
    }
}

fn advice(status: StatusCode, format: Format, body: &[u8]) -> Option<&'static str> {
    match status {
        StatusCode::BAD_REQUEST if format == Format::Ndjson && is_unreadable(body) => Some(LINES_HINT),
        StatusCode::NOT_FOUND => {
            Some("make the dataset with `tidegauge dataset create`, and see that --url is right")
        }
        StatusCode::PAYLOAD_TOO_LARGE => Some("send smaller parts with --batch-bytes"),
        _ => None,
    }
}

/// Whether the server could not read the body, in its words.
fn is_unreadable(body: &[u8]) -> bool {
    Refusal::read(body).is_some_and(|refusal| refusal.message.starts_with("malformed body"))
}
