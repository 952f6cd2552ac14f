//! What the runs of monitors may read, by epoch. An epoch of a monitor begins with the revision in which its query, or
//! what it may read, was changed; what runs have found is for those who may query what was read then.

use std::collections::BTreeMap;

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::{MonitorId, OrgId};

use crate::db::read;
use crate::limits::LIST_BYTES_MAX;
use crate::{Catalog, Error, Result};

/// What the runs of a monitor may read: what its maker could when the query was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Names of datasets, each once.
    pub datasets: Vec<String>,
    /// Names of views that may be queried without a right on what they read.
    pub views: Vec<String>,
}

/// What runs of monitors could read, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadsByEpoch(BTreeMap<MonitorId, BTreeMap<i64, Reads>>);

impl ReadsByEpoch {
    /// What the runs of an epoch of a monitor could read. None where nobody knows it any more.
    pub fn of(&self, monitor: &MonitorId, epoch: Option<i64>) -> Option<&Reads> {
        self.0.get(monitor)?.get(&epoch?)
    }
}

impl Reads {
    pub(crate) fn of_texts(datasets: &str, views: &str) -> Result<Self> {
        Ok(Self { datasets: names(datasets)?, views: names(views)? })
    }
}

fn names(text: &str) -> Result<Vec<String>> {
    serde_json::from_str(text).map_err(|_| Error::corrupt("what a monitor reads as", text))
}

pub(crate) fn names_text(names: &[String]) -> String {
    // A list of strings always has a JSON form.
    serde_json::to_string(names).unwrap_or_default()
}

pub(crate) const INSERT: &str = "INSERT INTO monitor_reads (monitor_id, org_id, epoch, datasets, views) \
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (monitor_id, epoch) DO NOTHING";

/// Of the epochs of a monitor, all but the newest.
pub(crate) const FORGET_OLD: &str = "DELETE FROM monitor_reads WHERE monitor_id = $1 AND epoch NOT IN \
    (SELECT epoch FROM monitor_reads WHERE monitor_id = $1 ORDER BY epoch DESC LIMIT $2)";

/// Writes down inside a transaction what the runs of a monitor may read from now on.
macro_rules! keep_reads {
    ($connection:expr, $monitor:expr) => {{
        sqlx::query($crate::monitor_reads::INSERT)
            .bind($monitor.id.as_str())
            .bind($monitor.org.as_str())
            .bind($monitor.epoch)
            .bind($crate::monitor_reads::names_text(&$monitor.reads.datasets))
            .bind($crate::monitor_reads::names_text(&$monitor.reads.views))
            .execute(&mut *$connection)
            .await?;
        sqlx::query($crate::monitor_reads::FORGET_OLD)
            .bind($monitor.id.as_str())
            .bind($crate::limits::MONITOR_EPOCHS_MAX)
            .execute(&mut *$connection)
            .await?;
    }};
}

pub(crate) use keep_reads;

#[derive(FromRow)]
struct ReadsRow {
    monitor_id: String,
    epoch: i64,
    datasets: String,
    views: String,
}

/// The newest epochs come first, because they are asked about most.
const SELECT: &str = "SELECT monitor_id, epoch, datasets, views FROM monitor_reads \
    WHERE org_id = $1 AND monitor_id = COALESCE($2, monitor_id) ORDER BY epoch DESC, monitor_id";

impl Catalog {
    /// What runs of the monitors of an organisation could read, or of one of them. What would be too large a list is left
    /// out, as if nobody knew it.
    pub async fn monitor_reads(&self, org: &OrgId, monitor: Option<&MonitorId>) -> Result<ReadsByEpoch> {
        let known = read!(self, executor => {
            let (mut known, mut bytes) = (ReadsByEpoch::default(), 0);
            let mut found = sqlx::query_as::<_, ReadsRow>(SELECT)
                .bind(org.as_str())
                .bind(monitor.map(MonitorId::as_str))
                .fetch(executor);
            while let Some(row) = found.try_next().await? {
                bytes += row.datasets.len() + row.views.len();
                if bytes > LIST_BYTES_MAX {
                    break;
                }
                let reads = Reads::of_texts(&row.datasets, &row.views)?;
                known.0.entry(row.monitor_id.into()).or_default().insert(row.epoch, reads);
            }
            known
        });
        Ok(known)
    }
}
