//! What a membership is changed to, and why it could not be.

use tidegauge_model::{Capabilities, ErrorKind, Role, RoleId};

use crate::tokens::capabilities_in_short;

/// The role that a member is to have.
#[derive(Clone, Debug)]
pub enum MainRole {
    BuiltIn(Role),
    /// A custom role with the capabilities that the caller was checked against.
    Custom(RoleId, Capabilities),
}

impl MainRole {
    pub(super) fn built_in(&self) -> Role {
        match self {
            Self::BuiltIn(role) => *role,
            Self::Custom(..) => Role::None,
        }
    }

    /// What the audit trail says of it.
    pub(super) fn detail(&self) -> String {
        match self {
            Self::BuiltIn(role) => format!("role {}", role.id()),
            Self::Custom(id, capabilities) => format!("role {id}: {}", capabilities_in_short(capabilities)),
        }
    }
}

impl From<Role> for MainRole {
    fn from(role: Role) -> Self {
        Self::BuiltIn(role)
    }
}

/// Why a membership could not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MembershipRefusal {
    /// The organisation has as many people as its licence allows.
    Full { max: i64 },
    /// The person is a member already.
    Member,
    /// It would leave the organisation without an owner.
    LastOwner,
    /// There is no such member with that role any more.
    NotFound,
    /// The rights of the member or of the role are not those that the caller was checked against.
    Changed,
}

impl From<&MembershipRefusal> for ErrorKind {
    fn from(refusal: &MembershipRefusal) -> Self {
        match refusal {
            MembershipRefusal::Full { .. } => Self::LimitReached,
            MembershipRefusal::Member | MembershipRefusal::LastOwner | MembershipRefusal::Changed => {
                Self::Conflict
            }
            MembershipRefusal::NotFound => Self::NotFound,
        }
    }
}
