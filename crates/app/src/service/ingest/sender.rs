//! Events of senders that speak a protocol of their own. Their body is read whole, a protocol turns it into events, and
//! from there on these go the way of all others: the same rights, limits, keys and acknowledgement after the sync.

use std::sync::Arc;

use futures_util::Stream;
use tidegauge_admission::config::IngestLimits;
use tidegauge_ingest::{Encoding, Events, Format, Labels, Options, Outcome};
use tidegauge_model::capability::ANY;
use tidegauge_model::{Action, DatasetArea, ErrorKind};
use tidegauge_protocols::Problem;
use tidegauge_store::DatasetState;
use tokio::time::Instant;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

use super::endpoint;
use super::gate::Target;
use super::memory::{Memory, Patience, busy};
use super::{IngestAnswer, IngestInput, ReadBody, Request, answer, body, check_key, claim, labels_of, quota};
use crate::app::App;
use crate::service::datasets::{self, Making};
use crate::service::{Caller, Error, Result};

/// What a request says beside its events.
#[derive(Clone, Debug, Default)]
pub struct Sending {
    pub dataset: String,
    /// The field that holds the time of an event, if the protocol has none of its own or the sender names another.
    pub timestamp_field: Option<String>,
    /// JSON text of an object whose pairs are added to every event.
    pub labels: Option<String>,
    /// What a dataset is like that is made for the events.
    pub making: Making,
}

/// What tells that a request is a repetition of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Chosen by the caller: the same key with another body is a mistake.
    Chosen(String),
    /// The protocol's own, which stays the same when its sender repeats a request, though its bytes may not.
    Own(String),
}

impl Key {
    /// The key of a request that a protocol tells from all others by these words.
    pub fn own(protocol: &str, words: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for word in words {
            // Lengths keep apart what would look alike in one row.
            bytes.extend_from_slice(&(word.len() as u64).to_le_bytes());
            bytes.extend_from_slice(word.as_bytes());
        }
        Self::Own(format!("{protocol}:{:032x}", xxh3_128(&bytes)))
    }
}

/// A body that was read whole.
#[derive(Debug)]
pub struct Whole<'a> {
    pub bytes: Vec<u8>,
    pub held: Held<'a>,
}

/// The memory of a request until its events are stored.
pub struct Held<'a> {
    memory: Memory<'a>,
    /// What the body takes of it.
    body_bytes: u64,
}

impl std::fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("body_bytes", &self.body_bytes).finish_non_exhaustive()
    }
}

impl<'a> Held<'a> {
    /// The memory of a request that keeps at most so much of its body at once, and whose sender waits.
    pub(super) fn of(app: &'a App, body_bytes: u64) -> Self {
        Self { memory: Memory::of(&app.ingest.memory, Patience::Patient), body_bytes }
    }

    /// Takes so much more for what is kept beside the body.
    pub fn add(&mut self, bytes: u64) -> Result<()> {
        self.body_bytes += bytes;
        if self.memory.try_take(self.body_bytes) { Ok(()) } else { Err(busy()) }
    }
}

/// What became of the events of a request, or of those for one dataset.
#[derive(Debug)]
pub struct Stored<T> {
    /// What the protocol keeps of the request for its answer.
    pub read: T,
    pub outcome: Outcome,
    pub answer: IngestAnswer,
}

/// Why nothing of a request is stored.
#[derive(Debug)]
pub enum Refused {
    /// The protocol cannot read it.
    Protocol(Problem),
    Service(Error),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Protocol(problem)
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

/// The one dataset that the caller may send to, if it is one: a token for a single dataset need not name it again.
pub fn only_dataset(caller: &Caller) -> Option<&str> {
    let held = &caller.capabilities;
    let may_send = |name: &&String| held.allows_dataset(name, DatasetArea::Ingest, Action::Create);
    let mut names = held.dataset.keys().filter(may_send);
    match (names.next(), names.next()) {
        (Some(only), None) if only != ANY => Some(only.as_str()),
        _ => None,
    }
}

/// Reads a body to its end, decompressed and within the limits and the memory that all bodies share. The patience is also
/// that for storing its events.
pub async fn gather<'a, S, E>(
    app: &'a App,
    encoding: Encoding,
    bytes_max: u64,
    patience: Patience,
    body: S,
) -> Result<Whole<'a>>
where
    S: Stream<Item = std::result::Result<bytes::Bytes, E>> + Send + Unpin,
    E: std::fmt::Display,
{
    let own = &app.ingest.limits;
    let limits =
        IngestLimits { max_uncompressed_bytes: own.max_uncompressed_bytes.min(bytes_max), ..own.clone() };
    let mut source = body::Source::new(&app.ingest, &limits, encoding, 0, patience, body)?;
    let mut bytes = Vec::new();
    let mut append = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok(bytes.capacity())
    };
    source.read(None, &mut append).await?;
    let body_bytes = bytes.capacity() as u64;
    Ok(Whole { held: Held { memory: source.into_memory(), body_bytes }, bytes })
}

/// A sender that may send to a dataset.
pub struct Admitted<'a> {
    request: Request<'a>,
    found: Option<Arc<DatasetState>>,
}

impl std::fmt::Debug for Admitted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admitted").field("dataset", &self.request.input.dataset).finish_non_exhaustive()
    }
}

/// Checks whether the caller may send to a dataset, and whether the organisation has room.
pub async fn admit<'a>(app: &'a App, caller: &'a Caller, mut sending: Sending) -> Result<Admitted<'a>> {
    endpoint::settle(caller, &mut sending.dataset, &mut sending.labels)?;
    caller.check_dataset(&sending.dataset, DatasetArea::Ingest, Action::Create)?;
    caller.org_to_create_in()?;
    let labels: Option<Labels> = labels_of(sending.labels.as_deref())?;
    let quota_remaining = quota::check(app, caller).await?;
    let found = datasets::find_to_fill(app, caller, &sending.dataset).await?;
    let options = Options { timestamp_field: sending.timestamp_field.clone(), labels, ..Options::default() };
    let input = IngestInput {
        dataset: sending.dataset,
        format: Format::Json,
        encoding: Encoding::Identity,
        timestamp_field: sending.timestamp_field,
        timestamp_format: None,
        csv_delimiter: None,
        csv_fields: None,
        labels: sending.labels,
        idempotency_key: None,
    };
    let request = Request { app, caller, input, options, quota_remaining, making: sending.making };
    Ok(Admitted { request, found })
}

impl Admitted<'_> {
    /// Reads the events and stores them. `bytes` is what they count for, `key` what tells whether they came before.
    pub async fn store<T>(
        self,
        held: &mut Held<'_>,
        bytes: &[u8],
        read: impl FnOnce(&mut Events<'_>) -> std::result::Result<T, Problem> + Send,
        key: impl FnOnce(&T) -> Option<Key> + Send,
    ) -> std::result::Result<Stored<T>, Refused> {
        self.store_counted(held, Counted::Whole(bytes), read, key).await
    }

    /// The same for a part of a request that has no key and counts for so many bytes.
    pub async fn store_part<T>(
        self,
        held: &mut Held<'_>,
        bytes: u64,
        read: impl FnOnce(&mut Events<'_>) -> std::result::Result<T, Problem> + Send,
    ) -> std::result::Result<Stored<T>, Refused> {
        self.store_counted(held, Counted::Part(bytes), read, |_| None).await
    }

    /// The same with a key of the protocol's own.
    pub(super) async fn store_keyed<T>(
        self,
        held: &mut Held<'_>,
        bytes: u64,
        key: Option<Key>,
        read: impl FnOnce(&mut Events<'_>) -> std::result::Result<T, Problem> + Send,
    ) -> std::result::Result<Stored<T>, Refused> {
        self.store_counted(held, Counted::Part(bytes), read, |_| key).await
    }

    async fn store_counted<T>(
        mut self,
        held: &mut Held<'_>,
        counted: Counted<'_>,
        read: impl FnOnce(&mut Events<'_>) -> std::result::Result<T, Problem> + Send,
        key: impl FnOnce(&T) -> Option<Key> + Send,
    ) -> std::result::Result<Stored<T>, Refused> {
        let (app, caller, found) = (self.request.app, self.request.caller, self.found.take());
        let request = &mut self.request;
        let dataset = request.input.dataset.clone();
        let fields_max = u64::try_from(caller.org_context()?.limits.max_fields).unwrap_or(0);
        let target = Target { store: &app.store, org: caller.org()?, name: &dataset };
        let gate = app.ingest.new_fields.gate(target, fields_max);
        let mut lent = app.ingest.reader(found.as_ref());
        request.options.map_fields = match &found {
            Some(dataset) => dataset.map_fields(),
            None => Arc::new(request.making.map_fields.iter().map(|name| (*name).to_owned()).collect()),
        };
        lent.reader.begin(std::mem::take(&mut request.options), caller.now.as_nanos());
        let (memory, body_bytes) = (&mut held.memory, held.body_bytes);
        let mut needed = body_bytes;
        let mut room = |bytes: usize| {
            needed = body_bytes + bytes as u64;
            memory.try_take_within(needed, body_bytes)
        };
        let taken = tidegauge_protocols::take(&mut lent.reader, &gate, &mut room, read);
        let (read, outcome) = taken.map_err(|problem| match problem.kind {
            ErrorKind::Unavailable if needed > app.ingest.limits.memory_bytes as u64 => never_fits().into(),
            ErrorKind::Unavailable => busy().into(),
            _ => Refused::Protocol(problem),
        })?;
        let label_bytes = request.input.labels.as_ref().map_or(0, String::len) as u64;
        let ingested = answer(outcome.clone(), counted.bytes() + label_bytes, caller.now);
        let with_time_field = request.input.timestamp_field.as_ref().map(|_| outcome.with_time_field);
        let fingerprint = request.take_key(key(&read), &counted)?;
        let body = ReadBody { lent, ingested, with_time_field, fingerprint };
        let claimed = match &found {
            Some(dataset) => claim(app, caller, dataset, request.input.idempotency_key.as_deref()).await?,
            None => None,
        };
        let begun = Instant::now();
        let answer = request.keep(found, claimed, body, held.memory.wait_left()).await?;
        held.memory.note_wait(begun.elapsed());
        drop(gate);
        Ok(Stored { read, outcome, answer })
    }
}

/// The refusal of what would find no room however often it is sent.
pub(super) fn never_fits() -> Error {
    let message =
        "the events of this request take more memory than all requests may; send it in smaller parts";
    Error::new(ErrorKind::TooLarge, message).hint("the setting ingest_memory_bytes is the limit")
}

/// Who sends, as far as deliveries are told apart by it: an endpoint, a token, or a person.
fn sender_of(caller: &Caller) -> &str {
    match (&caller.endpoint, &caller.token) {
        (Some(endpoint), _) => endpoint.id.as_str(),
        (None, Some(token)) => token.as_str(),
        (None, None) => caller.user.as_str(),
    }
}

/// What a request, or a part of it, counts for.
enum Counted<'a> {
    Whole(&'a [u8]),
    Part(u64),
}

impl Counted<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Part(bytes) => *bytes,
        }
    }
}

impl Request<'_> {
    /// Notes the key of the request, and returns the fingerprint that a repetition must have.
    fn take_key(&mut self, key: Option<Key>, counted: &Counted<'_>) -> Result<u64> {
        let (key, fingerprint) = match (key, counted) {
            (None, _) => return Ok(0),
            (Some(Key::Chosen(key)), Counted::Whole(bytes)) => {
                (key, xxh3_64_with_seed(bytes, super::fingerprint_seed(&self.input)))
            }
            (Some(Key::Chosen(key)), _) => (key, 0),
            (Some(Key::Own(key)), _) => {
                // What a delivery is called is its sender's own affair: another one's of the same name is another
                // delivery. No caller can choose a key with a space in it.
                self.input.idempotency_key = Some(format!("{key} {}", sender_of(self.caller)));
                return Ok(0);
            }
        };
        check_key(&key)?;
        self.input.idempotency_key = Some(key);
        Ok(fingerprint)
    }
}
