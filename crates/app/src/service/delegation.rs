//! Who may hand out what: nobody gives, or takes away, more than they hold. Users, roles and groups all ask here.

use std::collections::BTreeMap;

use tidegauge_catalog::role_grants::Holding;
use tidegauge_catalog::roles::RoleRefusal;
use tidegauge_model::{Capabilities, ErrorKind, Role, RoleGrants, RoleRef, Rule, UserId, Violation};

use super::{Caller, Error, Result};
use crate::app::App;

/// Most people of a role or a group.
const MEMBERS_MAX: usize = 1_000;

/// Whether somebody with a role and these capabilities may give all that a holding is made of, or take it away. The role
/// owner is a matter among owners. Of an API token, which has no role, only what a built-in role may do with views does
/// not count, as few tokens say it.
pub fn may_assign(app: &App, own: Option<Role>, capabilities: &Capabilities, holding: &Holding) -> bool {
    let by_roles = RoleGrants { capabilities: Capabilities::default(), ..holding.granted.clone() };
    let mut needed = (*app.roles.rights(holding.role, &by_roles)).clone();
    if own.is_none() {
        needed.view = BTreeMap::new();
    }
    let is_among_owners = holding.role != Role::Owner || own.is_none_or(|own| own == Role::Owner);
    is_among_owners && capabilities.contains(&needed.union(&holding.granted.capabilities))
}

/// Checks that the caller may give somebody all that a holding is made of, or take it away.
pub fn check_may_assign(app: &App, caller: &Caller, holding: &Holding) -> Result<()> {
    if may_assign(app, caller.org_context()?.role, &caller.capabilities, holding) {
        return Ok(());
    }
    let message = format!("the caller cannot give or take the role {}", holding.role.id());
    let message = match holding.granted == RoleGrants::default() {
        true => message,
        false => "the user holds capabilities that the caller does not hold".to_owned(),
    };
    Err(Error::new(ErrorKind::Forbidden, message).hint("ask an owner of the organisation"))
}

/// Checks that the caller holds the capabilities of a role that is given, taken, or changed.
pub fn check_may_grant(caller: &Caller, capabilities: &Capabilities) -> Result<()> {
    if caller.capabilities.contains(capabilities) {
        return Ok(());
    }
    let message = "the role holds capabilities that the caller does not hold";
    Err(Error::new(ErrorKind::Forbidden, message).hint("ask an owner of the organisation"))
}

/// Checks that the caller holds all that the roles of a group grant.
pub fn check_may_grant_by_group(app: &App, caller: &Caller, granted: &RoleGrants) -> Result<()> {
    if caller.capabilities.contains(&app.roles.rights(Role::None, granted)) {
        return Ok(());
    }
    let message = "the roles of the group hold capabilities that the caller does not hold";
    Err(Error::new(ErrorKind::Forbidden, message).hint("ask an owner of the organisation"))
}

/// The people of a list in a request. Whether they belong to the organisation is found when the list is stored.
pub fn read_members(ids: &[String]) -> std::result::Result<Vec<UserId>, Violation> {
    if ids.len() > MEMBERS_MAX {
        let problem = format!("should have at most {MEMBERS_MAX} items");
        return Err(Violation::new("members", Rule::TooManyItems, problem));
    }
    let read = |(index, id): (usize, &String)| {
        let wrong = || Violation::new(format!("members.{index}"), Rule::Pattern, "must be the id of a user");
        UserId::parse(id).ok_or_else(wrong)
    };
    ids.iter().enumerate().map(read).collect()
}

impl From<RoleRefusal> for Error {
    fn from(refusal: RoleRefusal) -> Self {
        match refusal {
            RoleRefusal::NoRole => Self::not_found("role"),
            RoleRefusal::NoGroup => Self::not_found("group"),
            RoleRefusal::NotAMember(user) => {
                let problem = format!("names {user}, who is not a member of the organisation");
                Violation::new("members", Rule::OneOf, problem).into()
            }
            RoleRefusal::UnknownRole(role) => unknown_role(&role),
        }
    }
}

fn unknown_role(role: &RoleRef) -> Error {
    let problem = format!("names {}, which is not a role of the organisation", role.id());
    Violation::new("roles", Rule::OneOf, problem).into()
}
