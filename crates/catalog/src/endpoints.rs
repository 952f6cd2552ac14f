//! Endpoints: where some senders send to, with what came in by each. The secret of an address is not kept, but its digest.
//! Who sends to one is found in `senders`.

mod senders;

use sqlx::FromRow;
use tidegauge_model::{EndpointId, EndpointKind, OrgId, Timestamp, UserId};

use crate::audit::detail::named_with;
use crate::audit::{Change, record};
use crate::counts::{from_stored, to_stored};
use crate::db::{read, write, write_stats};
use crate::deletion::delete_one;
use crate::limits::check_room;
use crate::{Catalog, Error, Result};

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub id: EndpointId,
    pub name: String,
    pub kind: EndpointKind,
    /// The name of the dataset that everything goes to, whatever a sender says.
    pub dataset: String,
    /// JSON text of an object whose pairs are added to every event.
    pub labels: String,
    pub created: Timestamp,
    pub created_by: UserId,
    pub modified: Timestamp,
    pub stats: Stats,
}

/// What came in by an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Events stored.
    pub events: u64,
    /// Bytes of the requests that they came in.
    pub bytes: u64,
    /// Requests that were refused, and single events that failed.
    pub failures: u64,
    pub last_event: Option<Timestamp>,
    pub last_error: Option<LastError>,
}

/// Why something was not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    pub at: Timestamp,
    pub message: String,
}

/// An endpoint as it stood when something came in by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointAt {
    pub id: EndpointId,
    /// None where nobody got as far as that, and nothing of an event was looked at.
    pub version: Option<Version>,
}

/// Which dataset an endpoint led to, and since when it stands like that. Why something was not stored is shown for no
/// other version: it may quote an event of a dataset that its reader may not query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub dataset: String,
    pub modified: Timestamp,
}

impl Endpoint {
    /// As it stands now.
    pub fn as_it_stands(&self) -> EndpointAt {
        let version = Version { dataset: self.dataset.clone(), modified: self.modified };
        EndpointAt { id: self.id.clone(), version: Some(version) }
    }
}

impl Stats {
    /// Adds what came later.
    pub fn add(&mut self, later: Self) {
        self.events = self.events.saturating_add(later.events);
        self.bytes = self.bytes.saturating_add(later.bytes);
        self.failures = self.failures.saturating_add(later.failures);
        self.last_event = later.last_event.or(self.last_event);
        self.last_error = later.last_error.or(self.last_error.take());
    }
}

#[derive(FromRow)]
struct EndpointRow {
    id: String,
    org_id: String,
    name: String,
    kind: String,
    dataset: String,
    labels: String,
    created: i64,
    created_by: String,
    modified: i64,
    events: i64,
    bytes: i64,
    failures: i64,
    last_event: Option<i64>,
    last_error: Option<String>,
    last_error_at: Option<i64>,
}

impl EndpointRow {
    fn read(self) -> Result<Endpoint> {
        let last_error = match (self.last_error_at, self.last_error) {
            (Some(at), Some(message)) => Some(LastError { at: Timestamp::from_micros(at), message }),
            _ => None,
        };
        let kind = EndpointKind::from_name(&self.kind);
        Ok(Endpoint {
            kind: kind.ok_or_else(|| Error::corrupt("an endpoint of the kind", &self.kind))?,
            id: self.id.into(),
            name: self.name,
            dataset: self.dataset,
            labels: self.labels,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
            modified: Timestamp::from_micros(self.modified),
            stats: Stats {
                events: from_stored("the events of an endpoint", self.events)?,
                bytes: from_stored("the bytes of an endpoint", self.bytes)?,
                failures: from_stored("the failures of an endpoint", self.failures)?,
                last_event: self.last_event.map(Timestamp::from_micros),
                last_error,
            },
        })
    }
}

/// What an [`EndpointRow`] is read from.
macro_rules! columns {
    () => {
        "id, org_id, name, kind, dataset, labels, created, created_by, modified, events, bytes, failures, \
         last_event, last_error, last_error_at"
    };
}

pub(crate) use columns;

const SELECT_ALL: &str = concat!("SELECT ", columns!(), " FROM endpoint WHERE org_id = $1 ORDER BY id");

const SELECT_ONE: &str = concat!("SELECT ", columns!(), " FROM endpoint WHERE org_id = $1 AND id = $2");

const REPLACE: &str = concat!(
    "UPDATE endpoint SET name = $3, kind = $4, dataset = $5, labels = $6, modified = $7, \
     last_error = CASE WHEN dataset = $5 THEN last_error ELSE NULL END, \
     last_error_at = CASE WHEN dataset = $5 THEN last_error_at ELSE NULL END \
     WHERE org_id = $1 AND id = $2 RETURNING ",
    columns!()
);

/// Why something was not stored counts if the endpoint still stands as it did then; where it has another dataset by now, or
/// its dataset was deleted since, it says nothing of that.
macro_rules! if_same_version {
    ($value:literal, $present:literal) => {
        concat!(
            "CASE WHEN $8 IS NULL OR (dataset = $8 AND modified = $9) THEN COALESCE(",
            $value,
            ", ",
            $present,
            ") ELSE ",
            $present,
            " END"
        )
    };
}

const COUNT: &str = concat!(
    "UPDATE endpoint SET events = events + $2, bytes = bytes + $3, failures = failures + $4, \
     last_event = COALESCE($5, last_event), last_error = ",
    if_same_version!("$6", "last_error"),
    ", last_error_at = ",
    if_same_version!("$7", "last_error_at"),
    " WHERE id = $1"
);

pub(crate) const OF_DATASET: &str = "SELECT id FROM endpoint WHERE org_id = $1 AND dataset = $2";

/// Another version, so that what is on its way into the catalogue does not come back.
pub(crate) const FORGET_ERROR: &str = "UPDATE endpoint SET last_error = NULL, last_error_at = NULL, \
    modified = CASE WHEN modified < $2 THEN $2 ELSE modified + 1 END WHERE id = $1";

/// Forgets inside a transaction why something was not stored in a dataset that is deleted: another one of its name has other
/// readers.
macro_rules! forget_errors {
    ($connection:expr, $org:expr, $dataset:expr, $now:expr) => {{
        let mut endpoints: Vec<String> = sqlx::query_scalar($crate::endpoints::OF_DATASET)
            .bind($org.as_str())
            .bind($dataset)
            .fetch_all(&mut *$connection)
            .await?;
        // In the order in which what came in is counted, so that nobody waits for each other in a circle.
        endpoints.sort_unstable();
        for endpoint in &endpoints {
            sqlx::query($crate::endpoints::FORGET_ERROR)
                .bind(endpoint)
                .bind($now.as_micros())
                .execute(&mut *$connection)
                .await?;
        }
    }};
}

pub(crate) use forget_errors;

/// What the audit trail says of an endpoint: its name, what it takes and where that goes, and nothing of its address.
fn detail(endpoint: &Endpoint) -> String {
    named_with(&endpoint.name, format!("{} into {:?}", endpoint.kind.name(), endpoint.dataset))
}

impl Catalog {
    pub async fn list_endpoints(&self, org: &OrgId) -> Result<Vec<Endpoint>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, EndpointRow>(SELECT_ALL).bind(org.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(EndpointRow::read).collect()
    }

    pub async fn find_endpoint(&self, org: &OrgId, id: &EndpointId) -> Result<Option<Endpoint>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, EndpointRow>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        row.map(EndpointRow::read).transpose()
    }

    /// Keeps an endpoint with the digest of its address. A reached limit if the organisation has `max` already.
    pub async fn insert_endpoint(
        &self,
        org: &OrgId,
        endpoint: &Endpoint,
        digest: &str,
        max: i64,
        change: &Change,
    ) -> Result<()> {
        write!(self, connection => {
            check_room!(connection, org, "endpoint", max);
            sqlx::query(
                "INSERT INTO endpoint (id, org_id, name, kind, dataset, labels, digest, created, created_by, \
                 modified) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(endpoint.id.as_str())
            .bind(org.as_str())
            .bind(&endpoint.name)
            .bind(endpoint.kind.name())
            .bind(&endpoint.dataset)
            .bind(&endpoint.labels)
            .bind(digest)
            .bind(endpoint.created.as_micros())
            .bind(endpoint.created_by.as_str())
            .bind(endpoint.modified.as_micros())
            .execute(&mut *connection)
            .await?;
            record!(connection, change, "endpoint.create", endpoint.id.as_str(), detail(endpoint));
        });
        Ok(())
    }

    /// Replaces what a caller may set; its address, its figures, who created it and when stay. Why something was last not
    /// stored stays with its dataset: it may quote events of that. `None` if there is no such endpoint.
    pub async fn replace_endpoint(
        &self,
        org: &OrgId,
        endpoint: &Endpoint,
        change: &Change,
    ) -> Result<Option<Endpoint>> {
        let row: EndpointRow = write!(self, connection => {
            let row: Option<EndpointRow> = sqlx::query_as(REPLACE)
                .bind(org.as_str())
                .bind(endpoint.id.as_str())
                .bind(&endpoint.name)
                .bind(endpoint.kind.name())
                .bind(&endpoint.dataset)
                .bind(&endpoint.labels)
                .bind(endpoint.modified.as_micros())
                .fetch_optional(&mut *connection)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            record!(connection, change, "endpoint.update", endpoint.id.as_str(), detail(endpoint));
            row
        });
        row.read().map(Some)
    }

    pub async fn delete_endpoint(&self, org: &OrgId, id: &EndpointId, change: &Change) -> Result<bool> {
        delete_one!(self, "endpoint", "name", org, id, change, "endpoint.delete")
    }

    /// Adds what came in by endpoints. One that was deleted meanwhile is left out.
    pub async fn count_endpoints(&self, stats: &[(EndpointAt, Stats)]) -> Result<()> {
        write_stats!(self, connection => {
            for (endpoint, stats) in stats {
                let version = endpoint.version.as_ref();
                sqlx::query(COUNT)
                    .bind(endpoint.id.as_str())
                    .bind(to_stored(stats.events)?)
                    .bind(to_stored(stats.bytes)?)
                    .bind(to_stored(stats.failures)?)
                    .bind(stats.last_event.map(Timestamp::as_micros))
                    .bind(stats.last_error.as_ref().map(|error| error.message.as_str()))
                    .bind(stats.last_error.as_ref().map(|error| error.at.as_micros()))
                    .bind(version.map(|version| version.dataset.as_str()))
                    .bind(version.map(|version| version.modified.as_micros()))
                    .execute(&mut *connection)
                    .await?;
            }
        });
        Ok(())
    }
}
