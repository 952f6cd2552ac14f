//! A `summarize` that is ready to run.

use tidegauge_bind::Surroundings;
use tidegauge_exec::expr::Typed;

use super::choice::Choice;
use super::columns::Column;
use crate::answer::Table;
use crate::plan::GroupsPlan;
use crate::{AggregateInfo, Result};

/// A `summarize` that is ready to run.
pub(super) struct Planned {
    pub(super) plan: GroupsPlan,
    /// The columns of the result in their order, where they are not what the groups give already.
    pub(super) columns: Option<Vec<Column>>,
    pub(super) infos: Vec<(String, AggregateInfo)>,
    /// The keys in the order in which they were written, the bucket among them.
    pub(super) keys: Vec<String>,
    /// The name of the bucket.
    pub(super) bucket: Option<String>,
    /// Which groups are wanted, where their order is known only when all columns are computed.
    pub(super) choice: Option<Choice>,
    /// How many groups are shown in every bucket, where the query says it as a number of rows.
    pub(super) series_limit: Option<u64>,
    /// The time of rows that are no events, where it is needed.
    pub(super) time: Option<Typed>,
}

impl Planned {
    /// Of which all groups are wanted.
    pub(super) fn new(
        plan: GroupsPlan,
        columns: Option<Vec<Column>>,
        infos: Vec<(String, AggregateInfo)>,
        keys: Vec<String>,
        bucket: Option<String>,
        time: Option<Typed>,
    ) -> Self {
        Self { plan, columns, infos, keys, bucket, choice: None, series_limit: None, time }
    }

    /// Leaves the groups that are wanted, with their keys as they are shown.
    pub(super) fn finish(&self, tables: &mut [Table], around: &Surroundings) -> Result<()> {
        if let Some(choice) = &self.choice {
            choice.make(tables, self.plan.keys.len(), self.columns.as_deref(), around)?;
        }
        self.plan.show_kinds(tables)
    }
}
