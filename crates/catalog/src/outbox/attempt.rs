//! One attempt to send a message. Keeping it is left to `attempts`.

use std::time::Duration;

use tidegauge_model::Timestamp;

/// One attempt to send a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub at: Timestamp,
    pub latency: Duration,
    /// What the receiver answered, where it speaks HTTP and came to answer.
    pub status: Option<u16>,
    /// Why it failed, without secrets.
    pub error: Option<String>,
}
