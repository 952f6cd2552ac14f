//! Who belongs to which organisation, and with which role: adding people, giving them another role, removing them. Each
//! change is held to what its caller was checked against.

use tidegauge_model::{Capabilities, ErrorKind, OrgId, Role, RoleId, Timestamp, UserId};

use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::granted::{Holding, select_granted};
use crate::orgs::lock_org;
use crate::people::{
    INSERT_PERSON_UNLESS_KNOWN, Member, MemberRow, Person, PersonRow, SELECT_MEMBER, insert_membership,
};
use crate::tokens::capabilities_text;
use crate::{Catalog, Result};

/// The role that a member is to have.
#[derive(Clone, Debug)]
pub enum MainRole {
    BuiltIn(Role),
    /// A custom role with the capabilities that the caller was checked against.
    Custom(RoleId, Capabilities),
}

impl MainRole {
    fn built_in(&self) -> Role {
        match self {
            Self::BuiltIn(role) => *role,
            Self::Custom(..) => Role::None,
        }
    }
}

impl From<Role> for MainRole {
    fn from(role: Role) -> Self {
        Self::BuiltIn(role)
    }
}

/// Why a membership could not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MembershipRefusal {
    /// The organisation has as many people as its licence allows.
    Full { max: i64 },
    /// The person is a member already.
    Member,
    /// It would leave the organisation without an owner.
    LastOwner,
    /// There is no such member with that role any more.
    NotFound,
    /// The rights of the member or of the role are not those that the caller was checked against.
    Changed,
}

/// Counts the owners of an organisation inside a transaction.
macro_rules! count_owners {
    ($connection:expr, $org:expr) => {{
        let owners: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM membership WHERE org_id = $1 AND role = $2")
                .bind($org.as_str())
                .bind(Role::Owner.id())
                .fetch_one(&mut *$connection)
                .await?;
        owners
    }};
}

/// Leaves the transaction unless a member holds what the caller was checked against.
macro_rules! check_holding {
    ($connection:expr, $org:expr, $person:expr, $checked:expr) => {{
        let found: Option<(String, Option<String>)> =
            sqlx::query_as("SELECT role, main_role FROM membership WHERE org_id = $1 AND person_id = $2")
                .bind($org.as_str())
                .bind($person.as_str())
                .fetch_optional(&mut *$connection)
                .await?;
        let Some((_, main)) = found.filter(|(role, _)| role == $checked.role.id()) else {
            return Ok(Err(MembershipRefusal::NotFound));
        };
        if select_granted!($connection, $org, $person, main.map(RoleId::from)) != $checked.granted {
            return Ok(Err(MembershipRefusal::Changed));
        }
    }};
}

/// Makes a custom role the main one of a member inside a transaction, or leaves it if the role has changed.
macro_rules! give_main_role {
    ($connection:expr, $org:expr, $person:expr, $role:expr) => {
        if let MainRole::Custom(id, capabilities) = &$role {
            let stored: Option<String> =
                sqlx::query_scalar("SELECT capabilities FROM custom_role WHERE org_id = $1 AND id = $2")
                    .bind($org.as_str())
                    .bind(id.as_str())
                    .fetch_optional(&mut *$connection)
                    .await?;
            if stored.is_none_or(|stored| stored != capabilities_text(capabilities)) {
                return Ok(Err(MembershipRefusal::Changed));
            }
            for statement in GIVE_MAIN_ROLE {
                sqlx::query(statement)
                    .bind($org.as_str())
                    .bind($person.as_str())
                    .bind(id.as_str())
                    .execute(&mut *$connection)
                    .await?;
            }
        }
    };
}

const GIVE_MAIN_ROLE: [&str; 2] = [
    "UPDATE membership SET main_role = $3 WHERE org_id = $1 AND person_id = $2",
    "INSERT INTO custom_role_member (org_id, role_id, person_id) VALUES ($1, $3, $2) \
     ON CONFLICT (role_id, person_id) DO NOTHING",
];

impl Catalog {
    /// Adds a person to an organisation. A person whose e-mail address is known keeps their id and name.
    pub async fn add_member(
        &self,
        org: &OrgId,
        newcomer: &Person,
        role: impl Into<MainRole>,
        max_users: i64,
        change: &Change,
    ) -> Result<std::result::Result<Member, MembershipRefusal>> {
        let role = role.into();
        let member = write!(self, connection => {
            lock_org!(connection, org);
            // Another organisation may be adding the same person: this waits for it, then finds them.
            sqlx::query(INSERT_PERSON_UNLESS_KNOWN)
                .bind(newcomer.id.as_str())
                .bind(&newcomer.email)
                .bind(&newcomer.name)
                .bind(newcomer.created.as_micros())
                .execute(&mut *connection)
                .await?;
            let person: PersonRow =
                sqlx::query_as("SELECT id, email, name, created FROM person WHERE email = $1")
                    .bind(&newcomer.email)
                    .fetch_one(&mut *connection)
                    .await?;
            let person = person.read();
            let present: Option<MemberRow> = sqlx::query_as(SELECT_MEMBER)
                .bind(org.as_str())
                .bind(person.id.as_str())
                .fetch_optional(&mut *connection)
                .await?;
            if present.is_some() {
                return Ok(Err(MembershipRefusal::Member));
            }
            let members: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM membership WHERE org_id = $1")
                .bind(org.as_str())
                .fetch_one(&mut *connection)
                .await?;
            if members >= max_users {
                return Ok(Err(MembershipRefusal::Full { max: max_users }));
            }
            // Only the person can accept it: else others could decide what their token means.
            insert_membership!(connection, org, person.id, role.built_in(), change.at, None::<Timestamp>);
            give_main_role!(connection, org, person.id, role);
            record!(connection, change, "user.create", person.id.as_str());
            let member: MemberRow = sqlx::query_as(SELECT_MEMBER)
                .bind(org.as_str())
                .bind(person.id.as_str())
                .fetch_one(&mut *connection)
                .await?;
            member
        });
        member.read().map(Ok)
    }

    /// Notes that a person has acted as a member for the first time.
    pub async fn accept_membership(&self, org: &OrgId, person: &UserId, change: &Change) -> Result<()> {
        write!(self, connection => {
            let accepted = sqlx::query(
                "UPDATE membership SET accepted = $3 WHERE org_id = $1 AND person_id = $2 AND accepted IS NULL",
            )
            .bind(org.as_str())
            .bind(person.as_str())
            .bind(change.at.as_micros())
            .execute(&mut *connection)
            .await?
            .rows_affected();
            if accepted > 0 {
                record!(connection, change, "user.accept", person.as_str());
            }
        });
        Ok(())
    }

    /// How many other organisations a person has acted in.
    pub async fn count_memberships_elsewhere(&self, org: &OrgId, person: &UserId) -> Result<i64> {
        let count = read!(self, executor => {
            sqlx::query_scalar(
                "SELECT COUNT(*) FROM membership WHERE person_id = $1 AND org_id <> $2 AND accepted IS NOT NULL",
            )
            .bind(person.as_str())
            .bind(org.as_str())
            .fetch_one(executor)
            .await?
        });
        Ok(count)
    }

    /// Gives a member another role in the place of the one that they have, if they still hold what the caller was
    /// checked against. What they hold beside it stays.
    pub async fn set_role(
        &self,
        org: &OrgId,
        person: &UserId,
        checked: impl Into<Holding>,
        role: impl Into<MainRole>,
        change: &Change,
    ) -> Result<std::result::Result<(), MembershipRefusal>> {
        let (checked, role) = (checked.into(), role.into());
        write!(self, connection => {
            lock_org!(connection, org);
            check_holding!(connection, org, person, checked);
            if let Some(main) = &checked.granted.main {
                sqlx::query("DELETE FROM custom_role_member WHERE role_id = $1 AND person_id = $2")
                    .bind(main.as_str())
                    .bind(person.as_str())
                    .execute(&mut *connection)
                    .await?;
            }
            sqlx::query("UPDATE membership SET role = $3, main_role = NULL WHERE org_id = $1 AND person_id = $2")
                .bind(org.as_str())
                .bind(person.as_str())
                .bind(role.built_in().id())
                .execute(&mut *connection)
                .await?;
            give_main_role!(connection, org, person, role);
            if count_owners!(connection, org) == 0 {
                return Ok(Err(MembershipRefusal::LastOwner));
            }
            record!(connection, change, "user.role", person.as_str());
        });
        Ok(Ok(()))
    }

    /// Removes a person from an organisation and from its roles and groups, if they still hold what the caller was
    /// checked against. The person stays known to the installation.
    pub async fn remove_member(
        &self,
        org: &OrgId,
        person: &UserId,
        checked: impl Into<Holding>,
        change: &Change,
    ) -> Result<std::result::Result<(), MembershipRefusal>> {
        let checked = checked.into();
        write!(self, connection => {
            lock_org!(connection, org);
            check_holding!(connection, org, person, checked);
            sqlx::query("DELETE FROM membership WHERE org_id = $1 AND person_id = $2")
                .bind(org.as_str())
                .bind(person.as_str())
                .execute(&mut *connection)
                .await?;
            if count_owners!(connection, org) == 0 {
                return Ok(Err(MembershipRefusal::LastOwner));
            }
            record!(connection, change, "user.delete", person.as_str());
        });
        Ok(Ok(()))
    }
}

impl From<&MembershipRefusal> for ErrorKind {
    fn from(refusal: &MembershipRefusal) -> Self {
        match refusal {
            MembershipRefusal::Full { .. } => Self::LimitReached,
            MembershipRefusal::Member | MembershipRefusal::LastOwner | MembershipRefusal::Changed => {
                Self::Conflict
            }
            MembershipRefusal::NotFound => Self::NotFound,
        }
    }
}
