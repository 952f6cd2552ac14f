//! People: the caller's own record, and the members of an organisation.

use std::collections::BTreeMap;

use tidegauge_catalog::people::{Member, MembershipRefusal, Person};
use tidegauge_model::address::check_email;
use tidegauge_model::{Capabilities, ErrorKind, OrgId, Role, UserId, Violation};

use super::text::check_name;
use super::{Caller, Error, Result};
use crate::app::App;

/// A new member of an organisation.
#[derive(Debug)]
pub struct UserInput {
    pub name: String,
    pub email: String,
    pub role: String,
}

/// The caller's own record. The role is that in the organisation the request acts in, or in the first one.
pub async fn current(app: &App, caller: &Caller) -> Result<Member> {
    let person = app.catalog.find_person(&caller.user).await?.ok_or_else(not_found)?;
    let here = caller.standing.as_ref().and_then(|standing| standing.role);
    let first = caller.seats.first().and_then(|seat| seat.role);
    let role = here.or(first).unwrap_or(Role::None);
    Ok(Member { person, role })
}

pub async fn rename_current(app: &App, caller: &Caller, name: &str) -> Result<Member> {
    check_name("name", name)?;
    if !app.catalog.rename_person(&caller.user, name, &caller.change()).await? {
        return Err(not_found());
    }
    current(app, caller).await
}

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Member>> {
    Ok(app.catalog.list_members(caller.org()?).await?)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<Member> {
    let id = UserId::parse(id).ok_or_else(not_found)?;
    app.catalog.find_member(caller.org()?, &id).await?.ok_or_else(not_found)
}

/// Adds a member, up to the number that the licence allows.
pub async fn create(app: &App, caller: &Caller, input: UserInput) -> Result<Member> {
    let org = caller.org_to_create_in()?;
    check_name("name", &input.name)?;
    check_email("email", &input.email)?;
    let role = read_role(&input.role)?;
    check_may_assign(app, caller, role)?;
    let person = Person {
        id: UserId::generate(caller.now, &*app.chance),
        email: input.email.to_lowercase(),
        name: input.name,
        created: caller.now,
    };
    let max_users = caller.standing()?.limits.max_users;
    app.catalog.add_member(org, &person, role, max_users, &caller.change()).await?.map_err(refused)
}

pub async fn set_role(app: &App, caller: &Caller, id: &str, role: &str) -> Result<Member> {
    let org = caller.org()?;
    let role = read_role(role)?;
    let member = check_may_change(app, caller, org, id).await?;
    check_may_assign(app, caller, role)?;
    let id = member.person.id;
    app.catalog.set_role(org, &id, member.role, role, &caller.change()).await?.map_err(refused)?;
    get(app, caller, id.as_str()).await
}

/// Gives a member another name. A person who has acted in other organisations too decides on it alone.
pub async fn rename(app: &App, caller: &Caller, id: &str, name: &str) -> Result<Member> {
    let org = caller.org()?;
    let id = check_may_change(app, caller, org, id).await?.person.id;
    check_name("name", name)?;
    if app.catalog.count_memberships_elsewhere(org, &id).await? > 0 {
        let message = "the user belongs to other organisations too, so only they can change their name";
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    if !app.catalog.rename_person(&id, name, &caller.change()).await? {
        return Err(not_found());
    }
    get(app, caller, id.as_str()).await
}

/// Removes a person from the organisation.
pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let org = caller.org()?;
    let member = check_may_change(app, caller, org, id).await?;
    let removed = app.catalog.remove_member(org, &member.person.id, member.role, &caller.change()).await?;
    removed.map_err(refused)
}

fn not_found() -> Error {
    Error::not_found("user")
}

fn read_role(id: &str) -> Result<Role> {
    Role::from_id(id).ok_or_else(|| Violation::one_of("role", &Role::ids()).into())
}

/// Whoever changes a member must be able to hand out the role that member has.
pub(super) async fn check_may_change(app: &App, caller: &Caller, org: &OrgId, id: &str) -> Result<Member> {
    let id = UserId::parse(id).ok_or_else(not_found)?;
    let member = app.catalog.find_member(org, &id).await?.ok_or_else(not_found)?;
    check_may_assign(app, caller, member.role)?;
    Ok(member)
}

/// A person hands out roles up to their own. A token hands out the roles whose capabilities it holds itself, because
/// otherwise it could make itself a stronger friend; what it may do with views does not count, as few tokens say it.
fn check_may_assign(app: &App, caller: &Caller, role: Role) -> Result<()> {
    let allowed = match caller.standing()?.role {
        Some(own) => own.may_assign(role),
        None => {
            let needed = Capabilities { view: BTreeMap::new(), ..(*app.roles.of(role)).clone() };
            caller.capabilities.contains(&needed)
        }
    };
    if allowed {
        return Ok(());
    }
    let message = format!("the caller cannot give or take the role {}", role.id());
    Err(Error::new(ErrorKind::Forbidden, message).hint("ask an owner of the organisation"))
}

fn refused(refusal: MembershipRefusal) -> Error {
    let message = match &refusal {
        MembershipRefusal::Full { max } => {
            format!("the organisation has reached the {max} users of its licence (maxUsers)")
        }
        MembershipRefusal::Member => "the user is a member of the organisation already".to_owned(),
        MembershipRefusal::LastOwner => "the organisation would be left without an owner".to_owned(),
        MembershipRefusal::NotFound => return not_found(),
    };
    Error::new(ErrorKind::from(&refusal), message)
}
