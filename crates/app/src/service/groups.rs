//! Groups of people, who hold the roles of their groups. Nobody makes, changes or deletes a group whose roles hold more
//! than they do.

use tidegauge_catalog::groups::Group;
use tidegauge_model::{GroupId, Role, RoleGrants, RoleRef, Rule, Violation};

use super::delegation::{check_may_grant_by_group, read_members};
use super::text::{DESCRIPTION_MAX, check_name, check_text};
use super::{Caller, Error, Result};
use crate::app::App;

/// Most roles of a group.
const ROLES_MAX: usize = 50;

/// What a caller sets of a group.
#[derive(Debug)]
pub struct GroupInput {
    pub name: String,
    pub description: String,
    pub members: Vec<String>,
    /// By id: custom roles, and built-in ones but `owner`.
    pub roles: Vec<String>,
}

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Group>> {
    Ok(app.catalog.list_groups(caller.org()?).await?)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<Group> {
    let id = GroupId::parse(id).ok_or_else(not_found)?;
    app.catalog.find_group(caller.org()?, &id).await?.ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: GroupInput) -> Result<Group> {
    let org = caller.org_to_create_in()?;
    let group = checked(caller, GroupId::generate(caller.now, &*app.rng), input)?;
    let check = |granted: &RoleGrants| check_may_grant_by_group(app, caller, granted);
    app.catalog.insert_group(org, &group, &caller.change(), check).await?
}

/// Replaces a group. Who changes one must hold what its roles grant, before and after.
pub async fn replace(app: &App, caller: &Caller, id: &str, input: GroupInput) -> Result<Group> {
    let id = GroupId::parse(id).ok_or_else(not_found)?;
    let group = checked(caller, id, input)?;
    let check = |granted: &RoleGrants| check_may_grant_by_group(app, caller, granted);
    app.catalog.replace_group(caller.org()?, &group, &caller.change(), check).await?
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = GroupId::parse(id).ok_or_else(not_found)?;
    let check = |granted: &RoleGrants| check_may_grant_by_group(app, caller, granted);
    app.catalog.delete_group(caller.org()?, &id, &caller.change(), check).await?
}

fn not_found() -> Error {
    Error::not_found("group")
}

fn checked(caller: &Caller, id: GroupId, input: GroupInput) -> Result<Group> {
    check_name("name", &input.name)?;
    check_text("description", &input.description, DESCRIPTION_MAX)?;
    Ok(Group {
        id,
        members: read_members(&input.members)?,
        roles: read_roles(&input.roles)?,
        name: input.name,
        description: input.description,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    })
}

/// The roles of a request. Being an owner is a matter of the person alone, so that an organisation always has one.
fn read_roles(ids: &[String]) -> std::result::Result<Vec<RoleRef>, Violation> {
    if ids.len() > ROLES_MAX {
        let problem = format!("should have at most {ROLES_MAX} items");
        return Err(Violation::new("roles", Rule::TooManyItems, problem));
    }
    let read = |(index, id): (usize, &String)| {
        let role = RoleRef::parse(id).filter(|role| *role != RoleRef::BuiltIn(Role::Owner));
        let problem = "must be the id of a custom role, or a built-in role but owner";
        role.ok_or_else(|| Violation::new(format!("roles.{index}"), Rule::OneOf, problem))
    };
    ids.iter().enumerate().map(read).collect()
}
