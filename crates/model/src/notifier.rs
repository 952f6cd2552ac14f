//! Notifier channels: one table of every kind, the spellings of its keys, its fields and their rules. Checking a
//! request walks this table, and so does the API document; sending messages is left to the delivery code.

use crate::error::{Rule, Violation};
use crate::time::Timestamp;

/// A URL longer than this is not one that a person pasted.
const URL_LENGTH_MAX: usize = 2_048;

/// The longest address that SMTP can carry.
const EMAIL_LENGTH_MAX: usize = 254;

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

use FieldKind::{Emails, Flag, Headers, Text, Url};

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
    Channel { keys: &["webhook"], fields: &[required(&["url"], Url)], any_case: false },
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

    /// Whether `name` spells the field.
    pub fn spells(&self, field: &Field, name: &str) -> bool {
        field.names.iter().any(
            |known| {
                if self.any_case { known.eq_ignore_ascii_case(name) } else { *known == name }
            },
        )
    }
}

/// Checks that a text is an absolute http or https URL with a host.
pub fn check_url(field: &str, text: &str) -> Result<(), Violation> {
    if text.len() > URL_LENGTH_MAX {
        let problem = format!("should be at most {URL_LENGTH_MAX} chars long");
        return Err(Violation::new(field, Rule::TooLong, problem));
    }
    // The parser passes over white space and line breaks, which whoever reads the URL later may not.
    let is_clean = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_web = |url: url::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    let usable = is_clean && url::Url::parse(text).is_ok_and(is_web);
    if !usable {
        let problem = "must be an http or https URL such as https://example.com/hook";
        return Err(Violation::new(field, Rule::Pattern, problem));
    }
    Ok(())
}

/// Checks that a text has the form of an e-mail address. Whether it exists, only a message can tell.
pub fn check_email(field: &str, text: &str) -> Result<(), Violation> {
    let usable = text.len() <= EMAIL_LENGTH_MAX
        && text.rsplit_once('@').is_some_and(|(local, domain)| is_local_part(local) && is_domain(domain));
    if !usable {
        let problem = "must be an e-mail address such as ops@example.com";
        return Err(Violation::new(field, Rule::Pattern, problem));
    }
    Ok(())
}

fn is_local_part(local: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    !local.is_empty()
        && local.len() <= 64
        && local.chars().all(allowed)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !domain.is_empty() && domain.split('.').all(is_label)
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
    fn urls() {
        for good in ["https://example.com", "http://10.0.0.1:9000/x?y=z", "https://bücher.example/a"] {
            assert!(check_url("url", good).is_ok(), "{good}");
        }
        let long = format!("https://example.com/{}", "x".repeat(3_000));
        for bad in [
            "",
            "example.com",
            "ftp://example.com",
            "https://",
            "javascript:alert(1)",
            "ht\ntps://a.b",
            " https://a.b",
            &long,
        ] {
            assert!(check_url("url", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn emails() {
        for good in ["a@b", "first.last+tag@example.co.uk", "jürgen@bücher.example"] {
            assert!(check_email("emails.0", good).is_ok(), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "a b@c.d", "a@b..c", ".a@b.c", "a@-b.c", "a\n@b.c"] {
            assert!(check_email("emails.0", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_channel_ignores_the_case_of_its_fields() {
        let custom = Channel::by_key("customWebhook").unwrap();
        assert!(custom.spells(&custom.fields[0], "URL"));
        let slack = Channel::by_key("slack").unwrap();
        assert!(!slack.spells(&slack.fields[0], "SLACKURL"));
    }
}
