//! Who a request acts for. A token that was found is checked (expiry, organisation) and becomes a principal, or is
//! refused with a reason that names every way to fail.

use std::sync::Arc;

use tidegauge_model::{Action, Capabilities, ErrorKind, OrgId, Role, RoleGrants, Timestamp, TokenId, UserId};

use crate::access::Access;
use crate::oauth::Scopes;
use crate::roles::RoleTable;
use crate::secret::TokenKind;

/// What is known about a token that was found by its digest.
#[derive(Clone, Debug)]
pub struct TokenFacts {
    pub id: TokenId,
    pub kind: TokenKind,
    pub expires_at: Option<Timestamp>,
    /// The person, or for an API token the person who made it.
    pub user: UserId,
    /// Held by the token itself; a personal token takes those of the person's role.
    pub capabilities: Capabilities,
    /// The organisations it can act in: exactly one for an API token, any number for a person.
    pub memberships: Vec<Membership>,
}

/// A place in an organisation that its person has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    pub org: OrgId,
    /// The person's role there; API tokens have none.
    pub role: Option<Role>,
    /// What the person holds there beside that role, known of the organisation that a request acts in.
    pub granted: Arc<RoleGrants>,
}

/// Who a request acts for, and what they may do.
#[derive(Clone, Debug)]
pub struct Principal {
    pub token: TokenId,
    pub kind: TokenKind,
    pub user: UserId,
    pub memberships: Vec<Membership>,
    /// Where it acts; absent for a person of several organisations who named none.
    pub membership: Option<Membership>,
    pub capabilities: Arc<Capabilities>,
    /// The scopes that an access token of OAuth 2.0 is limited to; tokens of our own have none.
    pub scopes: Option<Scopes>,
}

/// Why a request is not let through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no access token: send the header Authorization: Bearer <token>")]
    NoToken,
    #[error(
        "the Authorization header does not hold a token of this service (xaat-… or xapt-… after \"Bearer \")"
    )]
    MalformedToken,
    #[error("the access token is not known here: it was deleted or belongs to another installation")]
    UnknownToken,
    #[error(
        "the address of the endpoint is not known here: it was deleted or belongs to another installation"
    )]
    UnknownEndpoint,
    #[error("the access token has expired: make a new one")]
    ExpiredToken,
    #[error("token does not have access to resource: {area} with action: {}", action.name())]
    MissingCapability { area: &'static str, action: Action },
    #[error("this needs a personal token (xapt-…), because it is about a person")]
    NotAPerson,
    #[error("this changes what belongs to the person: it needs an access token with the scope *")]
    NeedsEverything,
    #[error("not a member of organisation {0}")]
    NotAMember(OrgId),
    #[error(
        "name the organisation with the header X-Axiom-Org-Id: the owner of this token belongs to several"
    )]
    OrgNotNamed,
    #[error("the owner of this token belongs to no organisation")]
    NoOrg,
}

impl Refusal {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoToken
            | Self::MalformedToken
            | Self::UnknownToken
            | Self::UnknownEndpoint
            | Self::ExpiredToken => ErrorKind::Unauthenticated,
            Self::MissingCapability { .. }
            | Self::NotAPerson
            | Self::NeedsEverything
            | Self::NotAMember(_)
            | Self::NoOrg => ErrorKind::Forbidden,
            Self::OrgNotNamed => ErrorKind::Malformed,
        }
    }
}

impl Principal {
    /// Admits a token that was found: checks its expiry and settles in which organisation it acts.
    pub fn admit(
        facts: TokenFacts,
        named_org: Option<&OrgId>,
        roles: &RoleTable,
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        if facts.expires_at.is_some_and(|expiry| expiry <= now) {
            return Err(Refusal::ExpiredToken);
        }
        let membership = match named_org {
            Some(named) => match facts.memberships.iter().find(|membership| membership.org == *named) {
                Some(membership) => Some(membership.clone()),
                None => return Err(Refusal::NotAMember(named.clone())),
            },
            None => only_seat(&facts.memberships).cloned(),
        };
        let capabilities = match (facts.kind, &membership) {
            (TokenKind::Api, _) => Arc::new(facts.capabilities),
            (TokenKind::Personal, Some(Membership { role: Some(role), granted, .. })) => {
                roles.rights(*role, granted)
            }
            (TokenKind::Personal, _) => Arc::default(),
        };
        Ok(Self {
            token: facts.id,
            kind: facts.kind,
            user: facts.user,
            memberships: facts.memberships,
            membership,
            capabilities,
            scopes: None,
        })
    }

    /// Limits what a person or a client can do to the scopes of the token that they sent, and to the largest role that
    /// its issuer says they have.
    #[must_use]
    pub fn limited(mut self, scopes: Scopes, bound: Option<Role>, roles: &RoleTable) -> Self {
        let mut capabilities = scopes.within(&self.capabilities);
        if let Some(bound) = bound {
            capabilities = capabilities.intersection(&roles.of(bound));
            for membership in self.memberships.iter_mut().chain(&mut self.membership) {
                // The weaker comes later in their order.
                membership.role = membership.role.map(|role| role.max(bound));
            }
        }
        self.capabilities = Arc::new(capabilities);
        self.scopes = Some(scopes);
        self
    }

    /// Checks what a change asks that belongs to the person and not to an organisation: no capability says it, so a token
    /// with some scopes does not give it.
    pub fn check_change_of_person(&self) -> Result<(), Refusal> {
        match &self.scopes {
            Some(scopes) if !scopes.all => Err(Refusal::NeedsEverything),
            _ => Ok(()),
        }
    }

    /// Checks what a route declared.
    pub fn check(&self, access: Access) -> Result<(), Refusal> {
        if access.needs_org() && self.membership.is_none() {
            return Err(if self.memberships.is_empty() { Refusal::NoOrg } else { Refusal::OrgNotNamed });
        }
        let allowed = match access {
            Access::Public | Access::AnyToken => true,
            Access::Person if self.kind == TokenKind::Personal => true,
            Access::Person => return Err(Refusal::NotAPerson),
            Access::Org(area, action) => self.capabilities.allows_org(area, action),
            Access::Dataset(area, action) => self.capabilities.allows_some_dataset(area, action),
        };
        match access.capability() {
            Some((area, action)) if !allowed => Err(Refusal::MissingCapability { area, action }),
            _ => Ok(()),
        }
    }

    /// The person's role where the request acts.
    pub fn role(&self) -> Option<Role> {
        self.membership.as_ref().and_then(|membership| membership.role)
    }
}

/// The seat that is meant when none is named: the only one.
fn only_seat(memberships: &[Membership]) -> Option<&Membership> {
    match memberships {
        [membership] => Some(membership),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tidegauge_model::{DatasetArea, OrgArea};

    use super::*;

    const NOW: i64 = 1_000;

    fn membership(org: &str, role: Option<Role>) -> Membership {
        Membership { org: org.into(), role, granted: Arc::default() }
    }

    fn facts(kind: TokenKind, memberships: &[(&str, Option<Role>)]) -> TokenFacts {
        TokenFacts {
            id: "token_1".into(),
            kind,
            expires_at: None,
            user: "user_1".into(),
            capabilities: Capabilities::default(),
            memberships: memberships.iter().map(|&(org, role)| membership(org, role)).collect(),
        }
    }

    fn admit(facts: TokenFacts, named: Option<&str>) -> Result<Principal, Refusal> {
        let named = named.map(OrgId::from);
        Principal::admit(facts, named.as_ref(), &RoleTable::default(), Timestamp::from_micros(NOW))
    }

    #[test]
    fn a_token_is_valid_until_the_moment_of_its_expiry() {
        let mut expiring = facts(TokenKind::Personal, &[("org_a", Some(Role::Owner))]);
        expiring.expires_at = Some(Timestamp::from_micros(NOW + 1));
        assert!(admit(expiring.clone(), None).is_ok());
        expiring.expires_at = Some(Timestamp::from_micros(NOW));
        assert_eq!(admit(expiring, None).unwrap_err(), Refusal::ExpiredToken);
    }

    #[test]
    fn a_person_of_several_organisations_must_name_one_where_it_matters() {
        let two = facts(TokenKind::Personal, &[("org_a", Some(Role::Owner)), ("org_b", Some(Role::None))]);
        let read = Access::Org(OrgArea::Notifiers, Action::Read);

        let unnamed = admit(two.clone(), None).unwrap();
        assert_eq!(unnamed.check(read).unwrap_err(), Refusal::OrgNotNamed);
        assert!(unnamed.check(Access::Person).is_ok());

        assert!(admit(two.clone(), Some("org_a")).unwrap().check(read).is_ok());
        let powerless = admit(two.clone(), Some("org_b")).unwrap();
        assert!(matches!(powerless.check(read), Err(Refusal::MissingCapability { .. })));
        assert_eq!(admit(two, Some("org_c")).unwrap_err(), Refusal::NotAMember("org_c".into()));
    }

    #[test]
    fn what_a_person_was_granted_counts_in_that_organisation_alone() {
        let mut two = facts(TokenKind::Personal, &[("org_a", Some(Role::None)), ("org_b", Some(Role::None))]);
        let roles = vec![Role::ReadOnly];
        two.memberships[0].granted = Arc::new(RoleGrants { roles, ..RoleGrants::default() });
        let read = Access::Org(OrgArea::Notifiers, Action::Read);
        assert!(admit(two.clone(), Some("org_a")).unwrap().check(read).is_ok());
        assert!(admit(two, Some("org_b")).unwrap().check(read).is_err());
    }

    #[test]
    fn the_only_seat_is_meant_and_without_one_nothing_is_allowed() {
        let one = facts(TokenKind::Personal, &[("org_a", Some(Role::User))]);
        assert_eq!(admit(one, None).unwrap().role(), Some(Role::User));
        let none = facts(TokenKind::Personal, &[]);
        let read = Access::Org(OrgArea::Notifiers, Action::Read);
        assert_eq!(admit(none, None).unwrap().check(read).unwrap_err(), Refusal::NoOrg);
    }

    #[test]
    fn an_access_token_gives_no_more_than_its_scopes_and_its_person_have() {
        let roles = RoleTable::default();
        let person = || admit(facts(TokenKind::Personal, &[("org_a", Some(Role::Admin))]), None).unwrap();
        let read = Access::Org(OrgArea::Notifiers, Action::Read);
        let update = Access::Org(OrgArea::Notifiers, Action::Update);
        let billing = Access::Org(OrgArea::Billing, Action::Update);

        let narrow = person().limited(Scopes::parse("notifiers|read billing|update"), None, &roles);
        assert!(narrow.check(read).is_ok() && narrow.check(Access::Person).is_ok());
        assert!(narrow.check(update).is_err() && narrow.check(billing).is_err());
        assert_eq!(narrow.check_change_of_person(), Err(Refusal::NeedsEverything));

        let wide = person().limited(Scopes::everything(), None, &roles);
        assert!(wide.check(update).is_ok() && wide.check(billing).is_err());
        assert!(wide.check_change_of_person().is_ok() && person().check_change_of_person().is_ok());

        let bound = person().limited(Scopes::everything(), Some(Role::ReadOnly), &roles);
        assert!(bound.check(read).is_ok() && bound.check(update).is_err());
        assert_eq!((bound.role(), bound.memberships[0].role), (Some(Role::ReadOnly), Some(Role::ReadOnly)));
        let raised = person().limited(Scopes::everything(), Some(Role::Owner), &roles);
        assert!(raised.check(billing).is_err());
        assert_eq!(raised.role(), Some(Role::Admin));
    }

    #[test]
    fn an_api_token_holds_its_own_capabilities_only() {
        let token = admit(facts(TokenKind::Api, &[("org_a", None)]), None).unwrap();
        assert!(token.check(Access::AnyToken).is_ok());
        assert_eq!(token.check(Access::Person).unwrap_err(), Refusal::NotAPerson);
        for access in [
            Access::Org(OrgArea::Users, Action::Read),
            Access::Dataset(DatasetArea::StarredQueries, Action::Read),
        ] {
            assert!(matches!(token.check(access), Err(Refusal::MissingCapability { .. })));
        }
    }
}
