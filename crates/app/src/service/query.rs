//! Queries over one dataset: whether the caller may, whether the month has room for it, then from the query to an
//! answer. Computing is left to the engine, and how an answer looks to the HTTP layer. Queries in text are in `apl`.

pub mod apl;
pub(super) mod defined;
pub mod definitions;
pub mod failure;
pub mod files;
pub mod geoip;
pub mod history;
pub mod meter;
pub mod notes;
pub mod patterns;
mod quoting;
pub(super) mod single_events;
pub mod state;
pub mod statistics;
mod wait;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_engine::{Answer, Asker, Lane, Options, Question};
use tidegauge_lang::dataset_query::{DatasetQuery, Surroundings, continuation_token, translate};
use tidegauge_lang::tree::TimeRange;
use tidegauge_metrics::Metrics;
use tidegauge_model::{Action, DatasetArea, ErrorKind, Timestamp};
use tidegauge_store::DatasetState;

use self::history::Kept;
use self::meter::Payers;
use self::wait::{Waited, Waiting};
use super::datasets::fields::{self, DescribedField};
use super::quota_remaining::QuotaRemaining;
use super::{Caller, Error, Result, datasets, standing};
use crate::app::App;

pub use wait::{WAIT_AUTO, WAIT_MAX};

/// The date of the time that clients send for "not set".
const UNSET_DATE: &str = "0001-01-01";

/// A query and how it is to be run.
#[derive(Debug)]
pub struct QueryInput {
    pub dataset: String,
    pub query: DatasetQuery,
    /// Whether to keep the query in the history.
    pub kept: Option<Kept>,
    pub run_options: RunOptions,
}

/// How a query is to be run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// How long to wait for a first event, where there is none yet.
    pub wait: Option<Duration>,
    pub bypasses_cache: bool,
    pub is_explained: bool,
}

/// An answer with what is known around it.
#[derive(Debug)]
pub struct Queried {
    pub answer: Answer,
    /// The datasets that were read, with what is known of the fields that the answer is about.
    pub datasets: Vec<DescribedDataset>,
    /// With which the rest of a cut answer can be asked for.
    pub continuation_token: Option<String>,
    /// The limit, if none was asked for.
    pub default_limit: Option<u64>,
    /// Whether the licence made the time range shorter.
    pub is_window_cut: bool,
    /// In gigabytes times milliseconds.
    pub cost: u64,
    pub quota_remaining: QuotaRemaining,
    /// Where the history has the query.
    pub history_id: Option<String>,
    /// What is shown of a query that was asked in text.
    pub text: Option<TextQuery>,
}

/// A dataset that was read.
#[derive(Clone, Debug)]
pub struct DescribedDataset {
    pub name: String,
    /// Whether the asker may know that it was read. What a view reads for who may query nothing but the view is not told.
    pub is_told: bool,
    pub fields: Vec<DescribedField>,
}

/// What was understood of a query in text and of its request.
#[derive(Clone, Debug)]
pub struct TextQuery {
    pub range: TimeRange,
    /// What to know of the query itself.
    pub warnings: Vec<String>,
    pub cursor: Option<String>,
    pub includes_cursor: bool,
}

/// Answers a query.
pub async fn query(app: &App, caller: &Caller, input: QueryInput) -> Result<Queried> {
    caller.check_dataset(&input.dataset, DatasetArea::Query, Action::Read)?;
    ended(app, answer(app, caller, input)).await
}

/// Waits for a query and counts how it ended.
async fn ended(app: &App, query: impl Future<Output = Result<Queried>>) -> Result<Queried> {
    let mut ending = Ending { metrics: &app.metrics, outcome: "cancelled" };
    let queried = query.await;
    ending.outcome = outcome(&queried);
    queried
}

async fn answer(app: &App, caller: &Caller, mut input: QueryInput) -> Result<Queried> {
    let dataset = datasets::find_state(app, caller, &input.dataset).await?.ok_or_else(datasets::not_found)?;
    input.kept.as_ref().map(history::check).transpose()?;
    let quota_remaining = meter::check(&app.queries.meter, &app.catalog, caller).await?;
    let kept = input.kept.take();
    let run = Run { app, caller, dataset, input };
    let found = run.until_found().await?;
    let fields = run.described(&found.answer).await?;
    let history_id = match kept {
        Some(kept) => Some(history::save(app, caller, &run.input.dataset, kept).await?),
        None => None,
    };
    Ok(Queried {
        datasets: vec![DescribedDataset { name: run.input.dataset, is_told: true, fields }],
        continuation_token: found.answer.continues_at.map(|place| continuation_token(place.after)),
        default_limit: found.default_limit,
        is_window_cut: found.is_window_cut,
        answer: found.answer,
        cost: found.cost,
        quota_remaining: quota_remaining.less(found.cost),
        history_id,
        text: None,
    })
}

/// Counts how a query ended, also when nobody waits for it any more.
struct Ending<'a> {
    metrics: &'a Metrics,
    outcome: &'static str,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.metrics.query_ended(self.outcome);
    }
}

fn outcome(queried: &Result<Queried>) -> &'static str {
    match queried {
        Ok(queried) if queried.answer.continues_at.is_some() => "cut",
        Ok(_) => "answered",
        Err(Error { kind, .. }) => match kind {
            ErrorKind::Malformed | ErrorKind::Invalid | ErrorKind::NotFound => "refused",
            ErrorKind::OutOfMemory => "out_of_memory",
            ErrorKind::TimedOut => "timed_out",
            ErrorKind::Busy => "busy",
            ErrorKind::QuotaUsedUp => "used_up",
            _ => "failed",
        },
    }
}

struct Run<'a> {
    app: &'a App,
    caller: &'a Caller,
    dataset: Arc<DatasetState>,
    input: QueryInput,
}

/// What one run has found.
struct Found {
    answer: Answer,
    default_limit: Option<u64>,
    is_window_cut: bool,
    cost: u64,
}

impl Run<'_> {
    /// Runs the query, and again when events have come, as long as it was asked to wait for one.
    async fn until_found(&self) -> Result<Found> {
        let wait = self.input.run_options.wait.filter(|_| self.input.query.aggregations.is_empty());
        let Some(wait) = wait else { return self.once(self.caller.now).await };
        let waiting = Waiting::new(self.app, wait);
        let (mut now, mut cost) = (self.caller.now, 0);
        loop {
            let mut appended = std::pin::pin!(self.dataset.appended());
            let mut found = self.once(now).await?;
            cost += found.cost;
            found.cost = cost;
            if Waiting::is_answer(&mut found.answer) {
                return Ok(found);
            }
            let mut waited = Waited::NotYet;
            while waited == Waited::NotYet {
                waited = waiting.a_while(appended.as_mut()).await;
                let present = standing::again(self.app, self.caller).await?;
                present.check_dataset(&self.input.dataset, DatasetArea::Query, Action::Read)?;
            }
            if waited == Waited::InVain {
                return Ok(found);
            }
            now = self.app.now();
        }
    }

    async fn once(&self, now: Timestamp) -> Result<Found> {
        let org_context = self.caller.org_context()?;
        let around = Surroundings {
            now: now.as_nanos(),
            data: self.bounds(),
            window_seconds_max: u64::try_from(org_context.limits.max_query_window_seconds).unwrap_or(0),
        };
        let translated =
            translate(&self.input.dataset, &self.input.query, around).map_err(failure::of_refused)?;
        let limits = &self.app.queries.limits;
        let payers = Payers::one(&self.input.dataset);
        let options = Options {
            lane: Lane::Interactive,
            asker: asker(self.caller, Lane::Interactive)?,
            time_max: limits.time_max,
            bypasses_cache: self.input.run_options.bypasses_cache,
            is_explained: self.input.run_options.is_explained,
            answer_bytes_max: limits.answer_bytes_max,
            places: self.app.queries.places(),
            unanswered: meter::unanswered(&self.app.queries.meter, &org_context.org, &payers, self.app.now()),
            ..Options::at(around.now)
        };
        let mut question = Question::of_dataset(translated.query, Arc::clone(&self.dataset), options);
        for dataset in &mut question.datasets {
            dataset.virtual_fields = defined::virtual_fields(self.app, self.caller, &dataset.name).await?;
        }
        let answer = self.app.engine.run_to_write(question).await;
        let answer = answer.map_err(|error| failure::of_engine(error, &self.input.query))?;
        let cost = meter::account(
            &self.app.queries.meter,
            &self.app.metrics,
            (&org_context.org, &payers),
            &answer.figures,
            self.app.now(),
        );
        Ok(Found {
            answer,
            cost,
            default_limit: translated.is_limit_default.then_some(translated.limit),
            is_window_cut: translated.is_window_cut,
        })
    }

    /// The times of the dataset's events, if a side of the range is open. Looking for them takes longer than most
    /// questions.
    fn bounds(&self) -> Option<(i64, i64)> {
        let query = &self.input.query;
        let is_open = |time: &Option<String>| {
            time.as_deref().is_some_and(|time| time.trim_start().starts_with(UNSET_DATE))
        };
        if !is_open(&query.start_time) && !is_open(&query.end_time) {
            return None;
        }
        let info = self.dataset.info();
        info.min_time.zip(info.max_time)
    }

    /// What is known of the fields in an answer, and of those that were aggregated to it.
    async fn described(&self, answer: &Answer) -> Result<Vec<DescribedField>> {
        let meant = meant_fields(answer);
        let notes = self.app.queries.notes.of(self.app.source(), self.dataset.id(), self.caller.now).await?;
        Ok(fields::described(&notes, &self.dataset, |name| meant.contains(name)))
    }
}

/// The names of the fields that an answer is about.
fn meant_fields(answer: &Answer) -> HashSet<&str> {
    let mut meant: HashSet<&str> = HashSet::new();
    for field in answer.tables.iter().flat_map(|table| &table.fields) {
        match &field.aggregate {
            None => meant.extend([field.name.as_str()]),
            Some(aggregate) => meant.extend(aggregate.fields.iter().map(String::as_str)),
        }
    }
    meant
}

/// Whose queries share places, threads and memory with whose. Monitors stand beside the tokens and people of their
/// organisation, whoever made them.
fn asker(caller: &Caller, lane: Lane) -> Result<Asker> {
    let name = if lane == Lane::Monitor { "monitors" } else { &caller.actor };
    Ok(Asker::new(&caller.org()?.to_string(), name))
}
