//! Who belongs to which organisation, and with which role: adding people, giving them another role, removing them. Each
//! change is held to what its caller was checked against.

mod change;

use tidegauge_model::{OrgId, Role, RoleId, Timestamp, UserId};

use crate::audit::detail::named_with;
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::orgs::lock_org;
use crate::role_grants::{Holding, select_granted};
use crate::tokens::{capabilities_text, end_tokens_with_membership};
use crate::users::{
    Member, MemberRow, Person, SELECT_MEMBER, SELECT_MEMBER_BY_EMAIL, insert_membership, insert_person,
};
use crate::{Catalog, Result};

pub use change::{MainRole, MembershipRefusal};

// Who has not accepted cannot act, so an organisation with nobody else has no owner.
const COUNT_OWNERS: &str =
    "SELECT COUNT(*) FROM membership WHERE org_id = $1 AND role = $2 AND accepted IS NOT NULL";

/// Counts the owners of an organisation inside a transaction.
macro_rules! count_owners {
    ($connection:expr, $org:expr) => {{
        let owners: i64 = sqlx::query_scalar($crate::membership::COUNT_OWNERS)
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

/// Ends inside a transaction the link by which a membership could have been accepted.
macro_rules! end_invitation {
    ($connection:expr, $org:expr, $person:expr) => {
        sqlx::query("DELETE FROM invitation WHERE org_id = $1 AND person_id = $2")
            .bind($org.as_str())
            .bind($person.as_str())
            .execute(&mut *$connection)
            .await?
    };
}

/// Gives a membership that waits, with its roles and groups, to an account inside a transaction. Nobody ever acted as
/// the person who had it, so nothing else names them.
macro_rules! move_membership {
    ($connection:expr, $org:expr, $waiting:expr, $account:expr, $at:expr) => {
        sqlx::query($crate::membership::COPY_MEMBERSHIP)
            .bind($org.as_str())
            .bind($waiting.as_str())
            .bind($account.as_str())
            .bind($at.as_micros())
            .execute(&mut *$connection)
            .await?;
        for statement in [
            "UPDATE custom_role_member SET person_id = $3 WHERE org_id = $1 AND person_id = $2",
            "UPDATE person_group_member SET person_id = $3 WHERE org_id = $1 AND person_id = $2",
        ] {
            sqlx::query(statement)
                .bind($org.as_str())
                .bind($waiting.as_str())
                .bind($account.as_str())
                .execute(&mut *$connection)
                .await?;
        }
        sqlx::query("DELETE FROM membership WHERE org_id = $1 AND person_id = $2")
            .bind($org.as_str())
            .bind($waiting.as_str())
            .execute(&mut *$connection)
            .await?;
    };
}

pub(crate) const COPY_MEMBERSHIP: &str = "INSERT INTO membership (org_id, person_id, role, created, accepted, main_role) \
     SELECT org_id, $3, role, created, $4, main_role FROM membership WHERE org_id = $1 AND person_id = $2";

/// What the audit trail says of a member, inside a transaction: the address that the organisation knows them by, and the
/// main role.
macro_rules! held_role {
    ($connection:expr, $org:expr, $person:expr) => {{
        let held: Option<(String, String)> = sqlx::query_as($crate::membership::SELECT_HELD)
            .bind($org.as_str())
            .bind($person.as_str())
            .fetch_optional(&mut *$connection)
            .await?;
        let (email, role) = held.unwrap_or_default();
        $crate::audit::detail::named_with(&email, format!("role {role}"))
    }};
}

pub(crate) const SELECT_HELD: &str = "SELECT p.email, COALESCE(m.main_role, m.role) FROM membership m \
     JOIN person p ON p.id = m.person_id WHERE m.org_id = $1 AND m.person_id = $2";

pub(crate) use {held_role, move_membership};

impl Catalog {
    /// Adds somebody to an organisation, as a new person whom nobody can act as until the membership is accepted. What
    /// other organisations know of the address plays no part.
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
            let present: Option<MemberRow> = sqlx::query_as(SELECT_MEMBER_BY_EMAIL)
                .bind(org.as_str())
                .bind(&newcomer.email)
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
            insert_person!(connection, newcomer, newcomer.id.as_str());
            insert_membership!(connection, org, newcomer.id, role.built_in(), change.at, None::<Timestamp>);
            give_main_role!(connection, org, newcomer.id, role);
            let detail = named_with(&newcomer.email, role.detail());
            record!(connection, change, "user.create", newcomer.id.as_str(), detail);
            let member: MemberRow = sqlx::query_as(SELECT_MEMBER)
                .bind(org.as_str())
                .bind(newcomer.id.as_str())
                .fetch_one(&mut *connection)
                .await?;
            member
        });
        member.read().map(Ok)
    }

    /// Lets a membership count by the word of the operator, who speaks for every organisation.
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
                end_invitation!(connection, org, person);
                let detail = held_role!(connection, org, person);
                record!(connection, change, "user.accept", person.as_str(), detail);
            }
        });
        Ok(())
    }

    /// Moves the membership that waits for an address in an organisation to an account whose issuer verified that
    /// address. False if none waits.
    pub async fn join_by_verified_email(
        &self,
        org: &OrgId,
        email: &str,
        account: &UserId,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            lock_org!(connection, org);
            let waiting: Option<MemberRow> = sqlx::query_as(SELECT_MEMBER_BY_EMAIL)
                .bind(org.as_str())
                .bind(email)
                .fetch_optional(&mut *connection)
                .await?;
            let waiting = waiting.map(MemberRow::read).transpose()?;
            let Some(waiting) = waiting.filter(|member| !member.accepted) else {
                return Ok(false);
            };
            move_membership!(connection, org, waiting.person.id, account, change.at);
            let detail = held_role!(connection, org, account);
            record!(connection, change, "user.accept", account.as_str(), detail);
        });
        Ok(true)
    }

    /// How many other organisations a person belongs to.
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
            record!(connection, change, "user.role", person.as_str(), role.detail());
        });
        Ok(Ok(()))
    }

    /// Removes a person from an organisation and from its roles and groups, if they still hold what the caller was
    /// checked against. The person stays known to the installation; of their API tokens those end that were made to end
    /// with the membership.
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
            let held = held_role!(connection, org, person);
            sqlx::query("DELETE FROM membership WHERE org_id = $1 AND person_id = $2")
                .bind(org.as_str())
                .bind(person.as_str())
                .execute(&mut *connection)
                .await?;
            if count_owners!(connection, org) == 0 {
                return Ok(Err(MembershipRefusal::LastOwner));
            }
            record!(connection, change, "user.delete", person.as_str(), held);
            end_tokens_with_membership!(connection, org, person, change);
        });
        Ok(Ok(()))
    }
}
