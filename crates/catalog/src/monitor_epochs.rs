//! New epochs of monitors whose dataset or view goes. What runs have found in it goes with it: another one of its name is
//! another one, and who may query that one could not have found it. Which views read a dataset is for those who understand
//! their texts.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt;
use sqlx::FromRow;
use tidegauge_model::OrgId;

use crate::db::{read, write};
use crate::monitor_reads::Reads;
use crate::{Catalog, Result};

/// Names that stand for nothing any more, or for something else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gone<'a> {
    pub dataset: Option<&'a str>,
    /// Of views: those that read the dataset, or one that is gone itself.
    pub views: &'a [String],
}

impl Gone<'_> {
    /// Whether what an epoch could read is among it, of which its lists hold a name as lists are written. What cannot be
    /// understood although it holds one may be.
    fn is_in(&self, epoch: &EpochRow) -> bool {
        let Ok(reads) = Reads::of_texts(&epoch.datasets, &epoch.views) else { return true };
        let is_dataset = self.dataset.is_some_and(|gone| reads.datasets.iter().any(|name| name == gone));
        is_dataset || reads.views.iter().any(|name| self.views.contains(name))
    }
}

/// What one epoch of a monitor could read, as it is stored.
#[derive(FromRow)]
pub(crate) struct EpochRow {
    monitor_id: String,
    epoch: i64,
    datasets: String,
    views: String,
}

/// What is to be done with one monitor.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Whether it reads at present what is gone.
    pub(crate) begins: bool,
    /// The epochs of it that could read that.
    pub(crate) epochs: Vec<i64>,
}

/// What is found while all epochs of an organisation, and its monitors at present, are gone through once. Row by row:
/// what all of them could read may be very large, and most of it is of no interest here.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    gone: Gone<'a>,
    /// The same as it stands in stored lists, so that few of them have to be understood.
    written: Vec<String>,
    /// In the order of the ids, in which locks on several monitors are taken.
    pub(crate) touched: BTreeMap<String, Touched>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(gone: Gone<'a>) -> Self {
        let names = gone.dataset.into_iter().chain(gone.views.iter().map(String::as_str));
        // A text always has a JSON form.
        let written = names.map(|name| serde_json::to_string(name).unwrap_or_default()).collect();
        Self { gone, written, touched: BTreeMap::new() }
    }

    pub(crate) fn look_at_epoch(&mut self, row: EpochRow) {
        if self.is_in(&row) {
            self.touched.entry(row.monitor_id).or_default().epochs.push(row.epoch);
        }
    }

    pub(crate) fn look_at_present(&mut self, row: EpochRow) {
        if self.is_in(&row) {
            self.touched.entry(row.monitor_id).or_default().begins = true;
        }
    }

    /// A damaged list that holds no name whole is let be: of what was found in such an epoch nobody is told in any case,
    /// and to look at all lists would keep everybody else from writing.
    fn is_in(&self, row: &EpochRow) -> bool {
        let is_written = |name: &String| row.datasets.contains(name) || row.views.contains(name);
        self.written.iter().any(is_written) && self.gone.is_in(row)
    }
}

pub(crate) const EPOCHS: &str =
    "SELECT monitor_id, epoch, datasets, views FROM monitor_reads WHERE org_id = $1";

pub(crate) const PRESENT: &str =
    "SELECT id AS monitor_id, epoch, datasets, views FROM monitor WHERE org_id = $1";

const VIEWS: &str = "SELECT name FROM saved_view WHERE org_id = $1";

const READ_VIEWS: &str = "SELECT views FROM monitor_reads WHERE org_id = $1 AND views <> '[]'";

/// A new revision as well: a run that is under way was of the one before, and is not recorded.
pub(crate) const BEGIN: &str = "UPDATE monitor SET revision = revision + 1, epoch = revision + 1 WHERE id = $1 \
    RETURNING epoch, datasets, views";

/// Whoever changes a monitor has its lock before those on its epochs.
pub(crate) const LOCK: &str =
    "UPDATE monitor SET revision = revision WHERE id = $1 RETURNING epoch, datasets, views";

pub(crate) const FORGET: &str = "DELETE FROM monitor_reads WHERE monitor_id = $1 AND epoch = $2";

/// Begins anew inside a transaction: what could be read in earlier epochs is known no more, so that what was found then is
/// for who may query everything, and what is open is over.
macro_rules! begin_anew {
    ($connection:expr, $org:expr, $gone:expr) => {{
        let mut search = $crate::monitor_epochs::Search::new($gone);
        {
            let mut rows =
                sqlx::query_as::<_, $crate::monitor_epochs::EpochRow>($crate::monitor_epochs::EPOCHS)
                    .bind($org.as_str())
                    .fetch(&mut *$connection);
            while let Some(row) = futures_util::TryStreamExt::try_next(&mut rows).await? {
                search.look_at_epoch(row);
            }
        }
        {
            let mut rows =
                sqlx::query_as::<_, $crate::monitor_epochs::EpochRow>($crate::monitor_epochs::PRESENT)
                    .bind($org.as_str())
                    .fetch(&mut *$connection);
            while let Some(row) = futures_util::TryStreamExt::try_next(&mut rows).await? {
                search.look_at_present(row);
            }
        }
        for (monitor, touched) in &search.touched {
            let statement =
                if touched.begins { $crate::monitor_epochs::BEGIN } else { $crate::monitor_epochs::LOCK };
            let locked: Option<(i64, String, String)> =
                sqlx::query_as(statement).bind(monitor).fetch_optional(&mut *$connection).await?;
            for epoch in &touched.epochs {
                sqlx::query($crate::monitor_epochs::FORGET)
                    .bind(monitor)
                    .bind(*epoch)
                    .execute(&mut *$connection)
                    .await?;
            }
            if let Some((epoch, datasets, views)) = locked.filter(|_| touched.begins) {
                sqlx::query($crate::monitor_reads::INSERT)
                    .bind(monitor)
                    .bind($org.as_str())
                    .bind(epoch)
                    .bind(datasets)
                    .bind(views)
                    .execute(&mut *$connection)
                    .await?;
            }
        }
    }};
}

pub(crate) use begin_anew;

impl Catalog {
    /// Begins the monitors of an organisation anew that read what is gone.
    pub async fn begin_monitors_anew(&self, org: &OrgId, gone: Gone<'_>) -> Result<()> {
        write!(self, connection => begin_anew!(connection, org, gone));
        Ok(())
    }

    /// The views of an organisation that a monitor of it reads, or has read. Its epochs are gone through row by row, and
    /// of the names in them only those that there is a view of are kept: there may be very many of others.
    pub async fn monitored_views(&self, org: &OrgId) -> Result<BTreeSet<String>> {
        Ok(read!(self, executor => {
            let present: Vec<String> =
                sqlx::query_scalar(VIEWS).bind(org.as_str()).fetch_all(executor).await?;
            let present: BTreeSet<String> = present.into_iter().collect();
            let mut names = BTreeSet::new();
            let mut rows = sqlx::query_scalar::<_, String>(READ_VIEWS).bind(org.as_str()).fetch(executor);
            while let Some(text) = rows.try_next().await? {
                // What cannot be understood may be any of them.
                let Ok(reads) = Reads::of_texts("[]", &text) else { return Ok(present) };
                names.extend(reads.views.into_iter().filter(|name| present.contains(name)));
            }
            names
        }))
    }
}
