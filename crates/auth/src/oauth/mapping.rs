//! From what a verified token says to who its sender is here: a person known by issuer and subject, or a machine, the
//! organisation, and the largest role that the token can act with. Which accounts exist is left to `catalog`.

use std::collections::BTreeMap;

use serde_json::Value;
use tidegauge_model::address::{fold_email, is_disguised};
use tidegauge_model::{OrgId, Role};

use super::scopes::Scopes;
use super::token::AccessToken;

/// The longest text that is taken out of a token.
const TEXT_MAX: usize = 256;

/// How the claims of an issuer are read; from the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Who the person is.
    pub user_claim: String,
    pub email_claim: String,
    pub name_claim: String,
    /// The organisation that every token of the issuer acts in.
    pub org: Option<OrgId>,
    /// Or the claim that names it.
    pub org_claim: Option<String>,
    /// The claim with the roles that a person has at the issuer; a path with points reaches into objects.
    pub role_claim: Option<String>,
    /// What those roles are here.
    pub roles: BTreeMap<String, Role>,
    /// The largest role that machines act with; without it they are refused.
    pub machine_role: Option<Role>,
}

/// Who a token acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSubject {
    Person(Identity),
    Machine(Machine),
}

/// A person as the issuer knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
    /// Only if the issuer says that the person has been seen to own it.
    pub verified_email: Option<String>,
    pub name: Option<String>,
    /// The organisation that the token is for, where the issuer's settings say so.
    pub org: Option<OrgId>,
    /// The largest role that the token can act with; none where roles are not mapped.
    pub bound: Option<Role>,
}

/// A client that acts for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub issuer: String,
    pub client: String,
    pub org: OrgId,
    /// The largest role that it can act with.
    pub bound: Role,
}

/// Why a genuine token acts for nobody here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmapped {
    #[error("access tokens that act for no person are not allowed for this issuer")]
    MachinesNotAllowed,
    #[error("the access token names no organisation, and none is set for its issuer")]
    NoOrg,
    #[error("the access token has no usable subject")]
    NoSubject,
}

impl Rules {
    /// Who the token acts for.
    pub fn subject(&self, token: &AccessToken) -> Result<TokenSubject, Unmapped> {
        let org = self.org_of(token);
        if self.is_machine(token) {
            let bound = self.machine_role.ok_or(Unmapped::MachinesNotAllowed)?;
            let client = token.client.clone().unwrap_or_else(|| token.subject.clone());
            let org = org.ok_or(Unmapped::NoOrg)?;
            let client = short(client).ok_or(Unmapped::NoSubject)?;
            return Ok(TokenSubject::Machine(Machine { issuer: token.issuer.clone(), client, org, bound }));
        }
        let subject = token.text(&self.user_claim).and_then(short).ok_or(Unmapped::NoSubject)?;
        Ok(TokenSubject::Person(Identity {
            issuer: token.issuer.clone(),
            subject,
            verified_email: self.verified_email(token),
            name: token.text(&self.name_claim).and_then(short),
            org,
            bound: self.role_claim.as_ref().map(|claim| self.largest_role(token, claim)),
        }))
    }

    /// What the scopes of a token allow. Servers whose roles are mapped often know no scopes of ours; then the role alone
    /// is the bound.
    pub fn scopes(&self, token: &AccessToken) -> Scopes {
        let has_none = !token.scopes.all && token.scopes.capabilities == Default::default();
        if has_none && self.role_claim.is_some() { Scopes::everything() } else { token.scopes.clone() }
    }

    /// A client that got a token for itself is its own subject (RFC 9068, 2.2).
    fn is_machine(&self, token: &AccessToken) -> bool {
        token.client.as_deref() == Some(token.subject.as_str())
    }

    fn org_of(&self, token: &AccessToken) -> Option<OrgId> {
        let named = || self.org_claim.as_ref().and_then(|claim| token.text(claim)).and_then(short);
        self.org.clone().or_else(|| named().map(OrgId::from))
    }

    /// Servers say in a claim of its own whether an address is verified; one that says nothing has not verified it.
    fn verified_email(&self, token: &AccessToken) -> Option<String> {
        let is_verified = match token.claims.get(&format!("{}_verified", self.email_claim)) {
            Some(Value::Bool(verified)) => *verified,
            Some(Value::String(text)) => text == "true",
            _ => false,
        };
        let email = token.text(&self.email_claim).filter(|_| is_verified).and_then(short);
        // As accounts have theirs. One that can be taken for another is nobody's.
        email.filter(|email| !is_disguised(email)).map(|email| fold_email(&email))
    }

    fn largest_role(&self, token: &AccessToken, claim: &str) -> Role {
        let found = token.claims.get(claim).or_else(|| {
            let mut steps = claim.split('.');
            let first = token.claims.get(steps.next()?)?;
            steps.try_fold(first, |value, step| value.as_object()?.get(step))
        });
        let roles: Vec<&str> = match found {
            Some(Value::String(text)) => text.split(' ').collect(),
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        // The strongest comes first in their order.
        roles.iter().filter_map(|role| self.roles.get(*role)).min().copied().unwrap_or(Role::None)
    }
}

fn short(text: String) -> Option<String> {
    (text.len() <= TEXT_MAX && !text.chars().any(char::is_control)).then_some(text)
}
