//! What a notifier is to tell: the words of one message, the same for every channel. How a channel writes it and how
//! it gets there is left to the delivery code.

use crate::id::MonitorId;
use crate::monitor::AlertState;
use crate::string_enum::string_enum;
use crate::time::Timestamp;

string_enum! (
    /// How far a message is on its way to a notifier.
    DeliveryState {
        Waiting = "waiting",
        Sent = "sent",
        Dead = "dead",
        // Its notifier was pointed elsewhere before it was sent.
        Withdrawn = "withdrawn",
    }
);

/// A message about a monitor.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub state: AlertState,
    pub monitor: MonitorId,
    /// The same for the opening of an alert and for its end, and for no other alert, so that services that keep
    /// incidents can close the one they opened.
    pub incident: String,
    pub title: String,
    pub body: String,
    pub description: String,
    pub query_start: Timestamp,
    pub query_end: Timestamp,
    pub timestamp: Timestamp,
    /// The value that was judged; 0 where an alert ended for lack of data.
    pub value: f64,
    /// The event that matched, as JSON text.
    pub matched_event: Option<String>,
    /// The names and the values of the group, where groups have states of their own.
    pub group: Vec<(String, String)>,
    /// Whether somebody tries the notifier, and there is no alert.
    pub is_test: bool,
}
