//! Identifiers. Each is a prefix that names its kind and a time-ordered UUID (version 7), so that ids sort by
//! creation and a stray id in a log says what it is.

use std::fmt;

use crate::rng::{self, Rng};
use crate::time::Timestamp;

pub(crate) fn time_ordered(now: Timestamp, rng: &dyn Rng) -> uuid::Uuid {
    let millis = u64::try_from(now.as_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &rng::bytes::<10>(rng)).into_uuid()
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &str = $prefix;

            pub fn generate(now: Timestamp, rng: &dyn Rng) -> Self {
                Self(format!(concat!($prefix, "{}"), time_ordered(now, rng).simple()))
            }

            /// Reads an id from a request; `None` for a text that was never handed out as one.
            pub fn parse(text: &str) -> Option<Self> {
                let rest = text.strip_prefix($prefix)?;
                let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                (rest.len() == 32 && rest.as_bytes().iter().all(is_digit)).then(|| Self(text.to_owned()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn into_string(self) -> String {
                self.0
            }
        }

        /// For ids that come from the catalogue.
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// An organisation.
    OrgId,
    "org_"
);
id!(
    /// A person.
    UserId,
    "user_"
);
id!(
    /// A custom role of an organisation.
    RoleId,
    "role_"
);
id!(
    /// A group of people in an organisation.
    GroupId,
    "group_"
);
id!(
    /// An API token or a personal token (its record, not its secret).
    TokenId,
    "token_"
);
id!(
    /// A notifier.
    NotifierId,
    "notify_"
);
id!(
    /// A monitor.
    MonitorId,
    "mon_"
);
id!(
    /// An annotation.
    AnnotationId,
    "ann_"
);
id!(
    /// A message on its way to a notifier. It stays the same however often the message is sent.
    DeliveryId,
    "msg_"
);
id!(
    /// A starred query.
    StarredQueryId,
    "star_"
);
id!(
    /// A virtual field.
    VirtualFieldId,
    "vfield_"
);
id!(
    /// A view.
    ViewId,
    "view_"
);
id!(
    /// A dashboard. Its uid can be given to another one after it is deleted; its id cannot.
    DashboardId,
    "dash_"
);
id!(
    /// A dataset. Its name can be given to another one after it is deleted; its id cannot.
    DatasetId,
    "dataset_"
);
id!(
    /// A segment: one file of events.
    SegmentId,
    "segment_"
);
id!(
    /// A client of the embedded authorisation server. Those that are built in have ids of another form.
    ClientId,
    "client_"
);
id!(
    /// What a person or a machine has granted to a client: the root of its codes and tokens.
    GrantId,
    "grant_"
);

id!(
    /// An endpoint: where some senders send to (its record, not the secret of its address).
    EndpointId,
    "endpoint_"
);

id!(
    /// A browser's session (its record, not its secret).
    SessionId,
    "session_"
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SeededRng;

    #[test]
    fn ids_carry_their_prefix_and_sort_by_time() {
        let rng = SeededRng::new(1);
        let earlier = NotifierId::generate(Timestamp::from_micros(1_000_000), &rng);
        let later = NotifierId::generate(Timestamp::from_micros(2_000_000), &rng);
        assert!(earlier.as_str().starts_with("notify_"));
        assert!(earlier < later);
        assert_eq!(NotifierId::parse(earlier.as_str()), Some(earlier));
    }

    #[test]
    fn what_was_never_handed_out_is_not_an_id() {
        let short = "notify_0";
        let other_kind = "star_01890a5dac96774bbcceb302099a8057";
        let upper = "notify_01890A5DAC96774BBCCEB302099A8057";
        for text in ["", "notify_", short, other_kind, upper, "notify_01890a5dac96774bbcceb302099a805\0"] {
            assert_eq!(NotifierId::parse(text), None, "{text}");
        }
    }
}
