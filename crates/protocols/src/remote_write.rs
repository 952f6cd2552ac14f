//! Prometheus remote write, 1.0 and 2.0: series of samples and native histograms in a snappy block. One event for each
//! sample and each exemplar, with its labels. In 2.0 texts are said once and referred to.

mod histogram;
mod series;
mod stale;
mod written;

use tidegauge_ingest::{Events, Outcome};
use tidegauge_model::ErrorKind;

use crate::answer::{Answer, Problem, plain, status_of};
use crate::protobuf::Message;
use crate::snappy;
use series::{Labels, Samples};

pub use written::Written;

/// More texts in a request are an attempt on memory: each takes many times its bytes.
const SYMBOLS_MAX: usize = 1 << 20;

/// Which message a request holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    V1,
    V2,
}

impl Version {
    /// By the media type, whose parameter `proto` names the message; nothing for one that is answered with 415.
    pub fn of(content_type: &str) -> Option<Self> {
        let mut parts = content_type.split(';').map(str::trim);
        if !parts.next().unwrap_or_default().eq_ignore_ascii_case("application/x-protobuf") {
            return None;
        }
        let message = parts.find_map(|part| part.strip_prefix("proto="));
        match message.map(|message| message.trim_matches('"')) {
            None | Some("prometheus.WriteRequest") => Some(Self::V1),
            Some("io.prometheus.write.v2.Request") => Some(Self::V2),
            Some(_) => None,
        }
    }
}

/// Reads the body of a request. `bytes_max` is what its snappy block may become.
pub fn read(
    version: Version,
    body: &[u8],
    bytes_max: usize,
    events: &mut Events<'_>,
) -> Result<Written, Problem> {
    let message = snappy::expand(body, bytes_max)?;
    let mut samples = Samples::of(bytes_max);
    match version {
        Version::V1 => read_first(&message, &mut samples, events)?,
        Version::V2 => read_second(&message, &mut samples, events)?,
    }
    Ok(samples.written)
}

fn read_first(message: &[u8], samples: &mut Samples, events: &mut Events<'_>) -> Result<(), Problem> {
    for field in Message::new(message) {
        let (1, value) = field? else { continue };
        let series = value.bytes()?;
        let labels = Labels::of_messages(series)?;
        for field in Message::new(series) {
            match field? {
                (2, value) => samples.sample(value.bytes()?, &labels, events)?,
                (3, value) => {
                    let own = Labels::of_messages(value.bytes()?)?;
                    samples.exemplar(value.bytes()?, &labels, &own, events)?;
                }
                (4, value) => samples.histogram(value.bytes()?, &labels, events)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn read_second(message: &[u8], samples: &mut Samples, events: &mut Events<'_>) -> Result<(), Problem> {
    let symbols = read_symbols(message, events)?;
    for field in Message::new(message) {
        let (5, value) = field? else { continue };
        let series = value.bytes()?;
        let mut labels = Labels::of_references(series, &symbols, &mut samples.left)?;
        for field in Message::new(series) {
            match field? {
                (5, value) => labels.describe(value.bytes()?, &symbols)?,
                (6, value) => labels.start_ms = value.varint()? as i64,
                _ => {}
            }
        }
        for field in Message::new(series) {
            match field? {
                (2, value) => samples.sample(value.bytes()?, &labels, events)?,
                (3, value) => samples.histogram(value.bytes()?, &labels, events)?,
                (4, value) => {
                    let own = Labels::of_references(value.bytes()?, &symbols, &mut samples.left)?;
                    samples.exemplar(value.bytes()?, &labels, &own, events)?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The texts that are referred to. They are counted first, so that there is room for them before they are kept: one of two
/// bytes takes eight times that.
fn read_symbols<'a>(message: &'a [u8], events: &mut Events<'_>) -> Result<Vec<&'a [u8]>, Problem> {
    let mut count = 0;
    for field in Message::new(message) {
        count += usize::from(field?.0 == 4);
    }
    if count > SYMBOLS_MAX {
        return Err(Problem::too_large(format!(
            "the request has more than {SYMBOLS_MAX} symbols; send it in smaller parts"
        )));
    }
    events.hold(count * size_of::<&[u8]>())?;
    let mut symbols = Vec::with_capacity(count);
    for field in Message::new(message) {
        if let (4, value) = field? {
            symbols.push(value.bytes()?);
        }
    }
    Ok(symbols)
}

/// The answer to a request whose events are stored, as far as they did not fail: what failed makes it 400, which a
/// sender does not repeat, and the rest stays.
pub fn accepted(version: Version, written: Written, outcome: &Outcome) -> Answer {
    let answer = match outcome.failures.first() {
        Some(failure) => {
            let text = format!("{} samples were refused, the first: {}", outcome.failed, failure.error);
            plain(400, &text)
        }
        None => Answer::empty(204),
    };
    with_counts(version, written, answer)
}

/// The answer to a request of which nothing is stored. Prometheus drops what is answered by 429, unless its settings say
/// otherwise, and sends it again after 503.
pub fn refused(version: Version, problem: &Problem) -> Answer {
    let status = match problem.kind {
        ErrorKind::Busy => 503,
        kind => status_of(kind),
    };
    with_counts(version, Written::default(), plain(status, &problem.message))
}

/// Without these counts a sender of 2.0 takes the server for one that knows 1.0 alone.
fn with_counts(version: Version, written: Written, answer: Answer) -> Answer {
    match version {
        Version::V1 => answer,
        Version::V2 => answer
            .header("x-prometheus-remote-write-samples-written", written.samples.to_string())
            .header("x-prometheus-remote-write-histograms-written", written.histograms.to_string())
            .header("x-prometheus-remote-write-exemplars-written", written.exemplars.to_string()),
    }
}
