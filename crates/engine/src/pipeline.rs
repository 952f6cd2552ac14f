//! The stages of a query, one after the other. Those that look at each row by itself only change what the fields of a
//! segment are; the others need its rows and begin a new one. Each stage has its own file.

mod auto_step;
mod distinct;
mod expand;
mod extend;
mod external;
mod finish;
mod get_schema;
mod join;
mod make_series;
mod needed;
mod parse;
mod parse_kv;
mod project;
mod recipe;
mod redact;
mod rows;
mod segment;
mod sort;
mod source;
mod summarize;
mod tables;
mod take;
mod union;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidegauge_lang::tree::{Expr, Query, Stage};

pub(crate) use auto_step::auto_step;
pub(crate) use external::External;
pub(crate) use segment::Segment;
pub(crate) use source::add_names;

use crate::bind::{Surroundings, invalid};
use crate::prune::Prune;
use crate::run::Run;
use crate::{Error, Result};

/// Fields that are computed of more parts than these are computed once, before they are used in others.
const WEIGHT_MAX: usize = 2_000;

impl Run {
    /// Runs a query up to its last stage that needs all rows.
    pub(crate) fn segment<'a>(
        &'a self,
        query: &'a Query,
        around: &'a Surroundings,
    ) -> BoxFuture<'a, Result<Segment>> {
        async move {
            let mut segment = self.source(&query.source, around).await?;
            let mut stages = query.stages.as_slice();
            while let Some((stage, after)) = stages.split_first() {
                let (next, used) = Box::pin(self.stage(segment, stage, after, around)).await?;
                segment = next;
                stages = &after[used..];
                if segment.scope.weight() > WEIGHT_MAX {
                    segment = self.settled_before(segment, stages).await?;
                }
            }
            Ok(segment)
        }
        .boxed()
    }

    /// One stage, and how many of those after it were taken with it.
    async fn stage(
        &self,
        mut segment: Segment,
        stage: &Stage,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<(Segment, usize)> {
        recipe::add_stage(&mut segment, stage);
        match stage {
            Stage::Filter(condition) => self.filter(segment, condition).await.map(alone),
            Stage::Search(search) => self.filter(segment, &search.predicate).await.map(alone),
            Stage::Sample(share) => self.sample(segment, share).await.map(alone),
            Stage::Extend(fields) => self.extend(segment, fields, after).await.map(alone),
            Stage::ExtendValid(fields) => extend::extend_valid(&mut segment, fields).map(|()| alone(segment)),
            Stage::Project(fields) => project::project(&mut segment, fields).map(|()| alone(segment)),
            Stage::ProjectAway(patterns) => project::away(&mut segment, patterns).map(|()| alone(segment)),
            Stage::ProjectKeep(patterns) => project::keep(&mut segment, patterns).map(|()| alone(segment)),
            Stage::ProjectRename(renamed) => project::rename(&mut segment, renamed).map(|()| alone(segment)),
            Stage::ProjectReorder(order) => project::reorder(&mut segment, order).map(|()| alone(segment)),
            Stage::Redact(redact) => redact::redact(&mut segment, redact).map(|()| alone(segment)),
            Stage::Parse(parse) => parse::parse(&mut segment, parse).map(|()| alone(segment)),
            Stage::ParseWhere(parse) => {
                let mut segment = self.unlimited(segment).await?;
                parse::parse_where(&mut segment, parse).map(|()| alone(segment))
            }
            Stage::ParseKeyValue(parse) => parse_kv::parse_kv(&mut segment, parse).map(|()| alone(segment)),
            Stage::Sort(keys) => {
                self.sort(segment, &sort::keys_of(keys), sort::wanted(after, around)).await.map(alone)
            }
            Stage::Order(keys) => self.sort(segment, keys, sort::wanted(after, around)).await.map(alone),
            Stage::Limit(limit) => self.take(segment, *limit).await.map(alone),
            Stage::Take(count) => {
                let count = sort::count(count, around)?;
                self.take(segment, count).await.map(alone)
            }
            Stage::Top(top) => {
                let count = sort::count(&top.count, around)?;
                let limit = usize::try_from(count).ok();
                let sorted = self.sort(segment, &top.keys, limit).await?;
                self.take(sorted, count).await.map(alone)
            }
            Stage::After(cursor) => take::after(segment, *cursor).map(alone),
            Stage::Summarize(summarize) => self.summarize(segment, summarize, after, around).await,
            Stage::Count => self.count(segment, around).await.map(alone),
            Stage::Distinct(fields) => self.distinct(segment, fields, around).await.map(alone),
            Stage::MakeSeries(series) => self.make_series(segment, series, around).await.map(alone),
            Stage::Expand(expand) => self.expand(segment, expand, after, around).await.map(alone),
            Stage::Union(union) => self.union(Some(segment), union, around).await.map(alone),
            Stage::Join(join) => Box::pin(self.join(segment, join, after, around)).await.map(alone),
            Stage::Lookup(lookup) => Box::pin(self.lookup(segment, lookup, after, around)).await.map(alone),
            Stage::GetSchema => self.get_schema(segment, around).map(alone),
        }
    }

    /// Keeps the rows for which a condition is true.
    async fn filter(&self, segment: Segment, condition: &Expr) -> Result<Segment> {
        let mut segment = self.unlimited(segment).await?;
        recipe::add_condition(&mut segment, condition);
        if let segment::Origin::Dataset(rows) = &mut segment.origin {
            rows.prunes.push(Prune::of(condition, &segment.scope));
        }
        let condition = segment.scope.condition(condition)?;
        segment.keep(condition);
        Ok(segment)
    }
}

/// A stage that took none of those after it.
fn alone(segment: Segment) -> (Segment, usize) {
    (segment, 0)
}

/// The error of a stage that cannot stand where it does.
fn misplaced(message: &str) -> Error {
    invalid(tidegauge_lang::Span::default(), message)
}
