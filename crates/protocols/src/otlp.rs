//! OTLP: logs, traces and metrics of OpenTelemetry, as protobuf or JSON, over HTTP or gRPC. A record, a span and a
//! point of a metric are an event each. JSON is turned into protobuf first, so that there is one layout of fields:
//! `logs`, `spans` and `metrics` have it, `attributes` and `known` say where attributes go.

mod answer;
mod any;
mod attributes;
mod exponential;
mod grpc;
mod json;
mod known;
mod logs;
mod metric_kind;
mod metrics;
mod origin;
mod points;
mod schema;
mod signal;
mod spans;

use tidegauge_ingest::Events;

use crate::answer::{JSON, PROTOBUF, Problem};
pub use answer::{GrpcFailure, accepted, accepted_message, grpc_failure, refused};
pub use grpc::{FRAME_BYTES, Frame, GRPC, framed, grpc_refused};
pub use signal::Signal;

/// The fields that hold what has no field of its own. A dataset that is made for OTLP declares them as map fields.
pub const MAP_FIELDS: [&str; 4] = ["attributes.custom", "resource.custom", "scope.custom", "body.custom"];

/// How large a request may be, also after decompression, unless the service allows less.
pub const BODY_BYTES_MAX: usize = 64 << 20;

/// How a request is written, and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Protobuf,
    Json,
}

impl Encoding {
    /// By the media type of the request. Its parameters do not matter.
    pub fn of(content_type: &str) -> Option<Self> {
        match content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "application/x-protobuf" | "application/protobuf" => Some(Self::Protobuf),
            "application/json" => Some(Self::Json),
            _ => None,
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Protobuf => PROTOBUF,
            Self::Json => JSON,
        }
    }
}

/// Reads the body of a request, which may be empty.
pub fn read(signal: Signal, encoding: Encoding, body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    let translated;
    let message = match encoding {
        Encoding::Protobuf => body,
        Encoding::Json => {
            translated = json::to_protobuf(schema::of(signal), body, events.limits().depth_max)?;
            &translated
        }
    };
    match signal {
        Signal::Logs => logs::read(message, events),
        Signal::Traces => spans::read(message, events),
        Signal::Metrics => metrics::read(message, events),
    }
}
