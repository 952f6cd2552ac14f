//! What OTLP answers. Exporters try again after 429, 502, 503 and 504 and drop their data after every other failure,
//! so whatever passes by itself is one of these, with a short time to wait.

use tidegauge_ingest::Outcome;
use tidegauge_model::ErrorKind;

use super::{Encoding, Signal};
use crate::answer::{Answer, Problem, RETRY_AFTER_SECONDS, status_of};
use crate::json_text::JsonText;
use crate::protobuf::Writer;

/// Longer texts are of no use in a log of a collector.
const MESSAGE_BYTES_MAX: usize = 1024;

/// The answer to a request whose events are stored, as far as they did not fail.
pub fn accepted(signal: Signal, encoding: Encoding, outcome: &Outcome) -> Answer {
    let body = match encoding {
        Encoding::Protobuf => accepted_message(outcome),
        Encoding::Json => accepted_json(signal, outcome),
    };
    Answer::new(200, encoding.content_type(), body)
}

/// The same as a message, which is the one of every signal: what was refused is counted in one field of all of them.
pub fn accepted_message(outcome: &Outcome) -> Vec<u8> {
    let mut writer = Writer::default();
    if outcome.failed > 0 {
        let mut partial = Writer::default();
        partial.varint(1, outcome.failed);
        partial.bytes(2, reason(outcome).as_bytes());
        writer.bytes(1, &partial.out);
    }
    writer.out
}

fn accepted_json(signal: Signal, outcome: &Outcome) -> Vec<u8> {
    let mut text = JsonText::default();
    text.open('{');
    if outcome.failed > 0 {
        text.name("partialSuccess");
        text.open('{');
        text.name(match signal {
            Signal::Logs => "rejectedLogRecords",
            Signal::Traces => "rejectedSpans",
            Signal::Metrics => "rejectedDataPoints",
        });
        // 64-bit integers are texts in this JSON.
        text.string(&outcome.failed.to_string());
        text.name("errorMessage");
        text.string(&reason(outcome));
        text.close('}');
    }
    text.close('}');
    text.into_bytes()
}

fn reason(outcome: &Outcome) -> String {
    match outcome.failures.first() {
        Some(failure) => cut(&format!("the first, number {}: {}", failure.index, failure.error)).to_owned(),
        None => "events were refused".to_owned(),
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MESSAGE_BYTES_MAX)]
}

/// The answer to a request of which nothing is stored.
pub fn refused(encoding: Encoding, problem: &Problem) -> Answer {
    let status = match problem.kind {
        // Whoever sends cannot mend it, and would drop what it has.
        ErrorKind::Corrupt | ErrorKind::Internal => 503,
        kind => status_of(kind),
    };
    let (code, message) = (grpc_code(problem.kind), cut(&problem.message));
    let body = match encoding {
        Encoding::Protobuf => status_message(code, message, None),
        Encoding::Json => {
            let mut text = JsonText::default();
            text.open('{');
            text.name("code");
            text.unsigned(u64::from(code));
            text.name("message");
            text.string(message);
            text.close('}');
            text.into_bytes()
        }
    };
    Answer::new(status, encoding.content_type(), body).with_retry_after()
}

/// A failed call of gRPC. It has no body: all of it is in the trailers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrpcFailure {
    pub code: u32,
    pub message: String,
    /// `google.rpc.Status`, for `grpc-status-details-bin`.
    pub details: Vec<u8>,
    /// `google.rpc.RetryInfo`, for `google.rpc.retryinfo-bin`, where the call may be repeated.
    pub retry_info: Option<Vec<u8>>,
}

pub fn grpc_failure(problem: &Problem) -> GrpcFailure {
    let code = grpc_code(problem.kind);
    let message = cut(&problem.message).to_owned();
    // Without it a call that met a limit is not repeated, and one that is too large must not be.
    let may_repeat = code == UNAVAILABLE || problem.kind == ErrorKind::Busy;
    let retry_info = may_repeat.then(retry_info);
    let details = status_message(code, &message, retry_info.as_deref());
    GrpcFailure { code, message, details, retry_info }
}

const INVALID_ARGUMENT: u32 = 3;
const NOT_FOUND: u32 = 5;
const PERMISSION_DENIED: u32 = 7;
const RESOURCE_EXHAUSTED: u32 = 8;
const FAILED_PRECONDITION: u32 = 9;
const UNAVAILABLE: u32 = 14;
const UNAUTHENTICATED: u32 = 16;

fn grpc_code(kind: ErrorKind) -> u32 {
    match kind {
        ErrorKind::Malformed | ErrorKind::Invalid | ErrorKind::UnsupportedMedia => INVALID_ARGUMENT,
        ErrorKind::Unauthenticated => UNAUTHENTICATED,
        ErrorKind::PaymentRequired
        | ErrorKind::Forbidden
        | ErrorKind::LimitReached
        | ErrorKind::QuotaUsedUp => PERMISSION_DENIED,
        ErrorKind::NotFound => NOT_FOUND,
        ErrorKind::Conflict => FAILED_PRECONDITION,
        ErrorKind::TooLarge | ErrorKind::Busy => RESOURCE_EXHAUSTED,
        ErrorKind::Unavailable
        | ErrorKind::StorageFull
        | ErrorKind::TimedOut
        | ErrorKind::OutOfMemory
        | ErrorKind::Corrupt
        | ErrorKind::Internal => UNAVAILABLE,
    }
}

fn retry_info() -> Vec<u8> {
    let (mut info, mut duration) = (Writer::default(), Writer::default());
    duration.varint(1, u64::from(RETRY_AFTER_SECONDS));
    info.bytes(1, &duration.out);
    info.out
}

fn status_message(code: u32, message: &str, retry_info: Option<&[u8]>) -> Vec<u8> {
    let mut status = Writer::default();
    status.varint(1, u64::from(code));
    status.bytes(2, message.as_bytes());
    if let Some(info) = retry_info {
        let mut any = Writer::default();
        any.bytes(1, b"type.googleapis.com/google.rpc.RetryInfo");
        any.bytes(2, info);
        status.bytes(3, &any.out);
    }
    status.out
}
