//! Ingest: from the bytes of a request to events that are durable and readable. Whether the caller may, whether the
//! organisation has room, whether the request is a repetition, then one pass over the body and one append.

pub mod body;
pub mod demo;
mod endpoint;
mod gate;
mod ingested;
pub mod journal;
pub mod listened;
mod memory;
pub mod quota;
pub mod sender;
pub mod small;
pub mod state;
mod usage;

use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use tidegauge_ingest::{Encoding, Format, Labels, Options, Outcome, TimeLayout};
use tidegauge_model::{DatasetArea, ErrorKind, Timestamp};
use tidegauge_store::{Claim, DatasetState, IdempotencyKey, Receipt, Repeated, Store};

use super::datasets::{self, Making};
use super::quota_remaining::QuotaRemaining;
use super::{Caller, Error, Result};
use crate::app::App;
use body::BodyError;
use gate::Target;
pub use ingested::{IngestFailure, IngestMessage, Ingested};
pub use memory::Patience;
pub use state::IngestState;
use state::Lent;

/// Keys are chosen by callers; a longer one has no use.
const KEY_BYTES_MAX: usize = 255;

/// What a request says beside its body.
#[derive(Debug)]
pub struct IngestInput {
    pub dataset: String,
    pub format: Format,
    pub encoding: Encoding,
    pub timestamp_field: Option<String>,
    pub timestamp_format: Option<String>,
    pub csv_delimiter: Option<String>,
    pub csv_fields: Option<Vec<String>>,
    /// JSON text of an object whose pairs are added to every event.
    pub labels: Option<String>,
    pub idempotency_key: Option<String>,
}

/// The answer with what is not part of it when it is repeated.
#[derive(Debug)]
pub struct IngestAnswer {
    pub ingested: Ingested,
    /// Under which sequence the events are stored; absent when there was nothing to store.
    pub sequence: Option<u64>,
    pub is_repeated: bool,
    /// Requests whose events are in the log and in no segment yet.
    pub log_length: u64,
    /// How many of the stored events had the field that the request names for the time. Absent if it names none, and
    /// for a repetition.
    pub with_time_field: Option<u64>,
    pub quota_remaining: QuotaRemaining,
}

/// Stores the events of a body.
pub async fn ingest<S, E>(app: &App, caller: &Caller, mut input: IngestInput, body: S) -> Result<IngestAnswer>
where
    S: Stream<Item = std::result::Result<bytes::Bytes, E>> + Send + Unpin,
    E: std::fmt::Display,
{
    endpoint::settle(caller, &mut input.dataset, &mut input.labels)?;
    caller.check_dataset(&input.dataset, DatasetArea::Ingest, tidegauge_model::Action::Create)?;
    caller.org_to_create_in()?;
    let options = options(&input)?;
    if let Some(key) = &input.idempotency_key {
        check_key(key)?;
    }
    let quota_remaining = quota::check(app, caller).await?;
    let dataset = datasets::find_to_fill(app, caller, &input.dataset).await?;
    let claim = match &dataset {
        Some(dataset) => claim(app, caller, dataset, input.idempotency_key.as_deref()).await?,
        // What does not exist knows no keys: this one is claimed when it does.
        None => None,
    };
    let request = Request { app, caller, input, options, quota_remaining, making: Making::default() };
    match (dataset, claim) {
        (Some(dataset), Some(Claim::Repeated(earlier))) => request.repeat(&dataset, body, earlier).await,
        (dataset, claim) => request.store(dataset, claim, body).await,
    }
}

/// Claims the key of a request, if it has one.
async fn claim(
    app: &App,
    caller: &Caller,
    dataset: &Arc<DatasetState>,
    key: Option<&str>,
) -> Result<Option<Claim>> {
    match key {
        Some(key) => Ok(Some(app.store.claim(dataset, key, caller.now).await?)),
        None => Ok(None),
    }
}

struct Request<'a> {
    app: &'a App,
    caller: &'a Caller,
    input: IngestInput,
    options: Options,
    quota_remaining: QuotaRemaining,
    /// What a dataset is like that is made for the events.
    making: Making,
}

/// A body that was read to its end and not refused.
struct ReadBody {
    lent: Lent,
    ingested: Ingested,
    with_time_field: Option<u64>,
    fingerprint: u64,
}

impl Request<'_> {
    /// Reads the body and stores its events, in a dataset that is made for them if there is none.
    async fn store<S, E>(
        mut self,
        found: Option<Arc<DatasetState>>,
        claimed: Option<Claim>,
        body: S,
    ) -> Result<IngestAnswer>
    where
        S: Stream<Item = std::result::Result<bytes::Bytes, E>> + Send + Unpin,
        E: std::fmt::Display,
    {
        let (app, caller) = (self.app, self.caller);
        let fields_max = u64::try_from(caller.org_context()?.limits.max_fields).unwrap_or(0);
        let target = Target { store: &app.store, org: caller.org()?, name: &self.input.dataset };
        let gate = app.ingest.new_fields.gate(target, fields_max);
        let mut lent = app.ingest.reader(found.as_ref());
        let reader = &mut lent.reader;
        self.options.map_fields = found.as_ref().map(|dataset| dataset.map_fields()).unwrap_or_default();
        reader.begin(std::mem::take(&mut self.options), caller.now.as_nanos());
        let label_bytes = self.input.labels.as_ref().map_or(0, String::len);
        let limits = &app.ingest.limits;
        let (encoding, patience) = (self.input.encoding, Patience::Patient);
        let mut source = body::Source::new(&app.ingest, limits, encoding, label_bytes, patience, body)?;
        let seed = self.input.idempotency_key.as_ref().map(|_| fingerprint_seed(&self.input));
        // What the reader keeps from earlier requests is not what this one costs.
        let before = reader.retained_bytes();
        let mut feed = |bytes: &[u8]| {
            reader.feed(bytes, &gate)?;
            Ok(reader.retained_bytes().saturating_sub(before))
        };
        source.read(seed, &mut feed).await?;
        let outcome = reader.finish(&gate).map_err(BodyError::from)?;
        let with_time_field = self.input.timestamp_field.as_ref().map(|_| outcome.with_time_field);
        let ingested = answer(outcome, source.bytes() + label_bytes as u64, caller.now);
        let read = ReadBody { lent, ingested, with_time_field, fingerprint: source.fingerprint() };
        let stored = self.keep(found, claimed, read, Duration::MAX).await;
        // Until here the events are in memory and not in the buffer's account.
        drop(source);
        drop(gate);
        stored
    }

    /// Stores what was read, unless an earlier request with the same key has done so meanwhile. Waits so long for room at
    /// most.
    async fn keep(
        &self,
        found: Option<Arc<DatasetState>>,
        claimed: Option<Claim>,
        read: ReadBody,
        wait_max: Duration,
    ) -> Result<IngestAnswer> {
        let (app, caller, key) = (self.app, self.caller, self.input.idempotency_key.as_deref());
        let ReadBody { lent, ingested, with_time_field, fingerprint } = read;
        let (dataset, claimed) = match found {
            Some(dataset) => (dataset, claimed),
            None => {
                let made = datasets::make_to_fill(app, caller, &self.input.dataset, self.making).await?;
                let claimed = claim(app, caller, &made, key).await?;
                (made, claimed)
            }
        };
        let _held = match claimed {
            Some(Claim::Repeated(earlier)) => return self.answer_again(&dataset, fingerprint, &earlier),
            Some(Claim::First(guard)) => Some(guard),
            None => None,
        };
        if lent.reader.columns().rows() == 0 && key.is_none() {
            app.ingest.give_back(&dataset, lent);
            endpoint::note(app, caller, &ingested);
            return Ok(IngestAnswer { with_time_field, ..self.answered(&dataset, ingested, None, false) });
        }
        // The store holds the key too from the append on, also when this request is not waited for any more.
        let key = key.map(|key| IdempotencyKey {
            key: key.to_owned(),
            fingerprint,
            answer: serde_json::to_string(&ingested).unwrap_or_default(),
        });
        let receipt = Receipt { arrival: caller.now.as_nanos(), raw_bytes: ingested.processed_bytes, key };
        let prepared = Store::prepare(lent.reader.columns(), receipt);
        app.ingest.give_back(&dataset, lent);
        let sequence = app.store.append_within(&dataset, prepared, wait_max).await?;
        app.metrics.events_ingested(ingested.ingested, ingested.processed_bytes);
        endpoint::note(app, caller, &ingested);
        Ok(IngestAnswer { with_time_field, ..self.answered(&dataset, ingested, Some(sequence), false) })
    }

    /// Answers as the first request with the key was answered, if this one is the same.
    async fn repeat<S, E>(self, dataset: &DatasetState, body: S, earlier: Repeated) -> Result<IngestAnswer>
    where
        S: Stream<Item = std::result::Result<bytes::Bytes, E>> + Send + Unpin,
        E: std::fmt::Display,
    {
        let limits = &self.app.ingest.limits;
        let (encoding, patience) = (self.input.encoding, Patience::Patient);
        let mut source = body::Source::new(&self.app.ingest, limits, encoding, 0, patience, body)?;
        source.read(Some(fingerprint_seed(&self.input)), &mut |_| Ok(0)).await?;
        self.answer_again(dataset, source.fingerprint(), &earlier)
    }

    fn answer_again(
        &self,
        dataset: &DatasetState,
        fingerprint: u64,
        earlier: &Repeated,
    ) -> Result<IngestAnswer> {
        if fingerprint != earlier.fingerprint {
            let message =
                "this Idempotency-Key was used with another body, or with other labels or parameters";
            return Err(Error::new(ErrorKind::Invalid, message)
                .hint("use a new key for new events; repeat a request with its key and exactly as it was"));
        }
        let ingested = serde_json::from_str(&earlier.answer)
            .map_err(|_| Error::new(ErrorKind::Corrupt, "the answer to the first request cannot be read"))?;
        Ok(self.answered(dataset, ingested, Some(earlier.sequence), true))
    }

    fn answered(
        &self,
        dataset: &DatasetState,
        ingested: Ingested,
        sequence: Option<u64>,
        is_repeated: bool,
    ) -> IngestAnswer {
        let used = if is_repeated { 0 } else { ingested.processed_bytes };
        IngestAnswer {
            quota_remaining: self.quota_remaining.less(used),
            log_length: dataset.buffered_batches() as u64,
            with_time_field: None,
            ingested,
            sequence,
            is_repeated,
        }
    }
}

fn options(input: &IngestInput) -> Result<Options> {
    let invalid = |name: &str, problem: String| {
        use tidegauge_model::{Rule, Violation};
        Error::from(Violation::new(name, Rule::Pattern, problem).in_query())
    };
    if input.format == Format::Lines {
        let given =
            [("timestamp-field", &input.timestamp_field), ("timestamp-format", &input.timestamp_format)];
        if let Some((name, _)) = given.into_iter().find(|(_, value)| value.is_some()) {
            let problem =
                "is for fields, which lines of text do not have: their time is the one that they begin with";
            return Err(invalid(name, problem.to_owned()));
        }
    }
    let layout = input.timestamp_format.as_deref().map(TimeLayout::parse).transpose();
    let layout = layout.map_err(|error| invalid("timestamp-format", error.to_string()))?;
    let delimiter = match input.csv_delimiter.as_deref().map(str::as_bytes) {
        None => b',',
        Some([delimiter]) if !matches!(delimiter, b'"' | b'\n' | b'\r' | 0) => *delimiter,
        Some(_) => {
            let problem = "must be a single ASCII character, and neither a quote nor the end of a line";
            return Err(invalid("csv-delimiter", problem.to_owned()));
        }
    };
    let labels = labels_of(input.labels.as_deref())?;
    Ok(Options {
        format: input.format,
        timestamp_field: input.timestamp_field.clone(),
        timestamp_format: layout,
        csv_delimiter: delimiter,
        csv_fields: input.csv_fields.clone(),
        labels,
        map_fields: Arc::default(),
    })
}

fn labels_of(text: Option<&str>) -> Result<Option<Labels>> {
    text.map(Labels::parse).transpose().map_err(|error| {
        Error::new(ErrorKind::Malformed, format!("the event labels cannot be read: {error}"))
            .hint("send a JSON object such as {\"region\":\"eu\"} in the header")
    })
}

/// Stands for all that decides what is stored, beside the body and the dataset: zero if the request says nothing of it.
fn fingerprint_seed(input: &IngestInput) -> u64 {
    let format = match input.format {
        Format::Json => None,
        Format::Csv => Some("csv"),
        Format::Lines => Some("lines"),
    };
    let said = [
        format,
        input.timestamp_field.as_deref(),
        input.timestamp_format.as_deref(),
        input.csv_delimiter.as_deref(),
        input.labels.as_deref(),
    ];
    let fields = input.csv_fields.iter().flatten().map(|field| Some(field.as_str()));
    let said: Vec<Option<&str>> = said.into_iter().chain(fields).collect();
    if said.iter().all(Option::is_none) {
        return 0;
    }
    // Lengths keep apart what would look alike in one row.
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for said in said {
        hash.update(&said.map_or(u64::MAX, |said| said.len() as u64).to_le_bytes());
        hash.update(said.unwrap_or_default().as_bytes());
    }
    hash.digest()
}

fn check_key(key: &str) -> Result<()> {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_graphic());
    if key.is_empty() || key.len() > KEY_BYTES_MAX || !is_plain {
        let message = format!("the Idempotency-Key must be 1 to {KEY_BYTES_MAX} visible ASCII characters");
        return Err(Error::new(ErrorKind::Invalid, message).hint("a UUID is a good key"));
    }
    Ok(())
}

fn answer(outcome: Outcome, processed_bytes: u64, now: Timestamp) -> Ingested {
    let timestamp = now.to_string();
    let failure = |failure: tidegauge_ingest::Failure| IngestFailure {
        timestamp: timestamp.clone(),
        error: format!("event {}: {}", failure.index, failure.error.trim_start_matches("event fails: ")),
    };
    Ingested {
        ingested: outcome.ingested,
        failed: outcome.failed,
        failures: outcome.failures.into_iter().map(failure).collect(),
        processed_bytes,
        messages: ingested::messages(outcome.replaced),
    }
}
