//! The name of a dataset. It is chosen by people and never used in a path on disk; storage uses generated ids.

use std::fmt;

/// How long a name may be, in bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// The kind of a dataset that holds events; it is the kind of one whose maker says nothing.
pub const EVENTS_KIND: &str = "axiom:events:v1";

/// The dataset of each organisation that its audit trail is also in, as events. Nobody but the service makes one of this
/// name or puts events into it, and only who may read the audit trail may do anything with it.
pub const AUDIT_DATASET: &str = "tidegauge-audit";

/// The kind of that dataset, which tells it from one of the same name that somebody made before the name was taken.
pub const AUDIT_KIND: &str = "tidegauge:audit:v1";

/// Whether a name is that of the dataset of the audit trail, or of an earlier one that was put back beside it from its
/// segments.
pub fn is_audit_name(name: &str) -> bool {
    name.strip_prefix(AUDIT_DATASET).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Whether a name is such a one but for the case of its letters: whoever reads it would take it for that.
pub fn resembles_audit_name(name: &str) -> bool {
    is_audit_name(&name.to_ascii_lowercase())
}

/// The name of a dataset: letters, digits, `_`, `.` and `-`, beginning with a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatasetName(String);

impl DatasetName {
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let begins_well = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        (begins_well && bytes.len() <= NAME_BYTES_MAX && bytes.iter().all(is_allowed))
            .then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DatasetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audit_trail_has_names_of_its_own() {
        for audit in [AUDIT_DATASET, "tidegauge-audit-dataset_1"] {
            assert!(is_audit_name(audit) && resembles_audit_name(audit), "{audit}");
        }
        for alike in ["Tidegauge-Audit", "TIDEGAUGE-AUDIT", "tidegauge-Audit-2"] {
            assert!(!is_audit_name(alike) && resembles_audit_name(alike), "{alike}");
        }
        for other in ["tidegauge-audits", "tidegauge", "Tidegauge-audits", "my-tidegauge-audit", ""] {
            assert!(!is_audit_name(other) && !resembles_audit_name(other), "{other}");
        }
    }

    #[test]
    fn names_are_plain_words() {
        for good in ["a", "web-logs", "Web_logs.2", "0", &"x".repeat(128)] {
            assert!(DatasetName::parse(good).is_some(), "{good}");
        }
        for bad in ["", "-a", "_a", ".a", "a b", "a/b", "ä", "a\0", "../a", &"x".repeat(129)] {
            assert!(DatasetName::parse(bad).is_none(), "{bad}");
        }
    }
}
