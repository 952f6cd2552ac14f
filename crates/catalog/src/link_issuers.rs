//! Who made an invitation, as it is stored beside it. Whether they could make it again is decided by who reads it.

use tidegauge_model::{Capabilities, Role, UserId};

use crate::Result;
use crate::tokens::{capabilities_text, read_capabilities};
use crate::users::read_role;

/// Stands in the place of a person's id. No id has this form.
const OPERATOR: &str = "operator";

/// Who made a link. An invitation is good for as long as they could make it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Issuer {
    /// Nobody knows: it was made before that was written down.
    Unknown,
    /// The operator, who speaks for every organisation.
    Operator,
    Caller(IssuingCaller),
}

/// Who made an invitation through the interface, with what they could do then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuingCaller {
    /// The person, or for an API token the person who made it.
    pub user: UserId,
    /// The id of the token or grant that it was made with. A session has none, nor has the access token of another
    /// issuer.
    pub token: Option<String>,
    /// The person's role; API tokens have none.
    pub role: Option<Role>,
    pub capabilities: Capabilities,
}

/// The columns that hold an issuer.
#[derive(sqlx::FromRow)]
pub(crate) struct IssuerRow {
    pub(crate) issuer: String,
    pub(crate) issuer_token: Option<String>,
    pub(crate) issuer_role: Option<String>,
    pub(crate) issuer_capabilities: String,
}

impl IssuerRow {
    pub(crate) fn of(issuer: &Issuer) -> Self {
        let nobody = |name: &str| Self {
            issuer: name.to_owned(),
            issuer_token: None,
            issuer_role: None,
            issuer_capabilities: capabilities_text(&Capabilities::default()),
        };
        match issuer {
            Issuer::Unknown => nobody(""),
            Issuer::Operator => nobody(OPERATOR),
            Issuer::Caller(caller) => Self {
                issuer: caller.user.as_str().to_owned(),
                issuer_token: caller.token.clone(),
                issuer_role: caller.role.map(|role| role.id().to_owned()),
                issuer_capabilities: capabilities_text(&caller.capabilities),
            },
        }
    }

    pub(crate) fn read(self) -> Result<Issuer> {
        match self.issuer.as_str() {
            "" => Ok(Issuer::Unknown),
            OPERATOR => Ok(Issuer::Operator),
            user => Ok(Issuer::Caller(IssuingCaller {
                user: user.into(),
                token: self.issuer_token,
                role: self.issuer_role.as_deref().map(read_role).transpose()?,
                capabilities: read_capabilities(&self.issuer_capabilities)?,
            })),
        }
    }
}
