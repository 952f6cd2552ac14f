//! Custom roles of an organisation: capabilities under a name, and the people who have them. Whether a caller may hand
//! such capabilities out is decided by the caller of this module, with the role as it is at the moment of the change.

use std::collections::BTreeMap;

use sqlx::FromRow;
use tidegauge_model::{Capabilities, OrgId, RoleId, RoleRef, Timestamp, UserId};

use crate::audit::detail::{listed, named_with};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::{ROLES_MAX, check_room};
use crate::orgs::lock_org;
use crate::tokens::{capabilities_text, read_capabilities};
use crate::{Catalog, Error, Result};

/// A custom role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomRole {
    pub id: RoleId,
    pub name: String,
    pub description: String,
    pub capabilities: Capabilities,
    /// In the order of their ids.
    pub members: Vec<UserId>,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
}

/// Why a role or a group could not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleRefusal {
    /// There is no such role.
    NoRole,
    /// There is no such group.
    NoGroup,
    /// Somebody in the list does not belong to the organisation.
    NotAMember(UserId),
    /// A role in the list does not exist.
    UnknownRole(RoleRef),
}

#[derive(FromRow)]
struct RoleRow {
    id: String,
    name: String,
    description: String,
    capabilities: String,
    created: i64,
    created_by: String,
    modified: i64,
}

impl RoleRow {
    fn read(self, members: Vec<UserId>) -> Result<CustomRole> {
        Ok(CustomRole {
            capabilities: read_capabilities(&self.capabilities)?,
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

/// What a [`RoleRow`] is read from.
macro_rules! columns {
    () => {
        "id, name, description, capabilities, created, created_by, modified"
    };
}

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM custom_role WHERE org_id = $1 ORDER BY id");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM custom_role WHERE org_id = $1 AND id = $2");

const SELECT_ALL_MEMBERS: &str =
    "SELECT role_id, person_id FROM custom_role_member WHERE org_id = $1 ORDER BY role_id, person_id";

const SELECT_MEMBERS: &str =
    "SELECT person_id FROM custom_role_member WHERE org_id = $1 AND role_id = $2 ORDER BY person_id";

/// Makes the people of a role or a group those of a list, inside a transaction.
macro_rules! replace_members {
    ($connection:expr, $table:literal, $column:literal, $org:expr, $id:expr, $members:expr) => {{
        sqlx::query(concat!("DELETE FROM ", $table, " WHERE org_id = $1 AND ", $column, " = $2"))
            .bind($org.as_str())
            .bind($id.as_str())
            .execute(&mut *$connection)
            .await?;
        for person in $members {
            let added = sqlx::query(concat!(
                "INSERT INTO ",
                $table,
                " (org_id, ",
                $column,
                ", person_id) \
                 SELECT org_id, $2, person_id FROM membership WHERE org_id = $1 AND person_id = $3"
            ))
            .bind($org.as_str())
            .bind($id.as_str())
            .bind(person.as_str())
            .execute(&mut *$connection)
            .await?
            .rows_affected();
            if added == 0 {
                return Ok(Err($crate::roles::RoleRefusal::NotAMember(person.clone()).into()));
            }
        }
    }};
}

/// Reads one role with its members inside a transaction, or leaves it.
macro_rules! select_role {
    ($connection:expr, $org:expr, $id:expr) => {{
        let row: Option<RoleRow> = sqlx::query_as(SELECT_ONE)
            .bind($org.as_str())
            .bind($id.as_str())
            .fetch_optional(&mut *$connection)
            .await?;
        let members: Vec<String> = sqlx::query_scalar(SELECT_MEMBERS)
            .bind($org.as_str())
            .bind($id.as_str())
            .fetch_all(&mut *$connection)
            .await?;
        match row {
            Some(row) => row.read(members.into_iter().map(UserId::from).collect())?,
            None => return Ok(Err(RoleRefusal::NoRole.into())),
        }
    }};
}

pub(crate) use replace_members;

/// Brings a list of people into the order in which it is stored, each once.
pub(crate) fn ordered(members: &[UserId]) -> Vec<UserId> {
    let mut members = members.to_vec();
    members.sort();
    members.dedup();
    members
}

/// What belongs to each role or group, from rows of both ids.
pub(crate) fn by_first<V: From<String>>(rows: Vec<(String, String)>) -> BTreeMap<String, Vec<V>> {
    let mut grouped: BTreeMap<String, Vec<V>> = BTreeMap::new();
    for (id, other) in rows {
        grouped.entry(id).or_default().push(other.into());
    }
    grouped
}

/// What the audit trail says of a role: who has it, and what it allows.
fn detail(role: &CustomRole) -> String {
    let members = listed("member", role.members.iter().map(UserId::as_str));
    named_with(&role.name, format!("{members}, {}", capabilities_text(&role.capabilities)))
}

impl Catalog {
    pub async fn list_roles(&self, org: &OrgId) -> Result<Vec<CustomRole>> {
        let (rows, members) = read!(self, executor => {
            let rows: Vec<RoleRow> =
                sqlx::query_as(SELECT_ALL).bind(org.as_str()).fetch_all(executor).await?;
            let members = sqlx::query_as(SELECT_ALL_MEMBERS).bind(org.as_str()).fetch_all(executor).await?;
            (rows, members)
        });
        let mut members = by_first(members);
        rows.into_iter()
            .map(|row| {
                let members = members.remove(&row.id).unwrap_or_default();
                row.read(members)
            })
            .collect()
    }

    pub async fn find_role(&self, org: &OrgId, id: &RoleId) -> Result<Option<CustomRole>> {
        let (row, members) = read!(self, executor => {
            let row: Option<RoleRow> = sqlx::query_as(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?;
            let members: Vec<String> = sqlx::query_scalar(SELECT_MEMBERS)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_all(executor)
                .await?;
            (row, members)
        });
        row.map(|row| row.read(members.into_iter().map(UserId::from).collect())).transpose()
    }

    /// Keeps a new role. A conflict if another role of the organisation has its name.
    pub async fn insert_role(
        &self,
        org: &OrgId,
        role: &CustomRole,
        change: &Change,
    ) -> Result<std::result::Result<CustomRole, RoleRefusal>> {
        let members = ordered(&role.members);
        write!(self, connection => {
            check_room!(connection, org, "custom_role", ROLES_MAX);
            sqlx::query(
                "INSERT INTO custom_role (id, org_id, name, description, capabilities, created, created_by, \
                 modified) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(role.id.as_str())
            .bind(org.as_str())
            .bind(&role.name)
            .bind(&role.description)
            .bind(capabilities_text(&role.capabilities))
            .bind(role.created.as_micros())
            .bind(role.created_by.as_str())
            .bind(role.modified.as_micros())
            .execute(&mut *connection)
            .await
            .map_err(Error::name_taken("role"))?;
            replace_members!(connection, "custom_role_member", "role_id", org, role.id, &members);
            record!(connection, change, "role.create", role.id.as_str(), detail(role));
        });
        Ok(Ok(CustomRole { members, ..role.clone() }))
    }

    /// Changes a role under a lock: `edit` sees its present state and may refuse.
    pub async fn update_role<E: From<RoleRefusal>>(
        &self,
        org: &OrgId,
        id: &RoleId,
        change: &Change,
        edit: impl FnOnce(&mut CustomRole) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<CustomRole, E>> {
        let role = write!(self, connection => {
            lock_org!(connection, org);
            let mut role = select_role!(connection, org, id);
            if let Err(refused) = edit(&mut role) {
                return Ok(Err(refused));
            }
            role.modified = change.at;
            role.members = ordered(&role.members);
            sqlx::query(
                "UPDATE custom_role SET name = $3, description = $4, capabilities = $5, modified = $6 \
                 WHERE org_id = $1 AND id = $2",
            )
            .bind(org.as_str())
            .bind(id.as_str())
            .bind(&role.name)
            .bind(&role.description)
            .bind(capabilities_text(&role.capabilities))
            .bind(role.modified.as_micros())
            .execute(&mut *connection)
            .await
            .map_err(Error::name_taken("role"))?;
            replace_members!(connection, "custom_role_member", "role_id", org, id, &role.members);
            // Who is not in the role any more does not have it as the main one either.
            sqlx::query(
                "UPDATE membership SET main_role = NULL WHERE org_id = $1 AND main_role = $2 \
                 AND person_id NOT IN (SELECT person_id FROM custom_role_member WHERE role_id = $2)",
            )
            .bind(org.as_str())
            .bind(id.as_str())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "role.update", id.as_str(), detail(&role));
            role
        });
        Ok(Ok(role))
    }

    /// Deletes a role and takes it from its members and from groups, unless `check` refuses.
    pub async fn delete_role<E: From<RoleRefusal>>(
        &self,
        org: &OrgId,
        id: &RoleId,
        change: &Change,
        check: impl FnOnce(&CustomRole) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<(), E>> {
        const STATEMENTS: [&str; 3] = [
            "UPDATE membership SET main_role = NULL WHERE org_id = $1 AND main_role = $2",
            "DELETE FROM person_group_role WHERE org_id = $1 AND role = $2",
            "DELETE FROM custom_role WHERE org_id = $1 AND id = $2",
        ];
        write!(self, connection => {
            lock_org!(connection, org);
            let role = select_role!(connection, org, id);
            if let Err(refused) = check(&role) {
                return Ok(Err(refused));
            }
            for statement in STATEMENTS {
                sqlx::query(statement).bind(org.as_str()).bind(id.as_str()).execute(&mut *connection).await?;
            }
            record!(connection, change, "role.delete", id.as_str(), detail(&role));
        });
        Ok(Ok(()))
    }
}
