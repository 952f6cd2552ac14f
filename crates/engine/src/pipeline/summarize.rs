//! `summarize`: groups and their aggregates. What stands behind it is taken with it where that saves work: the order
//! and the number of groups. Groups over time buckets come with the groups over all time.

mod choice;
mod columns;
mod length;
mod planned;
mod planning;
mod taken;

use std::sync::Arc;

use tidegauge_bind::Surroundings;
use tidegauge_cache::partials::Partials;
use tidegauge_exec::Message;
use tidegauge_lang::tree::{Stage, Summarize};
use tidegauge_model::columns::TIME_FIELD;

use self::columns::shape;
use self::length::seconds_of;
use self::planned::Planned;
use self::planning::plan;
use super::relation::{About, Origin, Relation};
use super::rows::{narrowed, of_table};
use crate::Result;
use crate::answer::Table;
use crate::context::QueryContext;
use crate::groups::{self, GroupedRows};

impl QueryContext {
    /// Groups rows. Tells how many of the stages behind it were taken with it.
    pub(super) async fn summarize(
        &self,
        relation: Relation,
        summarize: &Summarize,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<(Relation, usize)> {
        let mut relation = self.unlimited(relation).await?;
        let mut planned = plan(&mut relation, summarize)?;
        let used = planned.take_with(after, summarize.bucket.is_some(), around);
        if relation.pending.order.is_some() {
            if planned.plan.is_ordered() {
                relation = self.settled(relation).await?;
                planned = plan(&mut relation, summarize)?;
                planned.take_with(after, summarize.bucket.is_some(), around);
            }
            relation.pending.order = None;
        }
        let mut tables = self.grouped(&relation, &planned, summarize).await?;
        planned.finish(&mut tables, around)?;
        self.note(&relation.scope);
        if let (Some(limit), Some(series)) = (planned.series_limit, tables.first())
            && series.rows as u64 > limit
        {
            self.tell(Message::LimitOfGroups(limit));
        }
        let about = About {
            sources: std::mem::take(&mut relation.about.sources),
            range: relation.about.range,
            groups: planned.keys.clone(),
            sorted_by: planned.plan.sorted_by.clone(),
            aggregates: planned.infos.iter().cloned().collect(),
            has_limit: planned.plan.limit < usize::MAX || planned.choice.is_some(),
            ..About::default()
        };
        let mut relations = Vec::with_capacity(tables.len());
        for table in &tables {
            let is_here = |key: &&String| table.bucket.is_some() || planned.bucket.as_ref() != Some(*key);
            let groups = planned.keys.iter().filter(is_here).cloned().collect();
            // Clients look for buckets by the name of the time.
            let bucket = table.bucket.filter(|_| planned.bucket.as_deref() == Some(TIME_FIELD));
            let about = About { bucket, groups, ..about.clone() };
            let mut grouped = of_table(table, around, about)?;
            if let Some(columns) = &planned.columns {
                shape(&mut grouped, columns)?;
            }
            relations.push(grouped);
        }
        let mut relations = relations.into_iter();
        let Some(mut first) = relations.next() else {
            return Err(crate::Error::Internal { message: "groups gave no table".to_owned() });
        };
        first.totals = relations.next().map(Box::new);
        if planned.columns.is_none() {
            first.ready = Some(tables);
        }
        Ok((first, used))
    }

    async fn grouped(
        &self,
        relation: &Relation,
        planned: &Planned,
        summarize: &Summarize,
    ) -> Result<Vec<Table>> {
        let plan = &planned.plan;
        let threads = if plan.is_ordered() { 1 } else { self.threads };
        let mut range_seconds = seconds_of(relation.about.range, None);
        let rows = match &relation.origin {
            Origin::Plan(input) => {
                let rows = GroupedRows::Plan(Arc::clone(input), relation.conditions.clone());
                if let Some(time) = &planned.time {
                    let times = length::times_of(time, &rows, &self.context).await?;
                    range_seconds = seconds_of(relation.about.range, times);
                }
                rows
            }
            Origin::Dataset(rows) => {
                let mut scan =
                    self.scan(rows, &relation.scope, &relation.conditions, plan.is_ordered()).await?;
                scan.split_for(threads, plan.inputs());
                let times = self.work().scans.last().and_then(|scan| scan.times);
                // Conditions on the time say how long the range is as well.
                let range = narrowed(rows.range, &relation.scope, &relation.conditions);
                range_seconds = seconds_of(Some(range), times);
                GroupedRows::Scan(Arc::new(scan))
            }
        };
        let partials = self.partials(relation, planned, summarize);
        let context = Arc::clone(&self.context);
        let answer = groups::run(plan, &rows, context, threads, range_seconds, partials.as_ref()).await?;
        let mut work = self.work();
        work.groups = answer.figures.groups;
        work.is_estimate |= answer.figures.is_estimate;
        Ok(answer.tables)
    }
}

impl QueryContext {
    /// The groups of blocks that are kept for this question, if it was asked before.
    fn partials(&self, relation: &Relation, planned: &Planned, summarize: &Summarize) -> Option<Partials> {
        let cache = self.partials.as_ref().filter(|_| !planned.plan.is_ordered())?;
        let step = planned.plan.bucket.as_ref().map(|(bucket, _)| bucket.step);
        let fingerprint = relation.recipe.fingerprint(summarize, relation.scope.inputs(), step)?;
        Partials::of(cache, fingerprint, &relation.scope.surroundings().notices)
    }
}
