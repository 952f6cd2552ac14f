//! Who calls a use case: the person or token, the organisation they act in, and what they are held to there.

use std::sync::Arc;

use tidegauge_auth::principal::Seat;
use tidegauge_auth::{Refusal, TokenFacts, TokenKind};
use tidegauge_catalog::Change;
use tidegauge_catalog::bearer::{Bearer, Standing};
use tidegauge_model::licence::Limits;
use tidegauge_model::{
    Action, Capabilities, DatasetArea, ErrorKind, OrgId, PaymentStatus, Role, Timestamp, UserId,
};

use super::{Error, Result};

/// Who calls, as part of which request.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: UserId,
    /// For the audit trail: the person, and the token if it is not a personal one.
    pub actor: String,
    pub is_person: bool,
    /// The id of the token or grant that the request was let in with, if what was sent has a record of its own.
    pub token: Option<String>,
    pub token_end: TokenEnd,
    /// Where the caller acts, if that is settled.
    pub standing: Option<CallerStanding>,
    /// Every organisation that the caller belongs to.
    pub seats: Vec<Seat>,
    pub capabilities: Arc<Capabilities>,
    pub request_id: String,
    pub now: Timestamp,
}

/// How the token of a request ends, as far as that binds what is made with it: an API token and the access token of a
/// machine cannot make what lasts longer. Those of a person do not bind, because their person can get another any time;
/// they have no end here.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenEnd {
    pub at: Option<Timestamp>,
    /// Whether it ends with the membership of who made it.
    pub with_membership: bool,
}

/// The organisation that a caller acts in.
#[derive(Clone, Debug)]
pub struct CallerStanding {
    pub org: OrgId,
    pub role: Option<Role>,
    pub payment: PaymentStatus,
    pub limits: Limits,
}

/// What a token that was found is admitted by.
pub fn token_facts(found: &Bearer) -> TokenFacts {
    TokenFacts {
        id: found.id.clone(),
        kind: if found.is_api_token { TokenKind::Api } else { TokenKind::Personal },
        expires_at: found.expires_at,
        user: found.user.clone(),
        capabilities: found.capabilities.clone(),
        seats: found
            .standings
            .iter()
            .map(|standing| {
                let Standing { org, role, granted, .. } = standing;
                Seat { org: org.clone(), role: *role, granted: Arc::clone(granted) }
            })
            .collect(),
    }
}

impl Caller {
    /// The organisation that the request acts in.
    pub fn org(&self) -> Result<&OrgId> {
        Ok(&self.standing()?.org)
    }

    pub fn standing(&self) -> Result<&CallerStanding> {
        match &self.standing {
            Some(standing) => Ok(standing),
            None if self.seats.is_empty() => Err(Refusal::NoOrg.into()),
            None => Err(Refusal::OrgNotNamed.into()),
        }
    }

    /// The organisation, if new things may be made in it: not while its payment is blocked.
    pub fn org_to_create_in(&self) -> Result<&OrgId> {
        let standing = self.standing()?;
        if standing.payment == PaymentStatus::Blocked {
            return Err(blocked());
        }
        Ok(&standing.org)
    }

    pub fn check_dataset(&self, dataset: &str, area: DatasetArea, action: Action) -> Result<()> {
        if self.capabilities.allows_dataset(dataset, area, action) {
            return Ok(());
        }
        Err(Refusal::MissingCapability { area: area.name(), action }.into())
    }

    /// The audit record of a change that this caller makes.
    pub fn change(&self) -> Change {
        Change {
            org: self.standing.as_ref().map(|standing| standing.org.clone()),
            actor: self.actor.clone(),
            at: self.now,
            request_id: self.request_id.clone(),
        }
    }
}

/// The refusal to make something new while the payment of an organisation is blocked.
pub(super) fn blocked() -> Error {
    let message = "the organisation is blocked for a failed payment: nothing new can be created";
    Error::new(ErrorKind::PaymentRequired, message)
        .hint("settle the payment; reading, changing and deleting still work")
}
