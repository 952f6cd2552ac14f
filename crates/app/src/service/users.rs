//! People: the caller's own record, and the members of an organisation.

use tidegauge_catalog::role_grants::Holding;
use tidegauge_catalog::users::{MainRole, Member, MembershipRefusal, Person};
use tidegauge_model::address::{check_account_email, fold_email};
use tidegauge_model::{ErrorKind, OrgId, Role, RoleRef, Rule, UserId, Violation};

use super::delegation::{check_may_assign, check_may_grant};
use super::text::check_shown_name;
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
    let here = caller.org_context.as_ref().map(|org_context| &org_context.org);
    if let Some(org) = here.or(caller.memberships.first().map(|membership| &membership.org))
        && let Some(member) = app.catalog.find_member(org, &caller.user).await?
    {
        return Ok(member);
    }
    let person = app.catalog.find_person(&caller.user).await?.ok_or_else(not_found)?;
    Ok(Member { person, role: Role::None, main: None, accepted: true })
}

pub async fn rename_current(app: &App, caller: &Caller, name: &str) -> Result<Member> {
    check_shown_name("name", name)?;
    if !app.catalog.rename_oneself(&caller.user, name, &caller.change()).await? {
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

/// Adds a member, up to the number that the licence allows. It gives nothing until the person accepts it.
pub async fn create(app: &App, caller: &Caller, input: UserInput) -> Result<Member> {
    let org = caller.org_to_create_in()?;
    check_shown_name("name", &input.name)?;
    check_account_email("email", &input.email)?;
    let role = role_to_give(app, caller, org, &input.role).await?;
    let person = Person {
        id: UserId::generate(caller.now, &*app.rng),
        email: fold_email(&input.email),
        name: input.name,
        created: caller.now,
    };
    let max_users = caller.org_context()?.limits.max_users;
    app.catalog.add_member(org, &person, role, max_users, &caller.change()).await?.map_err(refused)
}

/// Gives a member another role in the place of the one that they have. A custom role takes that place with `none`.
pub async fn set_role(app: &App, caller: &Caller, id: &str, role: &str) -> Result<Member> {
    let org = caller.org()?;
    let (id, holding) = check_may_change(app, caller, org, id).await?;
    let role = role_to_give(app, caller, org, role).await?;
    app.catalog.set_role(org, &id, holding, role, &caller.change()).await?.map_err(refused)?;
    get(app, caller, id.as_str()).await
}

/// Gives a member another name. A person who belongs to other organisations too decides on it alone.
pub async fn rename(app: &App, caller: &Caller, id: &str, name: &str) -> Result<Member> {
    let org = caller.org()?;
    let (id, _) = check_may_change(app, caller, org, id).await?;
    check_shown_name("name", name)?;
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
    let (id, holding) = check_may_change(app, caller, org, id).await?;
    app.catalog.remove_member(org, &id, holding, &caller.change()).await?.map_err(refused)
}

fn not_found() -> Error {
    Error::not_found("user")
}

/// The role with this id, if the caller may give it.
async fn role_to_give(app: &App, caller: &Caller, org: &OrgId, id: &str) -> Result<MainRole> {
    let unknown = || {
        let problem = format!("must be one of [{}] or the id of a custom role", Role::ids().join(" "));
        Violation::new("role", Rule::OneOf, problem)
    };
    match RoleRef::parse(id).ok_or_else(unknown)? {
        RoleRef::BuiltIn(role) => {
            check_may_assign(app, caller, &role.into())?;
            Ok(MainRole::BuiltIn(role))
        }
        RoleRef::Custom(id) => {
            let role = app.catalog.find_role(org, &id).await?.ok_or_else(unknown)?;
            check_may_grant(caller, &role.capabilities)?;
            Ok(MainRole::Custom(id, role.capabilities))
        }
    }
}

/// Whoever changes a member must be able to hand out all that the member holds.
pub async fn check_may_change(
    app: &App,
    caller: &Caller,
    org: &OrgId,
    id: &str,
) -> Result<(UserId, Holding)> {
    let id = UserId::parse(id).ok_or_else(not_found)?;
    let holding = find_holding(app, org, &id).await?.ok_or_else(not_found)?;
    check_may_assign(app, caller, &holding)?;
    Ok((id, holding))
}

/// All that a member holds, whether they have accepted it or not.
pub async fn find_holding(app: &App, org: &OrgId, id: &UserId) -> Result<Option<Holding>> {
    let Some(member) = app.catalog.find_member(org, id).await? else {
        return Ok(None);
    };
    let granted = app.catalog.granted_to(org, id, member.main.map(|main| main.id)).await?;
    Ok(Some(Holding { role: member.role, granted }))
}

fn refused(refusal: MembershipRefusal) -> Error {
    let message = match &refusal {
        MembershipRefusal::Full { max } => {
            format!("the organisation has reached the {max} users of its licence (maxUsers)")
        }
        MembershipRefusal::Member => "the user is a member of the organisation already".to_owned(),
        MembershipRefusal::LastOwner => "the organisation would be left without an owner".to_owned(),
        MembershipRefusal::NotFound => return not_found(),
        MembershipRefusal::Changed => {
            "the rights of the user or role were changed just now: try again".to_owned()
        }
    };
    Error::new(ErrorKind::from(&refusal), message)
}
