//! What a route asks of its caller. Every route declares one of these; the check runs before the handler, and the
//! API document shows the same value.

use tidegauge_model::{Action, DatasetArea, OrgArea};

/// The right that a route needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: health, metrics, documents.
    Public,
    /// Any valid token. The answer is limited to what the caller belongs to.
    AnyToken,
    /// A personal token: the route is about the person, who need not name an organisation.
    Person,
    /// A capability of the organisation.
    Org(OrgArea, Action),
    /// A capability on some dataset; the use case checks on which.
    Dataset(DatasetArea, Action),
}

impl Access {
    /// Whether the caller must be acting in one organisation.
    pub fn needs_org(self) -> bool {
        matches!(self, Self::Org(..) | Self::Dataset(..))
    }

    /// The area and action, where there is one.
    pub fn capability(self) -> Option<(&'static str, Action)> {
        match self {
            Self::Org(area, action) => Some((area.name(), action)),
            Self::Dataset(area, action) => Some((area.name(), action)),
            Self::Public | Self::AnyToken | Self::Person => None,
        }
    }

    /// The scope string of the API document, such as `notifiers|read`.
    pub fn scope(self) -> Option<String> {
        self.capability().map(|(area, action)| format!("{area}|{}", action.name()))
    }
}
