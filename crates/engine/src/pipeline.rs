//! The stages of a query, one after the other. Those that look at each row by itself only change what the fields of a
//! relation are; the others need its rows and begin a new one. Each stage has its own file.

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
mod relation;
mod rows;
mod sort;
mod source;
mod summarize;
mod tables;
mod take;
mod union;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidegauge_bind::Surroundings;
use tidegauge_lang::tree::{Expr, Query, Stage};

pub(crate) use auto_step::auto_step;
pub(crate) use relation::Relation;
pub(crate) use source::add_names;

use self::relation::WEIGHT_MAX;
use crate::Result;
use crate::context::QueryContext;
use crate::prune::Prune;

impl QueryContext {
    /// Runs a query up to its last stage that needs all rows.
    pub(crate) fn relation<'a>(
        &'a self,
        query: &'a Query,
        around: &'a Surroundings,
    ) -> BoxFuture<'a, Result<Relation>> {
        async move {
            let mut relation = self.source(&query.source, around).await?;
            let mut stages = query.stages.as_slice();
            while let Some((stage, after)) = stages.split_first() {
                let (next, used) = Box::pin(self.stage(relation, stage, after, around)).await?;
                relation = next;
                stages = &after[used..];
                if relation.scope.weight() > WEIGHT_MAX {
                    relation = self.settled_before(relation, stages).await?;
                }
            }
            Ok(relation)
        }
        .boxed()
    }

    /// One stage, and how many of those after it were taken with it.
    async fn stage(
        &self,
        mut relation: Relation,
        stage: &Stage,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<(Relation, usize)> {
        recipe::add_stage(&mut relation.recipe, stage);
        match stage {
            Stage::Filter(condition) => self.filter(relation, condition).await.map(alone),
            Stage::Search(search) => self.filter(relation, &search.predicate).await.map(alone),
            Stage::Sample(share) => self.sample(relation, share).await.map(alone),
            Stage::Extend(fields) => self.extend(relation, fields, after).await.map(alone),
            Stage::ExtendValid(fields) => {
                extend::extend_valid(&mut relation, fields).map(|()| alone(relation))
            }
            Stage::Project(fields) => project::project(&mut relation, fields).map(|()| alone(relation)),
            Stage::ProjectAway(patterns) => project::away(&mut relation, patterns).map(|()| alone(relation)),
            Stage::ProjectKeep(patterns) => project::keep(&mut relation, patterns).map(|()| alone(relation)),
            Stage::ProjectRename(renamed) => {
                project::rename(&mut relation, renamed).map(|()| alone(relation))
            }
            Stage::ProjectReorder(order) => project::reorder(&mut relation, order).map(|()| alone(relation)),
            Stage::Redact(redact) => redact::redact(&mut relation, redact).map(|()| alone(relation)),
            Stage::Parse(parse) => parse::parse(&mut relation, parse).map(|()| alone(relation)),
            Stage::ParseWhere(parse) => {
                let mut relation = self.unlimited(relation).await?;
                parse::parse_where(&mut relation, parse).map(|()| alone(relation))
            }
            Stage::ParseKeyValue(parse) => parse_kv::parse_kv(&mut relation, parse).map(|()| alone(relation)),
            Stage::Sort(keys) => {
                self.sort(relation, &sort::keys_of(keys), sort::wanted(after, around)).await.map(alone)
            }
            Stage::Order(keys) => self.sort(relation, keys, sort::wanted(after, around)).await.map(alone),
            Stage::Limit(limit) => self.take(relation, *limit).await.map(alone),
            Stage::Take(count) => {
                let count = sort::count(count, around)?;
                self.take(relation, count).await.map(alone)
            }
            Stage::Top(top) => {
                let count = sort::count(&top.count, around)?;
                let limit = usize::try_from(count).ok();
                let sorted = self.sort(relation, &top.keys, limit).await?;
                self.take(sorted, count).await.map(alone)
            }
            Stage::After(cursor) => take::after(relation, *cursor).map(alone),
            Stage::Summarize(summarize) => self.summarize(relation, summarize, after, around).await,
            Stage::Count => self.count(relation, around).await.map(alone),
            Stage::Distinct(fields) => self.distinct(relation, fields, around).await.map(alone),
            Stage::MakeSeries(series) => self.make_series(relation, series, around).await.map(alone),
            Stage::Expand(expand) => self.expand(relation, expand, after, around).await.map(alone),
            Stage::Union(union) => self.union(Some(relation), union, around).await.map(alone),
            Stage::Join(join) => Box::pin(self.join(relation, join, after, around)).await.map(alone),
            Stage::Lookup(lookup) => Box::pin(self.lookup(relation, lookup, after, around)).await.map(alone),
            Stage::GetSchema => self.get_schema(relation, around).map(alone),
        }
    }

    /// Keeps the rows for which a condition is true.
    async fn filter(&self, relation: Relation, condition: &Expr) -> Result<Relation> {
        let mut relation = self.unlimited(relation).await?;
        recipe::add_condition(&mut relation.recipe, &mut relation.scope, condition);
        if let relation::Origin::Dataset(rows) = &mut relation.origin {
            rows.prunes.push(Prune::of(condition, &relation.scope));
        }
        let condition = relation.scope.condition(condition)?;
        relation.keep(condition);
        Ok(relation)
    }
}

/// A stage that took none of those after it.
fn alone(relation: Relation) -> (Relation, usize) {
    (relation, 0)
}
