//! Organisations: those of the caller, one of them, a new one, a new name.

use tidegauge_admission::config::OrganisationCreation;
use tidegauge_auth::principal::Membership;
use tidegauge_model::licence::Limits;
use tidegauge_model::{ErrorKind, Org, OrgId, PaymentStatus, Role};

use super::caller::blocked;
use super::text::check_shown_name;
use super::{Caller, Error, Result};
use crate::app::App;

/// An organisation and what the caller is in it.
#[derive(Debug)]
pub struct OrgWithRole {
    pub org: Org,
    /// `None` for an API token, whose rights are its own, and for a person with a custom role.
    pub role: Option<Role>,
}

/// The organisations that the caller belongs to.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<OrgWithRole>> {
    let orgs = if let ([only], true) = (caller.memberships.as_slice(), caller.is_person) {
        // The only one, or the one that an access token is limited to.
        app.catalog.find_org(&only.org).await?.into_iter().collect()
    } else if caller.is_person {
        app.catalog.list_orgs_of(&caller.user).await?
    } else {
        app.catalog.find_org(caller.org()?).await?.into_iter().collect()
    };
    Ok(orgs.into_iter().map(|org| with_role(caller, org)).collect())
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<OrgWithRole> {
    let id = belongs_to(caller, id)?;
    let org = app.catalog.find_org(&id).await?.ok_or_else(not_found)?;
    Ok(with_role(caller, org))
}

/// Makes an organisation with the caller as its owner. What lets the caller do that is an organisation that they own or
/// administer, and the new one has no limit above the highest of those: neither being added somewhere nor making
/// another one is a way around the limits of a licence.
pub async fn create(app: &App, caller: &Caller, name: String) -> Result<OrgWithRole> {
    let sponsors = sponsors(app, caller).await?;
    if caller.org_context.is_some() {
        caller.org_to_create_in()?;
    }
    check_shown_name("name", &name)?;
    let person = app.catalog.find_person(&caller.user).await?.ok_or_else(|| Error::not_found("user"))?;
    let id = OrgId::generate(caller.now, &*app.rng);
    let mut org = Org::self_hosted(id, name, person.email, caller.now);
    let limits: Vec<Limits> = sponsors.into_iter().map(|sponsor| sponsor.licence.limits).collect();
    org.licence.limits.lower_to(&limits);
    let change = tidegauge_catalog::Change { org: Some(org.id.clone()), ..caller.change() };
    app.catalog.insert_org(&org, &caller.user, &change).await?;
    Ok(OrgWithRole { org, role: Some(Role::Owner) })
}

/// The organisations by which the caller may make another one: those that they own or administer, by the setting the
/// first one alone, and none that is blocked.
async fn sponsors(app: &App, caller: &Caller) -> Result<Vec<Org>> {
    let may = |membership: &&Membership| matches!(membership.role, Some(Role::Owner | Role::Admin));
    let mut ids: Vec<&OrgId> =
        caller.memberships.iter().filter(may).map(|membership| &membership.org).collect();
    let message = match app.organisation_creation {
        OrganisationCreation::Any => {
            "only an owner or admin of an organisation can make another one, with a personal token"
        }
        OrganisationCreation::First => {
            let first = app.catalog.first_org().await?;
            ids.retain(|id| Some(*id) == first.as_ref());
            "only an owner or admin of the first organisation of this service can make another one, with a personal \
             token"
        }
    };
    let mut orgs = Vec::new();
    if !ids.is_empty() {
        orgs = app.catalog.list_orgs_of(&caller.user).await?;
        orgs.retain(|org| ids.contains(&&org.id));
    }
    if orgs.is_empty() {
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    orgs.retain(|org| org.payment.status_at(caller.now) != PaymentStatus::Blocked);
    if orgs.is_empty() { Err(blocked()) } else { Ok(orgs) }
}

/// Gives an organisation another name, which only its owners and admins may.
pub async fn rename(app: &App, caller: &Caller, id: &str, name: String) -> Result<OrgWithRole> {
    let id = belongs_to(caller, id)?;
    let role = caller
        .memberships
        .iter()
        .find(|membership| membership.org == id)
        .and_then(|membership| membership.role);
    if !matches!(role, Some(Role::Owner | Role::Admin)) {
        let message = "only an owner or admin can rename an organisation, with a personal token";
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    check_shown_name("name", &name)?;
    let change = tidegauge_catalog::Change { org: Some(id.clone()), ..caller.change() };
    let edit = |org: &mut Org| {
        org.name = name;
        Ok::<(), Error>(())
    };
    let org = app.catalog.update_org(&id, "org.update", &change, edit).await?.ok_or_else(not_found)??;
    Ok(with_role(caller, org))
}

fn not_found() -> Error {
    Error::not_found("organisation")
}

/// The id, if the caller belongs there; what belongs to others is not found.
fn belongs_to(caller: &Caller, id: &str) -> Result<OrgId> {
    caller
        .memberships
        .iter()
        .find(|membership| membership.org.as_str() == id)
        .map(|membership| membership.org.clone())
        .ok_or_else(not_found)
}

fn with_role(caller: &Caller, org: Org) -> OrgWithRole {
    let membership = caller.memberships.iter().find(|membership| membership.org == org.id);
    let role = membership
        .filter(|membership| membership.granted.main.is_none())
        .and_then(|membership| membership.role);
    OrgWithRole { org, role }
}
