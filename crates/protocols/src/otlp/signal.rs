//! The signals of OTLP, of which a request holds one.

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Logs,
    Traces,
    Metrics,
}
