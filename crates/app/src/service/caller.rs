//! Who calls a use case: the person or token, the organisation they act in, and what they are held to there.

use std::sync::Arc;

use tidegauge_auth::principal::Membership;
use tidegauge_auth::{Access, Refusal, TokenFacts, TokenKind};
use tidegauge_catalog::Change;
use tidegauge_catalog::bearer::{Bearer, OrgContext};
use tidegauge_catalog::endpoints::Endpoint;
use tidegauge_model::dataset::{AUDIT_DATASET, is_audit_name};
use tidegauge_model::licence::Limits;
use tidegauge_model::{
    Action, Capabilities, DatasetArea, ErrorKind, OrgArea, OrgId, PaymentStatus, Role, Timestamp, UserId,
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
    pub sent: Sent,
    /// Where the caller acts, if that is settled.
    pub org_context: Option<CallerOrg>,
    /// Every organisation that the caller belongs to.
    pub memberships: Vec<Membership>,
    pub capabilities: Arc<Capabilities>,
    /// The endpoint by whose address the request came, or whose listener it is.
    pub endpoint: Option<Arc<Endpoint>>,
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

/// What a request was let in with, as far as it ends before the rights of its person do.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// The digest of the secret of a browser's session.
    pub session: Option<String>,
    /// When an access token of OAuth 2.0 ends.
    pub ends: Option<Timestamp>,
}

/// The organisation that a caller acts in.
#[derive(Clone, Debug)]
pub struct CallerOrg {
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
        memberships: found
            .org_contexts
            .iter()
            .map(|org_context| {
                let OrgContext { org, role, granted, .. } = org_context;
                Membership { org: org.clone(), role: *role, granted: Arc::clone(granted) }
            })
            .collect(),
    }
}

impl Caller {
    /// The organisation that the request acts in.
    pub fn org(&self) -> Result<&OrgId> {
        Ok(&self.org_context()?.org)
    }

    pub fn org_context(&self) -> Result<&CallerOrg> {
        match &self.org_context {
            Some(org_context) => Ok(org_context),
            None if self.memberships.is_empty() => Err(Refusal::NoOrg.into()),
            None => Err(Refusal::OrgNotNamed.into()),
        }
    }

    /// Whether the caller is this person. A token has not the rights of who made it: it is nobody.
    pub fn is_user(&self, id: &str) -> bool {
        self.is_person && self.user.as_str() == id
    }

    /// The organisation, if new things may be made in it: not while its payment is blocked.
    pub fn org_to_create_in(&self) -> Result<&OrgId> {
        let org_context = self.org_context()?;
        if org_context.payment == PaymentStatus::Blocked {
            return Err(blocked());
        }
        Ok(&org_context.org)
    }

    pub fn check_dataset(&self, dataset: &str, area: DatasetArea, action: Action) -> Result<()> {
        if self.capabilities.allows_dataset(dataset, area, action) {
            return Ok(());
        }
        if is_audit_name(dataset) && area.is_about_content() {
            self.check_audit()?;
        }
        Err(Refusal::MissingCapability { area: area.name(), action }.into())
    }

    /// Checks that the caller may read the audit trail, wherever it stands.
    pub fn check_audit(&self) -> Result<()> {
        if self.capabilities.allows_audit() {
            return Ok(());
        }
        let refused = Refusal::MissingCapability { area: OrgArea::AuditLog.name(), action: Action::Read };
        let hint = format!("what is in {AUDIT_DATASET} is for who may read the audit trail");
        Err(Error::from(refused).hint(hint))
    }

    /// Checks what a route would have asked for, where one request can stand for several of them.
    pub fn check_access(&self, access: Access) -> Result<()> {
        if access.needs_org() {
            self.org_context()?;
        }
        let allowed = match access {
            Access::Public | Access::AnyToken => true,
            Access::Person => self.is_person,
            Access::Org(area, action) => self.capabilities.allows_org(area, action),
            Access::Dataset(area, action) => self.capabilities.allows_some_dataset(area, action),
        };
        match access.capability() {
            _ if allowed => Ok(()),
            Some((area, action)) => Err(Refusal::MissingCapability { area, action }.into()),
            None => Err(Refusal::NotAPerson.into()),
        }
    }

    /// The audit record of a change that this caller makes.
    pub fn change(&self) -> Change {
        Change {
            org: self.org_context.as_ref().map(|org_context| org_context.org.clone()),
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
