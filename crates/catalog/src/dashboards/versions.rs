//! How a dashboard was before: each write leaves its document, with who wrote it, when, and what they said of it. As many
//! are kept as the limits say; the present one always is.

use sqlx::FromRow;
use tidegauge_model::{DashboardId, OrgId, Timestamp, UserId};

use crate::db::read;
use crate::limits::{DASHBOARD_VERSION_BYTES_MAX, DASHBOARD_VERSIONS_MAX};
use crate::{Catalog, Result};

/// One version of a dashboard, without its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DashboardVersion {
    pub version: i64,
    pub message: String,
    pub created: Timestamp,
    pub created_by: UserId,
}

#[derive(FromRow)]
struct VersionRow {
    version: i64,
    message: String,
    created: i64,
    created_by: String,
}

impl VersionRow {
    fn read(self) -> DashboardVersion {
        DashboardVersion {
            version: self.version,
            message: self.message,
            created: Timestamp::from_micros(self.created),
            created_by: self.created_by.into(),
        }
    }
}

#[derive(FromRow)]
struct VersionWithDocument {
    #[sqlx(flatten)]
    version: VersionRow,
    document: String,
}

impl VersionWithDocument {
    fn read(self) -> (DashboardVersion, String) {
        (self.version.read(), self.document)
    }
}

const SELECT_ALL: &str = "SELECT v.version, v.message, v.created, v.created_by FROM dashboard_version v \
    JOIN dashboard d ON d.id = v.dashboard_id WHERE d.org_id = $1 AND d.id = $2 \
    ORDER BY v.version DESC LIMIT $3 OFFSET $4";

const SELECT_ONE: &str = "SELECT v.version, v.message, v.created, v.created_by, v.document \
    FROM dashboard_version v JOIN dashboard d ON d.id = v.dashboard_id \
    WHERE d.org_id = $1 AND d.id = $2 AND v.version = $3";

const SELECT_DOCUMENTS: &str = "SELECT v.version, v.message, v.created, v.created_by, v.document \
    FROM dashboard_version v JOIN dashboard d ON d.id = v.dashboard_id \
    WHERE d.org_id = $1 AND d.id = $2 ORDER BY v.version DESC";

pub(super) const INSERT: &str = "INSERT INTO dashboard_version \
    (dashboard_id, version, document, bytes, message, created, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)";

pub(super) const SELECT_SIZES: &str =
    "SELECT version, bytes FROM dashboard_version WHERE dashboard_id = $1 ORDER BY version DESC";

pub(super) const DELETE_BEFORE: &str =
    "DELETE FROM dashboard_version WHERE dashboard_id = $1 AND version < $2";

/// The oldest version to keep, of all from the newest to the oldest with their bytes.
pub(super) fn oldest_kept(sizes: &[(i64, i64)]) -> i64 {
    let mut oldest = sizes.first().map_or(0, |newest| newest.0);
    let mut bytes = 0;
    for &(version, size) in sizes.iter().take(DASHBOARD_VERSIONS_MAX) {
        bytes += size;
        if bytes > DASHBOARD_VERSION_BYTES_MAX {
            break;
        }
        oldest = version;
    }
    oldest
}

/// Keeps the version that a write has made, inside its transaction, and lets go of old ones.
macro_rules! keep_version {
    ($connection:expr, $dashboard:expr, $note:expr) => {{
        sqlx::query($crate::dashboards::versions::INSERT)
            .bind($dashboard.id.as_str())
            .bind($dashboard.version)
            .bind(&$dashboard.document)
            .bind(i64::try_from($dashboard.document.len()).unwrap_or(i64::MAX))
            .bind(&$note.message)
            .bind($dashboard.modified.as_micros())
            .bind($dashboard.modified_by.as_str())
            .execute(&mut *$connection)
            .await?;
        let sizes: Vec<(i64, i64)> = sqlx::query_as($crate::dashboards::versions::SELECT_SIZES)
            .bind($dashboard.id.as_str())
            .fetch_all(&mut *$connection)
            .await?;
        sqlx::query($crate::dashboards::versions::DELETE_BEFORE)
            .bind($dashboard.id.as_str())
            .bind($crate::dashboards::versions::oldest_kept(&sizes))
            .execute(&mut *$connection)
            .await?;
    }};
}

pub(super) use keep_version;

impl Catalog {
    /// The versions of a dashboard that are kept, the newest first.
    pub async fn list_dashboard_versions(
        &self,
        org: &OrgId,
        id: &DashboardId,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<DashboardVersion>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, VersionRow>(SELECT_ALL)
                .bind(org.as_str())
                .bind(id.as_str())
                .bind(limit)
                .bind(offset)
                .fetch_all(executor)
                .await?
        });
        Ok(rows.into_iter().map(VersionRow::read).collect())
    }

    /// All versions of a dashboard with their documents, the newest first. They are bounded by what is kept.
    pub async fn dashboard_versions_with_documents(
        &self,
        org: &OrgId,
        id: &DashboardId,
    ) -> Result<Vec<(DashboardVersion, String)>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, VersionWithDocument>(SELECT_DOCUMENTS)
                .bind(org.as_str())
                .bind(id.as_str())
                .fetch_all(executor)
                .await?
        });
        Ok(rows.into_iter().map(VersionWithDocument::read).collect())
    }

    /// One version and its document.
    pub async fn find_dashboard_version(
        &self,
        org: &OrgId,
        id: &DashboardId,
        version: i64,
    ) -> Result<Option<(DashboardVersion, String)>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, VersionWithDocument>(SELECT_ONE)
                .bind(org.as_str())
                .bind(id.as_str())
                .bind(version)
                .fetch_optional(executor)
                .await?
        });
        Ok(row.map(VersionWithDocument::read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_kept_and_old_ones_go_by_number_and_by_bytes() {
        let most = i64::try_from(DASHBOARD_VERSIONS_MAX).unwrap();
        let small = |count: i64| (1..=count).rev().map(|version| (version, 10)).collect::<Vec<_>>();
        assert_eq!(oldest_kept(&small(1)), 1);
        assert_eq!(oldest_kept(&small(most)), 1);
        assert_eq!(oldest_kept(&small(most + 1)), 2);

        let half = DASHBOARD_VERSION_BYTES_MAX / 2;
        assert_eq!(oldest_kept(&[(9, half), (8, half), (7, 1)]), 8);
        assert_eq!(oldest_kept(&[(9, half), (8, half + 1), (7, 1)]), 9);
        assert_eq!(oldest_kept(&[(9, DASHBOARD_VERSION_BYTES_MAX + 1), (8, 1)]), 9);
        assert_eq!(oldest_kept(&[]), 0);
    }
}
