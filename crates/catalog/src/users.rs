//! People, and which of them belong to an organisation. Changing that is left to `membership`.

use sqlx::FromRow;
use tidegauge_model::{OrgId, Role, RoleId, Timestamp, UserId};

use crate::audit::detail::named;
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Error, Result};

pub use crate::membership::{MainRole, MembershipRefusal};

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub id: UserId,
    pub email: String,
    pub name: String,
    pub created: Timestamp,
}

/// A person as a member of an organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub person: Person,
    pub role: Role,
    /// The custom role that stands in the place of a built-in one, which is `none` then.
    pub main: Option<RoleLabel>,
    /// Whether the person has taken the membership. Until then it gives nothing, and nobody can act as this person.
    pub accepted: bool,
}

/// A custom role by its id and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleLabel {
    pub id: RoleId,
    pub name: String,
}

#[derive(FromRow)]
pub(crate) struct PersonRow {
    id: String,
    email: String,
    name: String,
    created: i64,
}

impl PersonRow {
    pub(crate) fn read(self) -> Person {
        Person {
            id: self.id.into(),
            email: self.email,
            name: self.name,
            created: Timestamp::from_micros(self.created),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct MemberRow {
    #[sqlx(flatten)]
    person: PersonRow,
    role: String,
    main_role: Option<String>,
    main_name: Option<String>,
    accepted: Option<i64>,
}

impl MemberRow {
    pub(crate) fn read(self) -> Result<Member> {
        let main = self.main_role.zip(self.main_name);
        Ok(Member {
            role: read_role(&self.role)?,
            main: main.map(|(id, name)| RoleLabel { id: id.into(), name }),
            accepted: self.accepted.is_some(),
            person: self.person.read(),
        })
    }
}

pub(crate) fn read_role(id: &str) -> Result<Role> {
    Role::from_id(id).ok_or_else(|| Error::corrupt("the role", id))
}

pub(crate) const INSERT_PERSON: &str =
    "INSERT INTO person (id, sign_in, email, name, created) VALUES ($1, $2, $3, $4, $5)";

pub(crate) const INSERT_PERSON_UNLESS_KNOWN: &str = "INSERT INTO person (id, sign_in, email, name, created) \
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (sign_in) DO NOTHING";

pub(crate) const INSERT_MEMBERSHIP: &str =
    "INSERT INTO membership (org_id, person_id, role, created, accepted) VALUES ($1, $2, $3, $4, $5)";

/// What a [`MemberRow`] is read from.
macro_rules! members {
    () => {
        "SELECT p.id, p.email, p.name, p.created, m.role, m.main_role, r.name AS main_name, m.accepted \
         FROM membership m JOIN person p ON p.id = m.person_id LEFT JOIN custom_role r ON r.id = m.main_role WHERE m.org_id = $1"
    };
}

pub(crate) const SELECT_MEMBER: &str = concat!(members!(), " AND m.person_id = $2");

pub(crate) const SELECT_MEMBER_BY_EMAIL: &str = concat!(members!(), " AND p.email = $2");

const SELECT_MEMBERS: &str = concat!(members!(), " ORDER BY p.id");

// The account that signs in with the address, then who has taken a membership, then who waits for one, then others.
const SELECT_BY_EMAIL: &str = "SELECT p.id, p.email, p.name, p.created FROM person p WHERE p.email = $1 \
    ORDER BY CASE WHEN p.sign_in = p.email THEN 0 \
    WHEN EXISTS (SELECT 1 FROM membership m WHERE m.person_id = p.id AND m.accepted IS NOT NULL) THEN 1 \
    WHEN EXISTS (SELECT 1 FROM membership m WHERE m.person_id = p.id) THEN 2 ELSE 3 END, p.id LIMIT 1";

/// Inserts a person inside a transaction, with what they sign in with.
macro_rules! insert_person {
    ($connection:expr, $person:expr, $sign_in:expr) => {
        sqlx::query($crate::users::INSERT_PERSON)
            .bind($person.id.as_str())
            .bind($sign_in)
            .bind(&$person.email)
            .bind(&$person.name)
            .bind($person.created.as_micros())
            .execute(&mut *$connection)
            .await?
    };
}

/// Makes a person a member inside a transaction.
macro_rules! insert_membership {
    ($connection:expr, $org:expr, $person:expr, $role:expr, $created:expr, $accepted:expr) => {
        sqlx::query($crate::users::INSERT_MEMBERSHIP)
            .bind($org.as_str())
            .bind($person.as_str())
            .bind($role.id())
            .bind($created.as_micros())
            .bind($accepted.map(tidegauge_model::Timestamp::as_micros))
            .execute(&mut *$connection)
            .await?
    };
}

pub(crate) use {insert_membership, insert_person};

/// Gives a person another name inside a transaction, or leaves it if nobody has the id.
macro_rules! rename {
    ($connection:expr, $id:expr, $name:expr) => {
        let renamed = sqlx::query("UPDATE person SET name = $2 WHERE id = $1")
            .bind($id.as_str())
            .bind($name)
            .execute(&mut *$connection)
            .await?
            .rows_affected();
        if renamed == 0 {
            return Ok(false);
        }
    };
}

impl Catalog {
    pub async fn find_person(&self, id: &UserId) -> Result<Option<Person>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, PersonRow>("SELECT id, email, name, created FROM person WHERE id = $1")
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(PersonRow::read))
    }

    /// Somebody with this address, which several can have: the account that signs in with it comes first, then the
    /// oldest that belongs somewhere.
    pub async fn find_person_by_email(&self, email: &str) -> Result<Option<Person>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, PersonRow>(SELECT_BY_EMAIL)
                .bind(email)
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(PersonRow::read))
    }

    pub async fn rename_person(&self, id: &UserId, name: &str, change: &Change) -> Result<bool> {
        write!(self, connection => {
            rename!(connection, id, name);
            record!(connection, change, "user.update", id.as_str(), named(name));
        });
        Ok(true)
    }

    /// Gives a person another name by their own wish, which every organisation that they belong to has in its trail.
    pub async fn rename_oneself(&self, id: &UserId, name: &str, change: &Change) -> Result<bool> {
        write!(self, connection => {
            rename!(connection, id, name);
            record_for_person!(connection, id, change, "user.update", id.as_str(), named(name));
        });
        Ok(true)
    }

    pub async fn list_members(&self, org: &OrgId) -> Result<Vec<Member>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, MemberRow>(SELECT_MEMBERS).bind(org.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(MemberRow::read).collect()
    }

    pub async fn find_member(&self, org: &OrgId, person: &UserId) -> Result<Option<Member>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, MemberRow>(SELECT_MEMBER)
                .bind(org.as_str())
                .bind(person.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(MemberRow::read).transpose()
    }

    /// The member of an organisation with this address; there is one at most.
    pub async fn find_member_by_email(&self, org: &OrgId, email: &str) -> Result<Option<Member>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, MemberRow>(SELECT_MEMBER_BY_EMAIL)
                .bind(org.as_str())
                .bind(email)
                .fetch_optional(executor)
                .await?
        });
        row.map(MemberRow::read).transpose()
    }
}
