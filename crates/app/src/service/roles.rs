//! Roles: the built-in ones, which every organisation has, and those that it makes itself. Nobody makes, changes or
//! deletes a role that holds more than they do.

use tidegauge_catalog::roles::CustomRole;
use tidegauge_model::{Capabilities, ErrorKind, Role, RoleId, RoleRef, Rule, UserId, Violation};

use super::capabilities::{self, CapabilityInput};
use super::delegation::{check_may_grant, read_members};
use super::text::{DESCRIPTION_MAX, check_name, check_text};
use super::{Caller, Error, Result};
use crate::app::App;

/// What a caller sets of a role.
#[derive(Debug)]
pub struct RoleInput {
    pub name: String,
    pub description: String,
    pub members: Vec<String>,
    pub capabilities: CapabilityInput,
}

/// A role of either kind, as it is shown.
#[derive(Debug)]
pub struct ShownRole {
    pub id: String,
    pub name: String,
    pub description: String,
    pub members: Vec<UserId>,
    pub capabilities: Capabilities,
}

/// The built-in roles, the strongest first, then those of the organisation.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<ShownRole>> {
    let org = caller.org()?;
    let mut roles = built_in(app, caller).await?;
    roles.extend(app.catalog.list_roles(org).await?.into_iter().map(ShownRole::from));
    Ok(roles)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<ShownRole> {
    match RoleRef::parse(id).ok_or_else(not_found)? {
        RoleRef::BuiltIn(role) => {
            let roles = built_in(app, caller).await?;
            roles.into_iter().find(|shown| shown.id == role.id()).ok_or_else(not_found)
        }
        RoleRef::Custom(id) => {
            let role = app.catalog.find_role(caller.org()?, &id).await?;
            role.map(ShownRole::from).ok_or_else(not_found)
        }
    }
}

pub async fn create(app: &App, caller: &Caller, input: RoleInput) -> Result<ShownRole> {
    let org = caller.org_to_create_in()?;
    let checked = checked(caller, input)?;
    let role = CustomRole {
        id: RoleId::generate(caller.now, &*app.rng),
        name: checked.name,
        description: checked.description,
        capabilities: checked.capabilities,
        members: checked.members,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    };
    Ok(app.catalog.insert_role(org, &role, &caller.change()).await??.into())
}

/// Replaces a role. Who changes one must hold what it grants, before and after.
pub async fn replace(app: &App, caller: &Caller, id: &str, input: RoleInput) -> Result<ShownRole> {
    let id = custom_id(id)?;
    let checked = checked(caller, input)?;
    let edit = |role: &mut CustomRole| {
        check_may_grant(caller, &role.capabilities)?;
        role.name = checked.name;
        role.description = checked.description;
        role.capabilities = checked.capabilities;
        role.members = checked.members;
        Ok::<(), Error>(())
    };
    Ok(app.catalog.update_role(caller.org()?, &id, &caller.change(), edit).await??.into())
}

/// Deletes a role, and takes it from the people and groups that have it.
pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = custom_id(id)?;
    let check = |role: &CustomRole| check_may_grant(caller, &role.capabilities);
    app.catalog.delete_role(caller.org()?, &id, &caller.change(), check).await?
}

fn not_found() -> Error {
    Error::not_found("role")
}

/// The id of a role that can be changed.
fn custom_id(id: &str) -> Result<RoleId> {
    match RoleRef::parse(id).ok_or_else(not_found)? {
        RoleRef::Custom(id) => Ok(id),
        RoleRef::BuiltIn(role) => {
            let message = format!("the role {} is built in and cannot be changed or deleted", role.id());
            Err(Error::new(ErrorKind::Forbidden, message).hint("make a role of your own"))
        }
    }
}

struct Checked {
    name: String,
    description: String,
    members: Vec<UserId>,
    capabilities: Capabilities,
}

fn checked(caller: &Caller, input: RoleInput) -> Result<Checked> {
    check_name("name", &input.name)?;
    let is_built_in = |role: &&Role| {
        [role.id(), role.label()].iter().any(|known| known.eq_ignore_ascii_case(input.name.trim()))
    };
    if Role::ALL.iter().any(|role| is_built_in(&role)) {
        return Err(Violation::new("name", Rule::Unique, "must not be that of a built-in role").into());
    }
    check_text("description", &input.description, DESCRIPTION_MAX)?;
    let capabilities = capabilities::read(&input.capabilities)?;
    check_may_grant(caller, &capabilities)?;
    let members = read_members(&input.members)?;
    Ok(Checked { name: input.name, description: input.description, members, capabilities })
}

/// The built-in roles with the people who have them.
async fn built_in(app: &App, caller: &Caller) -> Result<Vec<ShownRole>> {
    let people = app.catalog.list_members(caller.org()?).await?;
    let shown = |&role: &Role| {
        let has_it = people.iter().filter(|member| member.role == role && member.main.is_none());
        ShownRole {
            id: role.id().to_owned(),
            name: role.label().to_owned(),
            description: description(role).to_owned(),
            members: has_it.map(|member| member.person.id.clone()).collect(),
            capabilities: (*app.roles.of(role)).clone(),
        }
    };
    Ok(Role::ALL.iter().map(shown).collect())
}

fn description(role: Role) -> &'static str {
    match role {
        Role::Owner => "Everything.",
        Role::Admin => "Everything but changing the billing, and giving or taking the role owner.",
        Role::User => "Works with data and what is built on it.",
        Role::ReadOnly => "Reads data and what is built on it.",
        Role::None => "Nothing.",
    }
}

impl From<CustomRole> for ShownRole {
    fn from(role: CustomRole) -> Self {
        Self {
            id: role.id.into_string(),
            name: role.name,
            description: role.description,
            members: role.members,
            capabilities: role.capabilities,
        }
    }
}
