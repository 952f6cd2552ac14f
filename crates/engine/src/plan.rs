//! From the tree to what is run: one scan with its filter, and after it either events in an order or groups. Each has
//! its own file in `plan`.

mod events;
mod groups;

use std::sync::Arc;

use tidegauge_lang::tree::{Source, Stage, TimeRange};
use tidegauge_store::DatasetState;

pub(crate) use events::{EventOrder, EventsPlan, SortColumn};
pub(crate) use groups::{GroupsPlan, Shape, info as aggregate_info};

use crate::bind::Scope;
use crate::expr::Typed;
use crate::prune::Prune;
use crate::{Error, Question, Result};

/// A query that is ready to run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) scope: Scope,
    pub(crate) range: TimeRange,
    pub(crate) conditions: Vec<Typed>,
    pub(crate) prune: Prune,
    pub(crate) then: Then,
}

/// What becomes of the rows that pass the filter.
#[derive(Debug)]
pub(crate) enum Then {
    Events(EventsPlan),
    Groups(GroupsPlan),
}

impl Plan {
    pub(crate) fn new(question: &Question) -> Result<Self> {
        let Source::Dataset { range, .. } = &question.query.source else {
            return Err(unsupported_source());
        };
        let dataset: &Arc<DatasetState> = &question.dataset;
        let mut scope = Scope::new(Arc::clone(dataset), question.options.now);
        let mut conditions = Vec::new();
        let mut prunes = Vec::new();
        let mut computed = Vec::new();
        let mut stages = question.query.stages.iter().peekable();
        while let Some(stage) = stages.next_if(|stage| matches!(stage, Stage::Filter(_) | Stage::Extend(_))) {
            match stage {
                Stage::Filter(condition) => {
                    prunes.push(Prune::of(condition, &scope));
                    conditions.extend(scope.condition(condition)?.conjuncts());
                }
                Stage::Extend(fields) => {
                    for field in fields {
                        let value = scope.bind(&field.expr)?;
                        scope.define(&field.name, value);
                        computed.retain(|name| name != &field.name);
                        computed.push(field.name.clone());
                    }
                }
                _ => {}
            }
        }
        let rest: Vec<&Stage> = stages.collect();
        let then = match rest.as_slice() {
            [Stage::Summarize(summarize), rest @ ..] => {
                Then::Groups(GroupsPlan::new(&mut scope, summarize, rest)?)
            }
            rest => Then::Events(EventsPlan::new(&mut scope, computed, rest)?),
        };
        Ok(Self { scope, range: *range, conditions, prune: Prune::AllOf(prunes), then })
    }
}

/// The error of stages in an order that is not supported.
pub(super) fn unsupported(stage: &Stage) -> Error {
    let name = match stage {
        Stage::Filter(_) => "filter",
        Stage::Extend(_) => "extend",
        Stage::Project(_) => "project",
        Stage::Summarize(_) => "summarize",
        Stage::Sort(_) => "sort",
        Stage::Limit(_) => "limit",
        Stage::After(_) => "cursor",
        other => {
            let stage = tidegauge_lang::print_stage(other);
            let name = stage.split_whitespace().next().unwrap_or_default();
            let message = format!("`{name}` cannot be run yet: write the query without it");
            return crate::bind::invalid(tidegauge_lang::Span::default(), message);
        }
    };
    crate::bind::invalid(tidegauge_lang::Span::default(), format!("a {name} cannot stand here"))
}

/// The error of a query that does not begin with one dataset.
fn unsupported_source() -> Error {
    let message = "this source cannot be read yet: begin the query with one dataset";
    crate::bind::invalid(tidegauge_lang::Span::default(), message)
}
