//! One-time links, good once and until a time. By one of the operator a person sets another password. By one of an
//! organisation, its invitation, a membership is accepted: with a password for an account of its own, or by an account
//! that exists. A newer link ends the one before of the same kind. What is stored of its secret is a digest.

use sqlx::FromRow;
use tidegauge_model::{OrgId, Timestamp, UserId};

use crate::audit::{Change, record};
use crate::db::{drop_in_batches, read, write};
use crate::link_issuers::{Issuer, IssuerRow};
use crate::membership::{held_role, move_membership};
use crate::orgs::lock_org;
use crate::passwords::{NewPassword, forget_failures, set_password};
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
    pub issuer: Issuer,
    pub expires_at: Timestamp,
}

/// Why an organisation cannot invite a person by a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRefusal {
    /// There is no such member.
    NotAMember,
    /// The person has accepted: a link would hand their account to who asks for it.
    Accepted,
}

/// How an account that takes up an invitation fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    Joined,
    /// The link is not good any more.
    Gone,
    /// The invitation is for another address.
    OtherAddress,
}

#[derive(FromRow)]
struct LinkRow {
    person_id: String,
    org_id: Option<String>,
    expires_at: i64,
    #[sqlx(flatten)]
    issuer: IssuerRow,
}

impl LinkRow {
    fn read(self) -> Result<Link> {
        Ok(Link {
            person: self.person_id.into(),
            invited_by: self.org_id.map(OrgId::from),
            issuer: self.issuer.read()?,
            expires_at: Timestamp::from_micros(self.expires_at),
        })
    }
}

const SELECT_LINK: &str = "SELECT person_id, CAST(NULL AS TEXT) AS org_id, expires_at, \
    CAST('operator' AS TEXT) AS issuer, CAST(NULL AS TEXT) AS issuer_token, CAST(NULL AS TEXT) AS issuer_role, \
    CAST('{}' AS TEXT) AS issuer_capabilities FROM password_link WHERE digest = $1 AND expires_at > $2 \
    UNION ALL SELECT person_id, org_id, expires_at, issuer, issuer_token, issuer_role, issuer_capabilities \
    FROM invitation WHERE digest = $1 AND expires_at > $2";

const INSERT_INVITATION: &str = "INSERT INTO invitation \
    (org_id, person_id, digest, created, expires_at, issuer, issuer_token, issuer_role, issuer_capabilities) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (org_id, person_id) DO UPDATE SET \
    digest = excluded.digest, created = excluded.created, expires_at = excluded.expires_at, \
    issuer = excluded.issuer, issuer_token = excluded.issuer_token, issuer_role = excluded.issuer_role, \
    issuer_capabilities = excluded.issuer_capabilities";

const USE_LINK: &str = "DELETE FROM password_link WHERE digest = $1 AND expires_at > $2 RETURNING person_id";

const USE_INVITATION: &str =
    "DELETE FROM invitation WHERE digest = $1 AND expires_at > $2 RETURNING org_id, person_id";

// The first account that is set up for an address signs in with it, and keeps it.
const CLAIM_ADDRESS: &str = "UPDATE person SET sign_in = email WHERE id = $1 \
    AND NOT EXISTS (SELECT 1 FROM person taken WHERE taken.sign_in = person.email)";

/// Uses up an invitation inside a transaction, with a lock on its organisation, which whoever changes or removes the
/// membership takes too. Gives the organisation and the person who waits there, if the link is good.
macro_rules! use_invitation {
    ($connection:expr, $digest:expr, $at:expr) => {{
        let org: Option<String> = sqlx::query_scalar("SELECT org_id FROM invitation WHERE digest = $1")
            .bind($digest)
            .fetch_optional(&mut *$connection)
            .await?;
        if let Some(org) = &org {
            lock_org!($connection, OrgId::from(org.as_str()));
        }
        let used: Option<(String, String)> = sqlx::query_as(USE_INVITATION)
            .bind($digest)
            .bind($at.as_micros())
            .fetch_optional(&mut *$connection)
            .await?;
        used.map(|(org, person)| (OrgId::from(org), UserId::from(person)))
    }};
}

impl Catalog {
    /// Makes a link for the operator, who may do that for everybody.
    pub async fn insert_link(
        &self,
        person: &UserId,
        digest: &str,
        expires_at: Timestamp,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            sqlx::query(
                "INSERT INTO password_link (person_id, digest, created, expires_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (person_id) DO UPDATE SET digest = excluded.digest, created = excluded.created, \
                 expires_at = excluded.expires_at",
            )
            .bind(person.as_str())
            .bind(digest)
            .bind(change.at.as_micros())
            .bind(expires_at.as_micros())
            .execute(&mut *connection)
            .await?;
            let detail = format!("until {expires_at}");
            record_for_person!(connection, person, change, "user.link", person.as_str(), &detail);
        });
        Ok(())
    }

    /// Makes a link by which a membership can be accepted that was not yet.
    pub async fn insert_invitation(
        &self,
        org: &OrgId,
        person: &UserId,
        digest: &str,
        expires_at: Timestamp,
        issuer: &Issuer,
        change: &Change,
    ) -> Result<std::result::Result<(), LinkRefusal>> {
        let issuer = IssuerRow::of(issuer);
        write!(self, connection => {
            lock_org!(connection, org);
            let accepted: Option<Option<i64>> =
                sqlx::query_scalar("SELECT accepted FROM membership WHERE org_id = $1 AND person_id = $2")
                    .bind(org.as_str())
                    .bind(person.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
            match accepted {
                None => return Ok(Err(LinkRefusal::NotAMember)),
                Some(Some(_)) => return Ok(Err(LinkRefusal::Accepted)),
                Some(None) => {}
            }
            sqlx::query(INSERT_INVITATION)
                .bind(org.as_str())
                .bind(person.as_str())
                .bind(digest)
                .bind(change.at.as_micros())
                .bind(expires_at.as_micros())
                .bind(&issuer.issuer)
                .bind(&issuer.issuer_token)
                .bind(&issuer.issuer_role)
                .bind(&issuer.issuer_capabilities)
                .execute(&mut *connection)
                .await?;
            record!(connection, change, "user.invite", person.as_str(), format!("until {expires_at}"));
        });
        Ok(Ok(()))
    }

    /// The link with this digest, if it is still good.
    pub async fn find_link(&self, digest: &str, now: Timestamp) -> Result<Option<Link>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, LinkRow>(SELECT_LINK)
                .bind(digest)
                .bind(now.as_micros())
                .fetch_optional(executor)
                .await?
        });
        row.map(LinkRow::read).transpose()
    }

    /// Sets the password of a link's person and uses the link up, in one step. An invitation is accepted by that, as an
    /// account of its own. False if the link is not good any more.
    pub async fn use_link(&self, digest: &str, new: NewPassword<'_>, change: &Change) -> Result<bool> {
        write!(self, connection => {
            let used: Option<String> = sqlx::query_scalar(USE_LINK)
                .bind(digest)
                .bind(change.at.as_micros())
                .fetch_optional(&mut *connection)
                .await?;
            let person = match used.map(UserId::from) {
                Some(person) => {
                    forget_failures!(connection, new);
                    person
                }
                None => {
                    let Some((org, person)) = use_invitation!(connection, digest, change.at) else {
                        return Ok(false);
                    };
                    sqlx::query("UPDATE membership SET accepted = $3 WHERE org_id = $1 AND person_id = $2")
                        .bind(org.as_str())
                        .bind(person.as_str())
                        .bind(change.at.as_micros())
                        .execute(&mut *connection)
                        .await?;
                    let claimed =
                        sqlx::query(CLAIM_ADDRESS).bind(person.as_str()).execute(&mut *connection).await?;
                    // Only of an address that nobody signs in with: else an invitation would let others guess on.
                    if claimed.rows_affected() > 0 {
                        forget_failures!(connection, new);
                    }
                    let detail = held_role!(connection, org, person);
                    let accepted = Change { org: Some(org), ..change.clone() };
                    record!(connection, accepted, "user.accept", person.as_str(), detail);
                    person
                }
            };
            set_password!(connection, person, new, change.at);
            record_for_person!(connection, person, change, "password.set", person.as_str(), "");
        });
        Ok(true)
    }

    /// Gives the membership of an invitation to an account of the same address, and uses the link up.
    pub async fn join_by_invitation(
        &self,
        digest: &str,
        account: &UserId,
        change: &Change,
    ) -> Result<Joining> {
        write!(self, connection => {
            let Some((org, waiting)) = use_invitation!(connection, digest, change.at) else {
                return Ok(Joining::Gone);
            };
            let same: i64 = sqlx::query_scalar(
                "SELECT COUNT(*) FROM person p JOIN person w ON w.email = p.email WHERE p.id = $1 AND w.id = $2",
            )
            .bind(account.as_str())
            .bind(waiting.as_str())
            .fetch_one(&mut *connection)
            .await?;
            if same == 0 {
                return Ok(Joining::OtherAddress);
            }
            move_membership!(connection, org, waiting, account, change.at);
            let held = held_role!(connection, org, account);
            let accepted = Change { org: Some(org), ..change.clone() };
            // Both names stand in the trail: the organisation knew the member by the first until now.
            record!(connection, accepted, "user.accept", waiting.as_str(), format!("by the account {account}"));
            record!(connection, accepted, "user.join", account.as_str(), held);
        });
        Ok(Joining::Joined)
    }

    /// Drops the links that have ended. They open nothing any more, so no change is recorded.
    pub async fn prune_links(&self, now: Timestamp) -> Result<u64> {
        let invitations = self.prune_invitations(now).await?;
        let links = self.prune_password_links(now).await?;
        Ok(invitations + links)
    }

    async fn prune_invitations(&self, now: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM invitation WHERE digest IN \
                 (SELECT digest FROM invitation WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
            )
            .bind(now.as_micros())
            .bind(PRUNE_BATCH)
        )
    }

    async fn prune_password_links(&self, now: Timestamp) -> Result<u64> {
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
