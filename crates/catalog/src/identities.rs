//! Who people and machines are at external issuers of access tokens: (issuer, kind, subject) to a person. Linking and
//! making accounts happens in one transaction each, so that two first requests at once end with one account.

use tidegauge_model::{OrgId, Role, UserId};

use crate::audit::detail::cut;
use crate::audit::{Change, record};
use crate::bearer::Bearer;
use crate::db::{read, write};
use crate::orgs::lock_org;
use crate::passwords::end_everything;
use crate::users::{
    INSERT_PERSON_UNLESS_KNOWN, MemberRow, Person, SELECT_MEMBER_BY_EMAIL, insert_membership, insert_person,
};
use crate::{Catalog, Result};

/// What an identity stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityKind {
    Person,
    Machine,
}

impl IdentityKind {
    fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Machine => "machine",
        }
    }
}

/// Somebody at an issuer.
#[derive(Clone, Copy, Debug)]
pub struct KnownIdentity<'a> {
    pub issuer: &'a str,
    pub kind: IdentityKind,
    pub subject: &'a str,
}

impl KnownIdentity<'_> {
    /// What the audit trail says of it.
    fn detail(&self) -> String {
        cut(format!("{:?} of {}", self.subject, self.issuer))
    }

    /// One text for all of it. Lengths stand before the parts, so that no two identities have the same.
    pub fn key(&self) -> String {
        format!("{}:{}:{}:{}", self.kind.name(), self.issuer.len(), self.issuer, self.subject)
    }
}

/// Why an account could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityRefusal {
    /// Somebody else in the organisation has the e-mail address.
    EmailTaken,
    /// The organisation has as many people as its licence allows.
    Full { max: i64 },
}

const INSERT: &str = "INSERT INTO identity (issuer, kind, subject, person_id, created) \
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (issuer, kind, subject) DO NOTHING";

/// What whoever had an account before could still act with.
const TAKE_OVER: [&str; 3] = [
    "DELETE FROM password WHERE person_id = $1",
    "DELETE FROM token WHERE person_id = $1 AND org_id IS NULL",
    "DELETE FROM invitation WHERE person_id = $1",
];

const SELECT: &str = "SELECT person_id FROM identity WHERE issuer = $1 AND kind = $2 AND subject = $3";

/// Inserts an identity inside a transaction; gives whether it was new.
macro_rules! insert_identity {
    ($connection:expr, $identity:expr, $person:expr, $change:expr) => {
        sqlx::query(INSERT)
            .bind($identity.issuer)
            .bind($identity.kind.name())
            .bind($identity.subject)
            .bind($person.as_str())
            .bind($change.at.as_micros())
            .execute(&mut *$connection)
            .await?
            .rows_affected()
            > 0
    };
}

/// Inserts a person inside a transaction, unless somebody signs in with the same; gives whether it was done.
macro_rules! insert_newcomer {
    ($connection:expr, $person:expr, $sign_in:expr) => {
        sqlx::query(INSERT_PERSON_UNLESS_KNOWN)
            .bind($person.id.as_str())
            .bind($sign_in)
            .bind(&$person.email)
            .bind(&$person.name)
            .bind($person.created.as_micros())
            .execute(&mut *$connection)
            .await?
            .rows_affected()
            > 0
    };
}

impl Catalog {
    /// The account of somebody at an issuer.
    pub async fn find_identity(&self, identity: &KnownIdentity<'_>) -> Result<Option<UserId>> {
        let found: Option<String> = read!(self, executor => {
            sqlx::query_scalar(SELECT)
                .bind(identity.issuer)
                .bind(identity.kind.name())
                .bind(identity.subject)
                .fetch_optional(executor)
                .await?
        });
        Ok(found.map(UserId::from))
    }

    /// The account of a person at an issuer, and where it can act.
    pub async fn find_identity_bearer(
        &self,
        identity: &KnownIdentity<'_>,
        named_org: Option<&OrgId>,
    ) -> Result<Option<Bearer>> {
        match self.find_identity(identity).await? {
            Some(person) => self.find_person_bearer(&person, named_org).await,
            None => Ok(None),
        }
    }

    /// The account of a machine at an issuer, in the organisation that it acts in. It has no capabilities of its own.
    pub async fn find_machine_bearer(
        &self,
        identity: &KnownIdentity<'_>,
        org: &OrgId,
    ) -> Result<Option<Bearer>> {
        match self.find_identity(identity).await? {
            Some(person) => self.find_client_bearer(&person, org).await,
            None => Ok(None),
        }
    }

    /// Links somebody at an issuer with an account, which accepts the membership that it may wait for. One that is linked
    /// already stays as it is.
    pub async fn link_identity(
        &self,
        identity: &KnownIdentity<'_>,
        person: &UserId,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            if insert_identity!(connection, identity, person, change) {
                // Whoever set the account up may be somebody else; this person has shown that the address is theirs.
                for statement in TAKE_OVER {
                    sqlx::query(statement).bind(person.as_str()).execute(&mut *connection).await?;
                }
                end_everything!(connection, person, change.at);
                sqlx::query("UPDATE membership SET accepted = $2 WHERE person_id = $1 AND accepted IS NULL")
                    .bind(person.as_str())
                    .bind(change.at.as_micros())
                    .execute(&mut *connection)
                    .await?;
                record!(connection, change, "identity.link", person.as_str(), identity.detail());
            }
        });
        Ok(())
    }

    /// Makes an account and a membership for somebody at an issuer. One that is known already stays as it is.
    pub async fn provision_identity(
        &self,
        identity: &KnownIdentity<'_>,
        newcomer: &Person,
        org: &OrgId,
        role: Role,
        max_users: i64,
        change: &Change,
    ) -> Result<std::result::Result<(), IdentityRefusal>> {
        write!(self, connection => {
            lock_org!(connection, org);
            let known: Option<String> = sqlx::query_scalar(SELECT)
                .bind(identity.issuer)
                .bind(identity.kind.name())
                .bind(identity.subject)
                .fetch_optional(&mut *connection)
                .await?;
            if known.is_some() {
                return Ok(Ok(()));
            }
            let members: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM membership WHERE org_id = $1")
                .bind(org.as_str())
                .fetch_one(&mut *connection)
                .await?;
            if members >= max_users {
                return Ok(Err(IdentityRefusal::Full { max: max_users }));
            }
            let taken: Option<MemberRow> = sqlx::query_as(SELECT_MEMBER_BY_EMAIL)
                .bind(org.as_str())
                .bind(&newcomer.email)
                .fetch_optional(&mut *connection)
                .await?;
            if taken.is_some() {
                return Ok(Err(IdentityRefusal::EmailTaken));
            }
            insert_person!(connection, newcomer, newcomer.id.as_str());
            // Who comes with a token of the organisation's issuer acts in it with this very request.
            insert_membership!(connection, org, newcomer.id, role, change.at, Some(change.at));
            if !insert_identity!(connection, identity, newcomer.id, change) {
                // Another organisation's issuer settings made it in this moment; that account counts.
                return Ok(Ok(()));
            }
            record!(connection, change, "user.provision", newcomer.id.as_str(),
                cut(format!("role {}, {}", role.id(), identity.detail())));
        });
        Ok(Ok(()))
    }

    /// Makes the account of a machine. One that is known already stays as it is.
    pub async fn insert_machine(
        &self,
        identity: &KnownIdentity<'_>,
        newcomer: &Person,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            // Another request may have made it in this moment; its made-up address is the same.
            if insert_newcomer!(connection, newcomer, &newcomer.email)
                && insert_identity!(connection, identity, newcomer.id, change) {
                record!(connection, change, "identity.machine", newcomer.id.as_str(), identity.detail());
            }
        });
        Ok(())
    }
}
