//! Ids of what a run of a monitor writes and sends. They are made of what they stand for, so that a run that is repeated
//! after a crash writes and sends the same.

use tidegauge_alerting::{GroupKey, Notification, NotificationKind};
use tidegauge_auth::opaque;
use tidegauge_model::{AnnotationId, DeliveryId, MonitorId, NotifierId, Timestamp};

/// Of 64 hexadecimal digits of the digest, an id has this many.
const DIGITS: usize = 32;

/// The message that tells a notifier of a run.
pub(super) fn delivery(
    monitor: &MonitorId,
    at: Timestamp,
    notification: &Notification,
    notifier: &NotifierId,
) -> DeliveryId {
    let kind = match notification.kind {
        NotificationKind::Opened => "opened",
        NotificationKind::Repeated => "repeated",
        NotificationKind::Closed => "closed",
    };
    let parts =
        ["message", monitor.as_str(), &at.to_string(), &notification.incident, kind, notifier.as_str()];
    DeliveryId::from(format!("{}{}", DeliveryId::PREFIX, digest(&parts)))
}

/// What the trigger of a run marks on datasets.
pub(super) fn annotation(monitor: &MonitorId, at: Timestamp) -> AnnotationId {
    let parts = ["annotation", monitor.as_str(), &at.to_string()];
    AnnotationId::from(format!("{}{}", AnnotationId::PREFIX, digest(&parts)))
}

/// A line of the history.
pub(super) fn check(monitor: &MonitorId, at: Timestamp, group: &str) -> String {
    format!("check_{}", digest(&["check", monitor.as_str(), &at.to_string(), group]))
}

/// The same for who may not know the group: whoever guesses its values could try them against an id that is made of them.
/// `place` is that of the group in its run.
pub(super) fn check_of_hidden_group(monitor: &MonitorId, at: Timestamp, place: usize) -> String {
    let parts = ["hidden check", monitor.as_str(), &at.to_string(), &place.to_string()];
    format!("check_{}", digest(&parts))
}

/// The text of a group's key. Empty for what is not grouped.
pub(super) fn group_text(key: &GroupKey) -> String {
    if key.is_empty() {
        return String::new();
    }
    // Pairs of texts always have a JSON form.
    serde_json::to_string(key).unwrap_or_default()
}

/// Parts cannot run into each other: the length of each stands before it.
fn digest(parts: &[&str]) -> String {
    let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    let mut digest = opaque::digest_of(&text);
    digest.truncate(DIGITS);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_their_kind_and_differ_with_what_they_stand_for() {
        let (monitor, at) = (MonitorId::from("mon_1"), Timestamp::from_micros(5));
        let one = annotation(&monitor, at);
        assert_eq!(AnnotationId::parse(one.as_str()), Some(one.clone()));
        assert_eq!(one, annotation(&monitor, at));
        assert_ne!(one, annotation(&monitor, Timestamp::from_micros(6)));
        assert_ne!(check(&monitor, at, ""), check(&monitor, at, "a"));
    }
}
