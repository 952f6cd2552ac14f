//! Queries over one dataset: whether the caller may, whether the month has room for it, then from the query to an
//! answer. Computing is left to the engine, and how an answer looks to the HTTP layer.

mod failure;
mod wait;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_engine::{Answer, Lane, Options, Question};
use tidegauge_lang::dataset_query::{DatasetQuery, Surroundings, translate};
use tidegauge_model::{Action, DatasetArea, Timestamp};
use tidegauge_store::DatasetState;

use super::datasets::fields::{self, DescribedField};
use super::{Caller, Result, datasets};
use crate::app::App;
use crate::config::QueryLimits;

pub use wait::{WAIT_AUTO, WAIT_MAX};

/// What queries share.
#[derive(Debug)]
pub struct QueryDesk {
    pub limits: QueryLimits,
}

impl QueryDesk {
    pub fn new(limits: QueryLimits) -> Self {
        Self { limits }
    }
}

/// A query and how it is to be run.
#[derive(Debug)]
pub struct QueryInput {
    pub dataset: String,
    pub query: DatasetQuery,
    /// How long to wait for a first event, where there is none yet.
    pub wait: Option<Duration>,
    pub bypasses_cache: bool,
    pub is_explained: bool,
}

/// An answer with what is known around it.
#[derive(Debug)]
pub struct Queried {
    pub answer: Answer,
    /// What is known of the fields that it is about.
    pub fields: Vec<DescribedField>,
    /// By which names the aggregations are shown, in the order of the query.
    pub operations: Vec<String>,
    /// With which the rest of a cut answer can be asked for.
    pub continuation_token: Option<String>,
    /// The limit, if none was asked for.
    pub default_limit: Option<u64>,
    /// Whether the licence made the time range shorter.
    pub is_window_cut: bool,
}

/// Answers a query.
pub async fn query(app: &App, caller: &Caller, input: QueryInput) -> Result<Queried> {
    caller.check_dataset(&input.dataset, DatasetArea::Query, Action::Read)?;
    let dataset = datasets::find_state(app, caller, &input.dataset).await?.ok_or_else(datasets::not_found)?;
    let window = caller.standing()?.limits.max_query_window_seconds;
    let run = Run { app, dataset, input, window_seconds_max: u64::try_from(window).unwrap_or(0) };
    let found = run.until_found(caller.now).await?;
    let fields = run.described(&found.answer).await?;
    Ok(Queried {
        fields,
        operations: run
            .input
            .query
            .aggregations
            .iter()
            .map(|call| operation(call.alias.as_deref(), &call.op))
            .collect(),
        continuation_token: found.answer.continues_at.map(|place| place.after.to_string()),
        default_limit: found.default_limit,
        is_window_cut: found.is_window_cut,
        answer: found.answer,
    })
}

/// The name of an aggregation in an answer: its alias, or else what it does, in capitals.
fn operation(alias: Option<&str>, op: &str) -> String {
    alias.map_or_else(|| op.to_uppercase(), str::to_owned)
}

struct Run<'a> {
    app: &'a App,
    dataset: Arc<DatasetState>,
    input: QueryInput,
    window_seconds_max: u64,
}

/// What one run has found.
struct Found {
    answer: Answer,
    default_limit: Option<u64>,
    is_window_cut: bool,
}

impl Run<'_> {
    /// Runs the query, and again when events have come, as long as it was asked to wait for one.
    async fn until_found(&self, now: Timestamp) -> Result<Found> {
        let wait = self.input.wait.filter(|_| self.input.query.aggregations.is_empty());
        let Some(wait) = wait else { return self.once(now).await };
        let mut waiting = wait::Waiting::new(self.app, &self.dataset, wait);
        let mut now = now;
        loop {
            let found = self.once(now).await?;
            let has_events = found.answer.tables.iter().any(|table| table.rows > 0);
            if has_events || !waiting.more_may_be_there().await {
                return Ok(found);
            }
            now = self.app.now();
        }
    }

    async fn once(&self, now: Timestamp) -> Result<Found> {
        let info = self.dataset.info();
        let around = Surroundings {
            now: now.as_nanos(),
            data: info.min_time.zip(info.max_time),
            window_seconds_max: self.window_seconds_max,
        };
        let translated =
            translate(&self.input.dataset, &self.input.query, around).map_err(failure::of_refused)?;
        let limits = &self.app.queries.limits;
        let question = Question {
            query: translated.query,
            dataset: Arc::clone(&self.dataset),
            options: Options {
                now: around.now,
                lane: Lane::Interactive,
                time_max: limits.time_max,
                bypasses_cache: self.input.bypasses_cache,
                is_explained: self.input.is_explained,
                answer_bytes_max: limits.answer_bytes_max,
            },
        };
        let answer = self.app.engine.run(question).await;
        let answer = answer.map_err(|error| failure::of_engine(error, &self.input.query))?;
        Ok(Found {
            answer,
            default_limit: translated.is_limit_default.then_some(translated.limit),
            is_window_cut: translated.is_window_cut,
        })
    }

    /// What is known of the fields in an answer, and of those that were aggregated to it.
    async fn described(&self, answer: &Answer) -> Result<Vec<DescribedField>> {
        let mut meant: HashSet<&str> = HashSet::new();
        for field in answer.tables.iter().flat_map(|table| &table.fields) {
            match &field.aggregate {
                None => meant.extend([field.name.as_str()]),
                Some(aggregate) => meant.extend(aggregate.fields.iter().map(String::as_str)),
            }
        }
        fields::described(self.app, &self.dataset, |name| meant.contains(name)).await
    }
}
