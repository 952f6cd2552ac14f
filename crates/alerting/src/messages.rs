//! What is told, in words for people: the same for every channel. How a channel shows it is left to delivery.

use tidegauge_model::message::Message;
use tidegauge_model::monitor::{Definition, Operator};

use crate::outcome::{Notification, NotificationKind, Reason};
use crate::step::Run;

/// The message that tells of a run.
pub fn message(definition: &Definition, run: &Run, notification: &Notification) -> Message {
    Message {
        state: notification.kind.state(),
        monitor: run.monitor.clone(),
        incident: notification.incident.clone(),
        title: title(definition, notification.kind),
        body: body(definition, notification),
        description: definition.description.clone(),
        query_start: run.window.start,
        query_end: run.window.end,
        timestamp: run.at,
        value: notification.value,
        matched_event: notification.event.clone(),
        group: notification.group.clone(),
        is_test: false,
    }
}

pub fn title(definition: &Definition, kind: NotificationKind) -> String {
    let word = match kind {
        NotificationKind::Opened | NotificationKind::Repeated => "Triggered",
        NotificationKind::Closed => "Resolved",
    };
    format!("{} {word}", definition.name)
}

/// What happened, in a sentence.
pub fn body(definition: &Definition, notification: &Notification) -> String {
    let mut body = reason_text(definition, &notification.reason, Some(notification.value));
    if !notification.group.is_empty() {
        let pairs: Vec<String> =
            notification.group.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        body = format!("{body}, for {}", pairs.join(", "));
    }
    match notification.others {
        0 => body,
        1 => format!("{body} and 1 more group"),
        others => format!("{body} and {others} more groups"),
    }
}

/// Why a state is what it is.
pub fn reason_text(definition: &Definition, reason: &Reason, value: Option<f64>) -> String {
    let value = value.unwrap_or(0.0);
    let (side, limit) = (side(definition.operator), definition.threshold);
    match reason {
        Reason::Crossed => format!("Current value of {value} is {side} the threshold value of {limit}"),
        Reason::Within => format!("Current value of {value} is not {side} the threshold value of {limit}"),
        Reason::Unexpected { expected, allowed } => {
            format!(
                "Current value of {value} is more than {allowed} away from the expected value of {expected}"
            )
        }
        Reason::AsExpected { expected, allowed } => {
            format!("Current value of {value} is within {allowed} of the expected value of {expected}")
        }
        Reason::NothingExpected => {
            format!("Current value of {value} has too few values before it to tell what is expected")
        }
        Reason::NoData => "The query has found no values".to_owned(),
        Reason::DataGone => "There are no values any more".to_owned(),
        Reason::DataBack => "There are values again".to_owned(),
        Reason::ByHand => "Closed by hand".to_owned(),
        Reason::Changed => "The monitor watches something else now".to_owned(),
        Reason::Matched { suppressed: 0, count: 1 } => "An event matched".to_owned(),
        Reason::Matched { suppressed: 0, count } => format!("{count} events matched"),
        Reason::Matched { suppressed, count } => {
            format!("{count} events matched, of which {suppressed} are not told because there were too many")
        }
        Reason::MatchedLarge => "An event matched, which is too large to be part of a message".to_owned(),
        Reason::NoMatch => "No event matched".to_owned(),
        Reason::Failed(problem) => format!("The query failed: {problem}"),
    }
}

fn side(operator: Option<Operator>) -> &'static str {
    match operator.unwrap_or(Operator::Above) {
        Operator::Below => "below",
        Operator::BelowOrEqual => "below or equal to",
        Operator::Above => "above",
        Operator::AboveOrEqual => "above or equal to",
        Operator::AboveOrBelow => "above or below",
    }
}
