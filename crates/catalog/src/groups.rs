//! Groups of people in an organisation, who hold the roles of their groups. Whether a caller may hand those out is
//! decided by the caller of this module, who is told what the roles grant at the moment of the change.

use sqlx::FromRow;
use tidegauge_model::{GroupId, OrgId, RoleGrants, RoleRef, Timestamp, UserId};

use crate::audit::detail::{listed, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{GROUPS_MAX, check_room};
use crate::orgs::lock_org;
use crate::role_grants::{read_role_ref, select_granted_by};
use crate::roles::{RoleRefusal, by_first, ordered, replace_members};
use crate::{Catalog, Error, Result};

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: GroupId,
    pub name: String,
    pub description: String,
    /// In the order of their ids.
    pub members: Vec<UserId>,
    /// In the order of their ids.
    pub roles: Vec<RoleRef>,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

#[derive(FromRow)]
struct GroupRow {
    id: String,
    name: String,
    description: String,
    created: i64,
    created_by: String,
    modified: i64,
}

impl GroupRow {
    fn read(self, members: Vec<UserId>, roles: &[String]) -> Result<Group> {
        Ok(Group {
            roles: roles.iter().map(|role| read_role_ref(role)).collect::<Result<_>>()?,
            id: self.id.into(),
            name: self.name,
            description: self.description,
            members,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
        })
    }
}

/// What a [`GroupRow`] is read from.
macro_rules! columns {
    () => {
        "id, name, description, created, created_by, modified"
    };
}

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM person_group WHERE org_id = $1 ORDER BY id");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM person_group WHERE org_id = $1 AND id = $2");

const SELECT_ALL_MEMBERS: &str =
    "SELECT group_id, person_id FROM person_group_member WHERE org_id = $1 ORDER BY group_id, person_id";

const SELECT_MEMBERS: &str =
    "SELECT person_id FROM person_group_member WHERE org_id = $1 AND group_id = $2 ORDER BY person_id";

const SELECT_ALL_ROLES: &str = "SELECT group_id, role FROM person_group_role WHERE org_id = $1";

const SELECT_ROLES: &str = "SELECT role FROM person_group_role WHERE org_id = $1 AND group_id = $2";

/// Reads the roles of a group inside a transaction.
macro_rules! select_roles {
    ($connection:expr, $org:expr, $id:expr) => {{
        let mut roles: Vec<String> = sqlx::query_scalar(SELECT_ROLES)
            .bind($org.as_str())
            .bind($id.as_str())
            .fetch_all(&mut *$connection)
            .await?;
        roles.sort();
        roles.iter().map(|role| read_role_ref(role)).collect::<Result<Vec<RoleRef>>>()?
    }};
}

/// Leaves the transaction unless the roles exist and `$check` lets what they grant pass.
macro_rules! check_roles {
    ($connection:expr, $org:expr, $roles:expr, $check:expr) => {{
        let granted: std::result::Result<RoleGrants, RoleRef> = select_granted_by!($connection, $org, $roles);
        match granted {
            Ok(granted) => {
                if let Err(refused) = $check(&granted) {
                    return Ok(Err(refused));
                }
            }
            Err(role) => return Ok(Err(RoleRefusal::UnknownRole(role).into())),
        }
    }};
}

/// Gives a group the people and the roles that it is to have, inside a transaction.
macro_rules! fill_group {
    ($connection:expr, $org:expr, $group:expr) => {{
        replace_members!($connection, "person_group_member", "group_id", $org, $group.id, &$group.members);
        sqlx::query("DELETE FROM person_group_role WHERE org_id = $1 AND group_id = $2")
            .bind($org.as_str())
            .bind($group.id.as_str())
            .execute(&mut *$connection)
            .await?;
        for role in &$group.roles {
            sqlx::query("INSERT INTO person_group_role (org_id, group_id, role) VALUES ($1, $2, $3)")
                .bind($org.as_str())
                .bind($group.id.as_str())
                .bind(role.id())
                .execute(&mut *$connection)
                .await?;
        }
    }};
}

/// The group with its lists in the order in which they are stored, each entry once.
fn normal(group: &Group) -> Group {
    let mut roles = group.roles.clone();
    roles.sort_by(|left, right| left.id().cmp(right.id()));
    roles.dedup();
    Group { members: ordered(&group.members), roles, ..group.clone() }
}

/// What the audit trail says of a group: its roles, and who holds them by it.
fn detail(name: &str, roles: &[RoleRef], members: &[UserId]) -> String {
    let roles = listed("role", roles.iter().map(RoleRef::id));
    named_with(name, format!("{roles}, {}", listed("member", members.iter().map(UserId::as_str))))
}

impl Catalog {
    pub async fn list_groups(&self, org: &OrgId) -> Result<Vec<Group>> {
        let (rows, members, roles) = read!(self, executor => {
            let rows: Vec<GroupRow> =
                sqlx::query_as(SELECT_ALL).bind(org.as_str()).fetch_all(executor).await?;
            let members = sqlx::query_as(SELECT_ALL_MEMBERS).bind(org.as_str()).fetch_all(executor).await?;
            let roles: Vec<(String, String)> =
                sqlx::query_as(SELECT_ALL_ROLES).bind(org.as_str()).fetch_all(executor).await?;
            (rows, members, roles)
        });
        let mut members = by_first(members);
        let mut roles = by_first::<String>(roles);
        let read = |row: GroupRow| {
            let mut roles = roles.remove(&row.id).unwrap_or_default();
            roles.sort();
            let members = members.remove(&row.id).unwrap_or_default();
            row.read(members, &roles)
        };
        rows.into_iter().map(read).collect()
    }

    pub async fn find_group(&self, org: &OrgId, id: &GroupId) -> Result<Option<Group>> {
        let (row, members, mut roles) = read!(self, executor => {
            let row: Option<GroupRow> = sqlx::query_as(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?;
            let members: Vec<String> = sqlx::query_scalar(SELECT_MEMBERS)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_all(executor)
                .await?;
            let roles: Vec<String> = sqlx::query_scalar(SELECT_ROLES)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_all(executor)
                .await?;
            (row, members, roles)
        });
        roles.sort();
        row.map(|row| row.read(members.into_iter().map(UserId::from).collect(), &roles)).transpose()
    }

    /// Keeps a new group, unless `check` refuses what its roles grant. A conflict if another group of the organisation
    /// has its name.
    pub async fn insert_group<E: From<RoleRefusal>>(
        &self,
        org: &OrgId,
        group: &Group,
        change: &Change,
        check: impl Fn(&RoleGrants) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<Group, E>> {
        let group = normal(group);
        write!(self, connection => {
            check_room!(connection, org, "person_group", GROUPS_MAX);
            check_roles!(connection, org, &group.roles, check);
            sqlx::query(
                "INSERT INTO person_group (id, org_id, name, description, created, created_by, modified) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(group.id.as_str())
            .bind(org.as_str())
            .bind(&group.name)
            .bind(&group.description)
            .bind(group.created.as_micros())
            .bind(group.created_by.as_str())
            .bind(group.modified.as_micros())
            .execute(&mut *connection)
            .await
            .map_err(Error::name_taken("group"))?;
            fill_group!(connection, org, group);
            record!(connection, change, "group.create", group.id.as_str(),
                detail(&group.name, &group.roles, &group.members));
        });
        Ok(Ok(group))
    }

    /// Replaces what a caller may set of a group, unless `check` refuses what its roles grant, before or after.
    pub async fn replace_group<E: From<RoleRefusal>>(
        &self,
        org: &OrgId,
        group: &Group,
        change: &Change,
        check: impl Fn(&RoleGrants) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<Group, E>> {
        let group = normal(group);
        let row: GroupRow = write!(self, connection => {
            lock_org!(connection, org);
            let before = select_roles!(connection, org, group.id);
            check_roles!(connection, org, &before, check);
            check_roles!(connection, org, &group.roles, check);
            let row = sqlx::query_as(concat!(
                "UPDATE person_group SET name = $3, description = $4, modified = $5 \
                 WHERE org_id = $1 AND id = $2 RETURNING ",
                columns!()
            ))
            .bind(org.as_str())
            .bind(group.id.as_str())
            .bind(&group.name)
            .bind(&group.description)
            .bind(change.at.as_micros())
            .fetch_optional(&mut *connection)
            .await
            .map_err(Error::name_taken("group"))?;
            let Some(row) = row else {
                return Ok(Err(RoleRefusal::NoGroup.into()));
            };
            fill_group!(connection, org, group);
            record!(connection, change, "group.update", group.id.as_str(),
                detail(&group.name, &group.roles, &group.members));
            row
        });
        let stored = row.read(group.members, &[])?;
        Ok(Ok(Group { roles: group.roles, ..stored }))
    }

    /// Deletes a group, unless `check` refuses what its roles grant.
    pub async fn delete_group<E: From<RoleRefusal>>(
        &self,
        org: &OrgId,
        id: &GroupId,
        change: &Change,
        check: impl Fn(&RoleGrants) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<(), E>> {
        write!(self, connection => {
            lock_org!(connection, org);
            let roles = select_roles!(connection, org, id);
            check_roles!(connection, org, &roles, check);
            let members: Vec<String> = sqlx::query_scalar(SELECT_MEMBERS)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_all(&mut *connection)
                .await?;
            let members: Vec<UserId> = members.into_iter().map(UserId::from).collect();
            let deleted: Option<String> =
                sqlx::query_scalar("DELETE FROM person_group WHERE org_id = $1 AND id = $2 RETURNING name")
                    .bind(org.as_str())
                    .bind(id.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
            let Some(name) = deleted else {
                return Ok(Err(RoleRefusal::NoGroup.into()));
            };
            record!(connection, change, "group.delete", id.as_str(), detail(&name, &roles, &members));
        });
        Ok(Ok(()))
    }
}
