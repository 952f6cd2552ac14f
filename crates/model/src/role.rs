//! The built-in roles of people in an organisation. What each role may do is decided in `auth`.

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

    /// Whether this role may give `other` to somebody, or take it away.
    pub fn may_assign(self, other: Self) -> bool {
        match self {
            Self::Owner => true,
            Self::Admin => other != Self::Owner,
            Self::User | Self::ReadOnly | Self::None => false,
        }
    }
}
