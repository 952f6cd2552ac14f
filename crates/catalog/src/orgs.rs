//! Organisations: reading them, creating one with its first owner, changing one.

use sqlx::FromRow;
use tidegauge_model::org::Payment;
use tidegauge_model::{ErrorKind, Licence, Org, OrgId, PaymentStatus, Plan, Role, Timestamp, UserId};

use crate::audit::detail::{cut, named};
use crate::audit::{Change, record};
use crate::db::{read, write};
use crate::limits::ORGS_OWNED_MAX;
use crate::{Catalog, Error, Result};

/// What an [`OrgRow`] is read from.
macro_rules! columns {
    () => {
        "o.id, o.name, o.primary_email, o.plan, o.plan_created, o.payment_status, o.first_failed_payment, \
         o.last_usage_sync, o.default_region, o.licence, o.created, o.modified, o.version"
    };
}

const SELECT: &str = concat!("SELECT ", columns!(), " FROM org o WHERE o.id = $1");

const SELECT_OF_PERSON: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM org o JOIN membership m ON m.org_id = o.id WHERE m.person_id = $1 \
     AND m.accepted IS NOT NULL ORDER BY o.id LIMIT 1000"
);

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM org o ORDER BY o.id");

pub(crate) const INSERT: &str = "INSERT INTO org (id, name, primary_email, plan, plan_created, payment_status, \
    first_failed_payment, last_usage_sync, default_region, licence, created, modified, version) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/// An organisation as it stands in the database.
#[derive(FromRow)]
struct OrgRow {
    id: String,
    name: String,
    primary_email: String,
    plan: String,
    plan_created: i64,
    payment_status: String,
    first_failed_payment: Option<i64>,
    last_usage_sync: i64,
    default_region: String,
    licence: String,
    created: i64,
    modified: i64,
    version: i64,
}

impl OrgRow {
    fn read(self) -> Result<Org> {
        Ok(Org {
            plan: Plan::from_name(&self.plan).ok_or_else(|| Error::corrupt("the plan", &self.plan))?,
            payment: read_payment(&self.payment_status, self.first_failed_payment)?,
            licence: read_licence(&self.licence)?,
            id: self.id.into(),
            name: self.name,
            primary_email: self.primary_email,
            plan_created: Timestamp::from_micros(self.plan_created),
            last_usage_sync: Timestamp::from_micros(self.last_usage_sync),
            default_region: self.default_region,
            created: Timestamp::from_micros(self.created),
            modified: Timestamp::from_micros(self.modified),
            version: self.version,
        })
    }
}

pub(crate) fn read_payment(status: &str, first_failed: Option<i64>) -> Result<Payment> {
    let set = PaymentStatus::from_name(status).ok_or_else(|| Error::corrupt("the payment status", status))?;
    Ok(Payment { set, first_failed: first_failed.map(Timestamp::from_micros) })
}

pub(crate) fn read_licence(text: &str) -> Result<Licence> {
    serde_json::from_str(text).map_err(|_| Error::corrupt("the licence", text))
}

pub(crate) fn licence_text(licence: &Licence) -> String {
    // A struct of strings and numbers always has a JSON form.
    serde_json::to_string(licence).unwrap_or_default()
}

/// Inserts an organisation inside a transaction.
macro_rules! insert_org {
    ($connection:expr, $org:expr) => {
        sqlx::query($crate::orgs::INSERT)
            .bind($org.id.as_str())
            .bind(&$org.name)
            .bind(&$org.primary_email)
            .bind($org.plan.name())
            .bind($org.plan_created.as_micros())
            .bind($org.payment.set.name())
            .bind($org.payment.first_failed.map(tidegauge_model::Timestamp::as_micros))
            .bind($org.last_usage_sync.as_micros())
            .bind(&$org.default_region)
            .bind($crate::orgs::licence_text(&$org.licence))
            .bind($org.created.as_micros())
            .bind($org.modified.as_micros())
            .bind($org.version)
            .execute(&mut *$connection)
            .await?
    };
}

/// Locks an organisation's row until the transaction ends, so that what is counted in it stays true. An update that
/// changes nothing does that on both databases.
macro_rules! lock_org {
    ($connection:expr, $org:expr) => {
        sqlx::query("UPDATE org SET version = version WHERE id = $1")
            .bind($org.as_str())
            .execute(&mut *$connection)
            .await?
    };
}

pub(crate) use {insert_org, lock_org};

/// What the audit trail says of a change: what was set, with what it was before.
fn difference(mut before: Org, after: &Org) -> String {
    let mut changes = Vec::new();
    if before.name != after.name {
        changes.push(format!("name {:?}, before {:?}", after.name, before.name));
    }
    if before.payment.set != after.payment.set {
        changes.push(format!("payment {}, before {}", after.payment.set.name(), before.payment.set.name()));
    }
    let mut limits = after.licence.limits.clone();
    for ((name, now), (_, before)) in limits.named().into_iter().zip(before.licence.limits.named()) {
        if now != before {
            changes.push(format!("{name} {now}, before {before}"));
        }
    }
    cut(changes.join("; "))
}

impl Catalog {
    pub async fn find_org(&self, id: &OrgId) -> Result<Option<Org>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, OrgRow>(SELECT).bind(id.as_str()).fetch_optional(executor).await?
        });
        row.map(OrgRow::read).transpose()
    }

    /// The organisations whose memberships a person has taken.
    pub async fn list_orgs_of(&self, person: &UserId) -> Result<Vec<Org>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, OrgRow>(SELECT_OF_PERSON).bind(person.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(OrgRow::read).collect()
    }

    /// Every organisation of the installation, for its operator.
    pub async fn list_all_orgs(&self) -> Result<Vec<Org>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, OrgRow>(SELECT_ALL).fetch_all(executor).await?
        });
        rows.into_iter().map(OrgRow::read).collect()
    }

    /// Creates an organisation with a person of the catalogue as its owner.
    pub async fn insert_org(&self, org: &Org, owner: &UserId, change: &Change) -> Result<()> {
        write!(self, connection => {
            // Locks the person, so that what is counted stays true.
            sqlx::query("UPDATE person SET name = name WHERE id = $1")
                .bind(owner.as_str())
                .execute(&mut *connection)
                .await?;
            // What they have not taken does not count: else others could keep them from having their own.
            let owned: i64 = sqlx::query_scalar(
                "SELECT COUNT(*) FROM membership WHERE person_id = $1 AND role = $2 AND accepted IS NOT NULL",
            )
            .bind(owner.as_str())
            .bind(Role::Owner.id())
            .fetch_one(&mut *connection)
            .await?;
            if owned >= ORGS_OWNED_MAX {
                let message = format!("one person can own {ORGS_OWNED_MAX} organisations");
                return Err(Error::new(ErrorKind::LimitReached, message));
            }
            insert_org!(connection, org);
            crate::users::insert_membership!(connection, org.id, owner, Role::Owner, org.created, Some(org.created));
            record!(connection, change, "org.create", org.id.as_str(), named(&org.name));
        });
        Ok(())
    }

    /// Changes an organisation under a lock: `edit` sees its present state and may refuse.
    pub async fn update_org<E>(
        &self,
        id: &OrgId,
        action: &'static str,
        change: &Change,
        edit: impl FnOnce(&mut Org) -> std::result::Result<(), E>,
    ) -> Result<Option<std::result::Result<Org, E>>> {
        let org = write!(self, connection => {
            lock_org!(connection, id);
            let row: Option<OrgRow> =
                sqlx::query_as(SELECT).bind(id.as_str()).fetch_optional(&mut *connection).await?;
            let Some(row) = row else {
                return Ok(None);
            };
            let mut org = row.read()?;
            let before = org.clone();
            if let Err(refused) = edit(&mut org) {
                return Ok(Some(Err(refused)));
            }
            org.modified = change.at;
            org.version += 1;
            sqlx::query(
                "UPDATE org SET name = $2, primary_email = $3, plan = $4, plan_created = $5, \
                 payment_status = $6, first_failed_payment = $7, last_usage_sync = $8, default_region = $9, \
                 licence = $10, modified = $11, version = $12 WHERE id = $1",
            )
            .bind(org.id.as_str())
            .bind(&org.name)
            .bind(&org.primary_email)
            .bind(org.plan.name())
            .bind(org.plan_created.as_micros())
            .bind(org.payment.set.name())
            .bind(org.payment.first_failed.map(Timestamp::as_micros))
            .bind(org.last_usage_sync.as_micros())
            .bind(&org.default_region)
            .bind(licence_text(&org.licence))
            .bind(org.modified.as_micros())
            .bind(org.version)
            .execute(&mut *connection)
            .await?;
            record!(connection, change, action, org.id.as_str(), difference(before, &org));
            org
        });
        Ok(Some(Ok(org)))
    }
}
