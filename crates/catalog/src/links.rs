//! One-time links by which a person sets their password: made for a person, good once and until a time, and gone when
//! another one is made. What is stored in place of a link's secret is its digest.

use sqlx::FromRow;
use tidegauge_model::{OrgId, Timestamp, UserId};

use crate::audit::{Change, record};
use crate::db::{drop_in_batches, read, write};
use crate::passwords::{NewPassword, set_password};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Result};

/// Links that are dropped in one transaction.
const PRUNE_BATCH: i64 = 2_000;

/// A link's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub person: UserId,
    /// The organisation that invites by it. A link of the operator has none.
    pub invited_by: Option<OrgId>,
    pub expires_at: Timestamp,
}

/// Why an organisation cannot invite a person by a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRefusal {
    /// There is no such member.
    NotAMember,
    /// The person has a password, or signs in at another authorisation server: a link would hand their account to who
    /// asks for it.
    HasPassword,
    /// The person belongs to another organisation too, for which this one cannot speak.
    BelongsElsewhere,
}

#[derive(FromRow)]
struct LinkRow {
    person_id: String,
    org_id: Option<String>,
    expires_at: i64,
}

impl LinkRow {
    fn read(self) -> Link {
        Link {
            person: self.person_id.into(),
            invited_by: self.org_id.map(OrgId::from),
            expires_at: Timestamp::from_micros(self.expires_at),
        }
    }
}

/// Puts a link in the place of the one before, inside a transaction.
macro_rules! insert_link {
    ($connection:expr, $link:expr, $digest:expr, $change:expr) => {
        sqlx::query(
            "INSERT INTO password_link (person_id, digest, org_id, created, expires_at) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (person_id) DO UPDATE SET digest = excluded.digest, \
             org_id = excluded.org_id, created = excluded.created, expires_at = excluded.expires_at",
        )
        .bind($link.person.as_str())
        .bind($digest)
        .bind($link.invited_by.as_ref().map(OrgId::as_str))
        .bind($change.at.as_micros())
        .bind($link.expires_at.as_micros())
        .execute(&mut *$connection)
        .await?
    };
}

/// Whether an organisation may let somebody set the password of a person, inside a transaction.
macro_rules! invitation_refusal {
    ($connection:expr, $org:expr, $person:expr) => {{
        // An update that changes nothing: whoever sets a password or adds a member at the same moment waits.
        let member = sqlx::query("UPDATE membership SET role = role WHERE org_id = $1 AND person_id = $2")
            .bind($org.as_str())
            .bind($person.as_str())
            .execute(&mut *$connection)
            .await?
            .rows_affected();
        let has_password: i64 = sqlx::query_scalar(
            "SELECT (SELECT COUNT(*) FROM password WHERE person_id = $1) + \
             (SELECT COUNT(*) FROM identity WHERE person_id = $1)",
        )
        .bind($person.as_str())
        .fetch_one(&mut *$connection)
        .await?;
        let elsewhere: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM membership WHERE person_id = $1 AND org_id <> $2")
                .bind($person.as_str())
                .bind($org.as_str())
                .fetch_one(&mut *$connection)
                .await?;
        match (member, has_password, elsewhere) {
            (0, ..) => Some(LinkRefusal::NotAMember),
            (_, 1.., _) => Some(LinkRefusal::HasPassword),
            (.., 1..) => Some(LinkRefusal::BelongsElsewhere),
            _ => None,
        }
    }};
}

impl Catalog {
    /// Makes a link for the operator, who may do that for everybody.
    pub async fn insert_link(&self, link: &Link, digest: &str, change: &Change) -> Result<()> {
        write!(self, connection => {
            insert_link!(connection, link, digest, change);
            record_for_person!(connection, link.person, change, "user.link", link.person.as_str());
        });
        Ok(())
    }

    /// Makes a link by which an organisation invites a person, unless the person is more than its own member.
    pub async fn insert_invitation(
        &self,
        org: &OrgId,
        link: &Link,
        digest: &str,
        change: &Change,
    ) -> Result<std::result::Result<(), LinkRefusal>> {
        write!(self, connection => {
            if let Some(refusal) = invitation_refusal!(connection, org, link.person) {
                return Ok(Err(refusal));
            }
            insert_link!(connection, link, digest, change);
            record!(connection, change, "user.invite", link.person.as_str());
        });
        Ok(Ok(()))
    }

    /// The link with this digest, if it is still good.
    pub async fn find_link(&self, digest: &str, now: Timestamp) -> Result<Option<Link>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, LinkRow>(
                "SELECT person_id, org_id, expires_at FROM password_link WHERE digest = $1 AND expires_at > $2",
            )
            .bind(digest)
            .bind(now.as_micros())
            .fetch_optional(executor)
            .await?
        });
        Ok(row.map(LinkRow::read))
    }

    /// Sets the password of a link's person and uses the link up, in one step. An invitation is accepted by that. False
    /// if the link is not good any more.
    pub async fn use_link(&self, digest: &str, new: NewPassword<'_>, change: &Change) -> Result<bool> {
        write!(self, connection => {
            let used: Option<LinkRow> = sqlx::query_as(
                "DELETE FROM password_link WHERE digest = $1 AND expires_at > $2 \
                 RETURNING person_id, org_id, expires_at",
            )
            .bind(digest)
            .bind(change.at.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(Link { person, invited_by, .. }) = used.map(LinkRow::read) else {
                return Ok(false);
            };
            if let Some(org) = &invited_by {
                // What was so when the link was made may have changed since.
                if invitation_refusal!(connection, org, person).is_some() {
                    return Ok(false);
                }
                sqlx::query(
                    "UPDATE membership SET accepted = $3 \
                     WHERE org_id = $1 AND person_id = $2 AND accepted IS NULL",
                )
                .bind(org.as_str())
                .bind(person.as_str())
                .bind(change.at.as_micros())
                .execute(&mut *connection)
                .await?;
            }
            set_password!(connection, person, new, change.at);
            record_for_person!(connection, person, change, "password.set", person.as_str());
        });
        Ok(true)
    }

    /// Drops the links that have ended. They open nothing any more, so no change is recorded.
    pub async fn prune_links(&self, now: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM password_link WHERE person_id IN \
                 (SELECT person_id FROM password_link WHERE expires_at <= $1 LIMIT $2)",
            )
            .bind(now.as_micros())
            .bind(PRUNE_BATCH)
        )
    }
}
