//! What senders of other services speak. Each protocol has a file or folder here, which turns the bytes of a request
//! into events by the rules of `tidegauge_ingest`, and says what is answered in the protocol's own words: a status, a
//! media type and bytes. No I/O, no clock, no threads: who may send, where events go and listening are left to others.

mod answer;
pub mod cloudevents;
pub mod datadog;
pub mod elastic;
pub mod firehose;
pub mod forward;
pub mod gelf;
mod gzip;
pub mod hec;
pub mod honeycomb;
pub mod journald;
mod json_text;
pub mod logplex;
pub mod loki;
pub mod msgpack;
mod names;
pub mod otlp;
mod protobuf;
pub mod remote_write;
mod rest;
mod series_name;
mod slot;
pub mod snappy;
pub mod syslog;
mod syslog_words;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;

use tidegauge_ingest::{Events, FieldGate, Outcome, Reader, Room};

pub use answer::{Answer, Problem, RETRY_AFTER_SECONDS, TokenFault};

/// Reads a request into a reader that has begun: all of it, or nothing where the protocol refuses it. `room` is asked
/// as the events grow.
pub fn take<T>(
    reader: &mut Reader,
    gate: &dyn FieldGate,
    room: Room<'_>,
    read: impl FnOnce(&mut Events<'_>) -> Result<T, Problem>,
) -> Result<(T, Outcome), Problem> {
    let mut events = reader.events(gate).within(room);
    match read(&mut events) {
        Ok(read) => Ok((read, events.finish())),
        Err(problem) => {
            events.discard();
            Err(problem)
        }
    }
}
