//! Requests as senders write them, by hand from what is known of their protocols, and requests that nobody would send:
//! from bytes to events, and to the answer.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod cloudevents;
mod elastic;
mod firehose;
mod forward;
mod full;
mod gelf;
mod hec;
mod hostile;
mod journald;
mod json_senders;
mod logplex;
mod loki;
mod msgpack;
mod otlp_answers;
mod otlp_json;
mod otlp_logs;
mod otlp_metrics;
mod otlp_spans;
mod remote_write;
mod support;
mod syslog;
