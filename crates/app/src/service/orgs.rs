//! Organisations: those of the caller, one of them, a new one, a new name.

use tidegauge_model::{ErrorKind, Org, OrgId, Role};

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
    let orgs = if let ([only], true) = (caller.seats.as_slice(), caller.is_person) {
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

/// Makes an organisation with the caller as its owner. Only who owns or administers one already may, so that being
/// added somewhere is not a way around the limits of its licence.
pub async fn create(app: &App, caller: &Caller, name: String) -> Result<OrgWithRole> {
    if !caller.seats.iter().any(|seat| matches!(seat.role, Some(Role::Owner | Role::Admin))) {
        let message = "only an owner or admin of an organisation can make another one, with a personal token";
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    if caller.standing.is_some() {
        caller.org_to_create_in()?;
    }
    check_shown_name("name", &name)?;
    let person = app.catalog.find_person(&caller.user).await?.ok_or_else(|| Error::not_found("user"))?;
    let id = OrgId::generate(caller.now, &*app.chance);
    let org = Org::self_hosted(id, name, person.email, caller.now);
    let change = tidegauge_catalog::Change { org: Some(org.id.clone()), ..caller.change() };
    app.catalog.insert_org(&org, &caller.user, &change).await?;
    Ok(OrgWithRole { org, role: Some(Role::Owner) })
}

/// Gives an organisation another name, which only its owners and admins may.
pub async fn rename(app: &App, caller: &Caller, id: &str, name: String) -> Result<OrgWithRole> {
    let id = belongs_to(caller, id)?;
    let role = caller.seats.iter().find(|seat| seat.org == id).and_then(|seat| seat.role);
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
        .seats
        .iter()
        .find(|seat| seat.org.as_str() == id)
        .map(|seat| seat.org.clone())
        .ok_or_else(not_found)
}

fn with_role(caller: &Caller, org: Org) -> OrgWithRole {
    let seat = caller.seats.iter().find(|seat| seat.org == org.id);
    let role = seat.filter(|seat| seat.granted.main.is_none()).and_then(|seat| seat.role);
    OrgWithRole { org, role }
}
