//! Requests of devices that wait until a person, elsewhere, types their code and decides.

use sqlx::FromRow;
use tidegauge_model::{ClientId, Timestamp, UserId};

use super::grants::{Grant, insert_grant, record_for_grant};
use super::refresh::{RefreshToken, insert_refresh};
use crate::audit::Change;
use crate::audit::detail::cut;
use crate::db::{drop_in_batches, read, write};
use crate::sign_ins::record_for_person;
use crate::{Catalog, Error, Result};

/// A request of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRequest {
    pub client: ClientId,
    pub scope: String,
    pub status: DeviceStatus,
    /// Who decided, and when they had signed in.
    pub person: Option<UserId>,
    pub auth_time: Option<Timestamp>,
    pub expires: Timestamp,
    /// How many seconds the device must wait between questions.
    pub interval_seconds: i64,
    pub polled: Option<Timestamp>,
}

/// How far a request of a device has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceStatus {
    Waiting,
    Allowed,
    Denied,
    /// Its tokens were handed out.
    Used,
}

impl DeviceStatus {
    const ALL: [Self; 4] = [Self::Waiting, Self::Allowed, Self::Denied, Self::Used];

    fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Used => "used",
        }
    }
}

/// What a device that asks finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Polled {
    Unknown,
    /// It asked before its interval was over, which is longer now.
    TooSoon,
    Found(DeviceRequest),
}

/// By how many seconds the interval of a device that asks too often grows (RFC 8628, 3.5).
const SLOWER_BY: i64 = 5;

/// Rows that are dropped in one transaction.
const BATCH: i64 = 1_000;

#[derive(FromRow)]
struct DeviceRow {
    client_id: String,
    scope: String,
    status: String,
    person_id: Option<String>,
    auth_time: Option<i64>,
    expires: i64,
    interval_seconds: i64,
    polled: Option<i64>,
}

impl DeviceRow {
    fn read(self) -> Result<DeviceRequest> {
        let status = DeviceStatus::ALL.into_iter().find(|status| status.name() == self.status);
        Ok(DeviceRequest {
            status: status.ok_or_else(|| Error::corrupt("the status", &self.status))?,
            client: self.client_id.into(),
            scope: self.scope,
            person: self.person_id.map(UserId::from),
            auth_time: self.auth_time.map(Timestamp::from_micros),
            expires: Timestamp::from_micros(self.expires),
            interval_seconds: self.interval_seconds,
            polled: self.polled.map(Timestamp::from_micros),
        })
    }

    fn is_too_soon(&self, now: Timestamp) -> bool {
        let wait = self.interval_seconds.saturating_mul(1_000_000);
        self.polled.is_some_and(|polled| now.as_micros().saturating_sub(polled) < wait)
    }
}

/// What a [`DeviceRow`] is read from.
macro_rules! columns {
    () => {
        "client_id, scope, status, person_id, auth_time, expires, interval_seconds, polled"
    };
}

const SELECT: &str = concat!("SELECT ", columns!(), " FROM oauth_device WHERE digest = $1");

const SELECT_BY_USER_CODE: &str = concat!("SELECT ", columns!(), " FROM oauth_device WHERE user_code = $1");

impl Catalog {
    /// Adds a request by the digests of its two codes.
    pub async fn insert_device_request(
        &self,
        digest: &str,
        user_code: &str,
        request: &DeviceRequest,
    ) -> Result<()> {
        // Nothing is granted yet, so there is nothing to record.
        write!(self, connection => {
            sqlx::query(
                "INSERT INTO oauth_device (digest, user_code, client_id, scope, status, expires, interval_seconds) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(digest)
            .bind(user_code)
            .bind(request.client.as_str())
            .bind(&request.scope)
            .bind(request.status.name())
            .bind(request.expires.as_micros())
            .bind(request.interval_seconds)
            .execute(&mut *connection)
            .await?;
        });
        Ok(())
    }

    pub async fn find_device_request(&self, user_code: &str) -> Result<Option<DeviceRequest>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, DeviceRow>(SELECT_BY_USER_CODE).bind(user_code).fetch_optional(executor).await?
        });
        row.map(DeviceRow::read).transpose()
    }

    /// How many requests wait, of all devices.
    pub async fn count_device_requests(&self, now: Timestamp) -> Result<i64> {
        let count = read!(self, executor => {
            sqlx::query_scalar("SELECT COUNT(*) FROM oauth_device WHERE expires > $1")
                .bind(now.as_micros())
                .fetch_one(executor)
                .await?
        });
        Ok(count)
    }

    /// Writes a person's decision down. False if the request has ended or was decided before.
    pub async fn decide_device_request(
        &self,
        user_code: &str,
        (person, auth_time): (&UserId, Timestamp),
        is_allowed: bool,
        change: &Change,
    ) -> Result<bool> {
        let status = if is_allowed { DeviceStatus::Allowed } else { DeviceStatus::Denied };
        write!(self, connection => {
            let decided: Option<(String, String)> = sqlx::query_as(
                "UPDATE oauth_device SET status = $2, person_id = $3, auth_time = $4 \
                 WHERE user_code = $1 AND status = $5 AND expires > $6 RETURNING client_id, scope",
            )
            .bind(user_code)
            .bind(status.name())
            .bind(person.as_str())
            .bind(auth_time.as_micros())
            .bind(DeviceStatus::Waiting.name())
            .bind(change.at.as_micros())
            .fetch_optional(&mut *connection)
            .await?;
            let Some((client, scope)) = decided else {
                return Ok(false);
            };
            let action = if is_allowed { "oauth.device.allow" } else { "oauth.device.deny" };
            let detail = cut(scope);
            record_for_person!(connection, person, change, action, &client, &detail);
        });
        Ok(true)
    }

    /// A device asks how far its request has come. One that asks too soon must wait longer from then on.
    pub async fn poll_device_request(&self, digest: &str, now: Timestamp) -> Result<Polled> {
        // Anybody can ask about codes that nobody has; that must not keep others from writing.
        let known: Option<DeviceRow> = read!(self, executor => {
            sqlx::query_as(SELECT).bind(digest).fetch_optional(executor).await?
        });
        if known.is_none() {
            return Ok(Polled::Unknown);
        }
        let (row, is_too_soon) = write!(self, connection => {
            // Takes the row first: of several questions at once, each must see the one before.
            sqlx::query("UPDATE oauth_device SET digest = digest WHERE digest = $1")
                .bind(digest)
                .execute(&mut *connection)
                .await?;
            let row: Option<DeviceRow> =
                sqlx::query_as(SELECT).bind(digest).fetch_optional(&mut *connection).await?;
            let Some(row) = row else {
                return Ok(Polled::Unknown);
            };
            let is_too_soon = row.is_too_soon(now);
            let slower = if is_too_soon { SLOWER_BY } else { 0 };
            sqlx::query(
                "UPDATE oauth_device SET polled = $2, interval_seconds = interval_seconds + $3 WHERE digest = $1",
            )
            .bind(digest)
            .bind(now.as_micros())
            .bind(slower)
            .execute(&mut *connection)
            .await?;
            (row, is_too_soon)
        });
        if is_too_soon { Ok(Polled::TooSoon) } else { Ok(Polled::Found(row.read()?)) }
    }

    /// Hands out what a person allowed a device, once.
    pub async fn redeem_device_request(
        &self,
        digest: &str,
        grant: &Grant,
        refresh: Option<&RefreshToken>,
        change: &Change,
    ) -> Result<bool> {
        write!(self, connection => {
            let used = sqlx::query("UPDATE oauth_device SET status = $2 WHERE digest = $1 AND status = $3")
                .bind(digest)
                .bind(DeviceStatus::Used.name())
                .bind(DeviceStatus::Allowed.name())
                .execute(&mut *connection)
                .await?
                .rows_affected();
            if used == 0 {
                return Ok(false);
            }
            insert_grant!(connection, grant);
            if let Some(refresh) = refresh {
                insert_refresh!(connection, refresh);
            }
            record_for_grant!(connection, grant.id.as_str(), change, "oauth.grant.create");
        });
        Ok(true)
    }

    /// Drops requests that ended before a time.
    pub async fn forget_device_requests_ended_before(&self, time: Timestamp) -> Result<u64> {
        drop_in_batches!(self, sqlx::query(
            "DELETE FROM oauth_device WHERE digest IN (SELECT digest FROM oauth_device WHERE expires < $1 LIMIT $2)",
        )
        .bind(time.as_micros())
        .bind(BATCH))
    }
}
