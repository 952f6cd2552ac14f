//! Notifier channels: one table of every kind, the spellings of its keys, its fields and their rules. Checking a
//! request walks this table, and so does the API document; sending messages is left to the delivery code.

use crate::time::Timestamp;

/// What may stand in a field of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Any text.
    Text,
    /// An absolute http or https URL.
    Url,
    /// A list of e-mail addresses.
    Emails,
    /// True or false.
    Flag,
    /// Header names with their values.
    Headers,
    /// One of some words.
    Word(&'static [&'static str]),
}

/// One field of a channel.
#[derive(Debug)]
pub struct Field {
    /// The canonical name, then other spellings that clients use.
    pub names: &'static [&'static str],
    pub kind: FieldKind,
    pub required: bool,
}

const fn required(names: &'static [&'static str], kind: FieldKind) -> Field {
    Field { names, kind, required: true }
}

const fn optional(names: &'static [&'static str], kind: FieldKind) -> Field {
    Field { names, kind, required: false }
}

/// One kind of channel.
#[derive(Debug)]
pub struct Channel {
    /// The canonical key in `properties`, then the product name that clients send for the same channel.
    pub keys: &'static [&'static str],
    pub fields: &'static [Field],
    /// Whether the case of the field names is ignored: one client sends them capitalised.
    pub any_case: bool,
}

use FieldKind::{Emails, Flag, Headers, Text, Url, Word};

/// How the body of a webhook is written: ours, that of Alertmanager's webhooks, or what Alertmanager's own interface takes.
pub const WEBHOOK_FORMATS: &[&str] = &["default", "alertmanager", "alertmanagerApi"];

/// Every channel that a notifier can use.
pub const CHANNELS: &[Channel] = &[
    Channel {
        keys: &["chatA", "discord"],
        fields: &[
            required(&["chatAChannel", "discordChannel"], Text),
            required(&["chatAToken", "discordToken"], Text),
        ],
        any_case: false,
    },
    Channel {
        keys: &["chatAWebhook", "discordWebhook"],
        fields: &[required(&["chatAWebhookUrl", "discordWebhookUrl"], Url)],
        any_case: false,
    },
    Channel { keys: &["email"], fields: &[required(&["emails"], Emails)], any_case: false },
    Channel {
        keys: &["chatC", "microsoftTeams"],
        fields: &[required(&["chatCUrl", "microsoftTeamsUrl"], Url)],
        any_case: false,
    },
    Channel {
        keys: &["incidentA", "opsgenie"],
        fields: &[required(&["apiKey"], Text), optional(&["isEU"], Flag)],
        any_case: false,
    },
    Channel {
        keys: &["incidentB", "pagerduty"],
        fields: &[required(&["routingKey"], Text), optional(&["token"], Text)],
        any_case: false,
    },
    Channel {
        keys: &["chatB", "slack"],
        fields: &[required(&["chatBUrl", "slackUrl"], Url)],
        any_case: false,
    },
    Channel {
        keys: &["webhook"],
        fields: &[required(&["url"], Url), optional(&["format"], Word(WEBHOOK_FORMATS))],
        any_case: false,
    },
    Channel {
        keys: &["customWebhook"],
        fields: &[
            required(&["url"], Url),
            required(&["body"], Text),
            optional(&["headers"], Headers),
            optional(&["secretHeaders"], Headers),
        ],
        any_case: true,
    },
];

impl Channel {
    pub fn by_key(key: &str) -> Option<&'static Self> {
        CHANNELS.iter().find(|channel| channel.keys.contains(&key))
    }

    pub fn canonical_key(&self) -> &'static str {
        self.keys[0]
    }

    /// How a field is spelled under a key: by the product's own word where the key is the product's.
    pub fn spelling(&self, key: &str, field: &Field) -> &'static str {
        field.names[if key == self.canonical_key() { 0 } else { field.names.len() - 1 }]
    }

    /// Whether `name` spells the field.
    pub fn spells(&self, field: &Field, name: &str) -> bool {
        field.names.iter().any(
            |known| {
                if self.any_case { known.eq_ignore_ascii_case(name) } else { *known == name }
            },
        )
    }
}

/// Until when a notifier is disabled: the text as it came in, so that an answer repeats it, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledUntil {
    pub text: String,
    pub time: Timestamp,
}

impl DisabledUntil {
    /// Keeps only a time in the future; a past time and the zero time of some clients mean "enabled".
    pub fn if_later(self, now: Timestamp) -> Option<Self> {
        (self.time > now).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_over_all_channels() {
        let mut keys: Vec<&str> = CHANNELS.iter().flat_map(|channel| channel.keys).copied().collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn one_channel_ignores_the_case_of_its_fields() {
        let custom = Channel::by_key("customWebhook").unwrap();
        assert!(custom.spells(&custom.fields[0], "URL"));
        let slack = Channel::by_key("slack").unwrap();
        assert!(!slack.spells(&slack.fields[0], "SLACKURL"));
    }
}
