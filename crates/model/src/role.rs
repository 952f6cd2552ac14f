//! The built-in roles of people in an organisation, and what a person can hold beside one. What each built-in role may
//! do is decided in `auth`.

use crate::capability::Capabilities;
use crate::id::RoleId;

/// What a person is in an organisation, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Owner,
    Admin,
    User,
    ReadOnly,
    None,
}

impl Role {
    pub const ALL: &[Self] = &[Self::Owner, Self::Admin, Self::User, Self::ReadOnly, Self::None];

    /// The id of the role on the wire.
    pub fn id(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::User => "user",
            Self::ReadOnly => "read-only",
            Self::None => "none",
        }
    }

    /// The name shown to people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Admin => "Admin",
            Self::User => "User",
            Self::ReadOnly => "Read-only",
            Self::None => "None",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.id() == id)
    }

    pub fn ids() -> Vec<&'static str> {
        Self::ALL.iter().map(|role| role.id()).collect()
    }
}

/// A role by its id: one that every organisation has, or one that an organisation made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoleRef {
    BuiltIn(Role),
    Custom(RoleId),
}

impl RoleRef {
    pub fn id(&self) -> &str {
        match self {
            Self::BuiltIn(role) => role.id(),
            Self::Custom(id) => id.as_str(),
        }
    }

    pub fn parse(id: &str) -> Option<Self> {
        Role::from_id(id).map(Self::BuiltIn).or_else(|| RoleId::parse(id).map(Self::Custom))
    }
}

/// What a member of an organisation holds beside the built-in role of the membership.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleGrants {
    /// The custom role that stands in the place of a built-in one, where the member has such.
    pub main: Option<RoleId>,
    /// The built-in roles of their groups.
    pub roles: Vec<Role>,
    /// All that custom roles grant, their own and those of their groups.
    pub capabilities: Capabilities,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_named_by_its_id() {
        let custom = "role_01890a5dac96774bbcceb302099a8057";
        for id in Role::ids().into_iter().chain([custom]) {
            assert_eq!(RoleRef::parse(id).unwrap().id(), id);
        }
        for text in ["", "Owner", "captain", "role_", "group_01890a5dac96774bbcceb302099a8057"] {
            assert_eq!(RoleRef::parse(text), None, "{text}");
        }
    }
}
