//! What a member of an organisation holds beside the role of the membership: custom roles, and the roles of groups.

use tidegauge_model::{OrgId, Role, RoleGrants, RoleId, RoleRef, UserId};

use crate::db::read;
use crate::tokens::read_capabilities;
use crate::users::read_role;
use crate::{Catalog, Error, Result};

/// What somebody was checked against who changes a member: it must still be so when the change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    pub role: Role,
    pub granted: RoleGrants,
}

impl From<Role> for Holding {
    fn from(role: Role) -> Self {
        Self { role, granted: RoleGrants::default() }
    }
}

/// Each role of a member once, with the capabilities of a custom one.
pub(crate) const SELECT_ROLES: &str = "SELECT h.role, r.capabilities FROM ( \
    SELECT role_id AS role FROM custom_role_member WHERE org_id = $1 AND person_id = $2 \
    UNION SELECT g.role FROM person_group_member m JOIN person_group_role g ON g.group_id = m.group_id \
    WHERE m.org_id = $1 AND m.person_id = $2) h \
    LEFT JOIN custom_role r ON r.org_id = $1 AND r.id = h.role ORDER BY h.role";

pub(crate) const SELECT_ROLE: &str = "SELECT id, capabilities FROM custom_role WHERE org_id = $1 AND id = $2";

/// Reads what a member holds, inside a transaction.
macro_rules! select_granted {
    ($connection:expr, $org:expr, $person:expr, $main:expr) => {{
        let rows = sqlx::query_as($crate::role_grants::SELECT_ROLES)
            .bind($org.as_str())
            .bind($person.as_str())
            .fetch_all(&mut *$connection)
            .await?;
        $crate::role_grants::collect($main, rows)?
    }};
}

/// Reads what some roles grant together, inside a transaction; the first that does not exist is given as the error.
macro_rules! select_granted_by {
    ($connection:expr, $org:expr, $roles:expr) => {{
        let mut rows: Vec<(String, Option<String>)> = Vec::new();
        let mut unknown = None;
        for role in $roles {
            let row = match role {
                tidegauge_model::RoleRef::BuiltIn(role) => Some((role.id().to_owned(), None)),
                tidegauge_model::RoleRef::Custom(id) => {
                    sqlx::query_as($crate::role_grants::SELECT_ROLE)
                        .bind($org.as_str())
                        .bind(id.as_str())
                        .fetch_optional(&mut *$connection)
                        .await?
                }
            };
            match row {
                Some(row) => rows.push(row),
                None => unknown = Some(role.clone()),
            }
        }
        match unknown {
            Some(role) => Err(role),
            None => Ok($crate::role_grants::collect(None, rows)?),
        }
    }};
}

pub(crate) use {select_granted, select_granted_by};

/// Adds up roles, of which custom ones have capabilities in their stored form.
pub(crate) fn collect(main: Option<RoleId>, rows: Vec<(String, Option<String>)>) -> Result<RoleGrants> {
    let mut granted = RoleGrants { main, ..RoleGrants::default() };
    for (role, capabilities) in rows {
        match capabilities {
            Some(text) => granted.capabilities = granted.capabilities.union(&read_capabilities(&text)?),
            None => granted.roles.push(read_role(&role)?),
        }
    }
    Ok(granted)
}

pub(crate) fn read_role_ref(id: &str) -> Result<RoleRef> {
    match Role::from_id(id) {
        Some(role) => Ok(RoleRef::BuiltIn(role)),
        None if id.starts_with(RoleId::PREFIX) => Ok(RoleRef::Custom(id.into())),
        None => Err(Error::corrupt("the role", id)),
    }
}

impl Catalog {
    /// What a member holds beside the role of the membership.
    pub async fn granted_to(&self, org: &OrgId, person: &UserId, main: Option<RoleId>) -> Result<RoleGrants> {
        let rows = read!(self, executor => {
            sqlx::query_as(SELECT_ROLES)
                .bind(org.as_str())
                .bind(person.as_str())
                .fetch_all(executor)
                .await?
        });
        collect(main, rows)
    }
}
