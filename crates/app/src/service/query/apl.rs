//! Queries in text, over any number of datasets: whether the caller may read each of them, then from the text to an
//! answer. What the words of a text mean is left to `lang`, and how its parts come together to `compile`.

pub mod check;
mod compile;
pub mod delete;
pub mod estimate;
pub mod export;
pub(crate) mod exported;
mod input;
pub mod part;
mod sources;
pub mod tail;
mod views;

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::StringViewArray;
use tidegauge_engine::{Answer, Dataset, Error as EngineError, Field, Lane, Message, Options, Question};
use tidegauge_lang::dataset_query::continuation_token;
use tidegauge_lang::tree::{TimeRange, Type};
use tidegauge_lang::{Diagnostic, Resolved, Span};
use tidegauge_model::Timestamp;

use self::compile::Understood;
use super::meter::Payers;
use super::wait::{Waited, Waiting};
use super::{DescribedDataset, Queried, TextQuery, asker, ended, failure, history, meter};
use crate::app::App;
use crate::service::datasets::fields;
use crate::service::{Caller, Result, standing};

pub use input::AplInput;

/// How many single events an answer has where nobody says it, and how many rows at most.
const ROWS_DEFAULT: usize = 1_000;
const ROWS_MAX: usize = 50_000;

/// About how many buckets `bin_auto` makes where nobody says it, and at most.
const AUTO_BINS_DEFAULT: usize = 100;
const AUTO_BINS_MAX: usize = 10_000;

/// The column with the identities of rows.
const CURSOR_FIELD: &str = "_cursor";

/// Answers a query in text.
pub async fn query(app: &App, caller: &Caller, input: AplInput) -> Result<Queried> {
    ended(app, answer(app, caller, input)).await
}

async fn answer(app: &App, caller: &Caller, mut input: AplInput) -> Result<Queried> {
    caller.org_context()?;
    input.kept.as_ref().map(history::check).transpose()?;
    let kept = input.kept.take();
    let Understood { resolved, direct, by_views, .. } = compile::understood(app, caller, &input).await?;
    // An explanation tells the text of a view and what it reads, which its user need not be allowed to know.
    input.run_options.is_explained &= sources::may_read_all(caller, &by_views);
    let datasets = sources::of(app, caller, &direct, &by_views).await?;
    sources::check_may_compute(caller, &datasets)?;
    let quota_remaining = meter::check(&app.queries.meter, &app.catalog, caller).await?;
    let run = Run { app, caller, input, resolved, datasets };
    let mut found = run.until_found().await?;
    let described = run.described(&mut found.answer).await?;
    let history_id = match kept {
        Some(kept) => {
            let names: Vec<&str> = run.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
            Some(history::save(app, caller, &names.join(","), kept).await?)
        }
        None => None,
    };
    Ok(Queried {
        datasets: described,
        continuation_token: found.answer.continues_at.map(|place| continuation_token(place.after)),
        default_limit: None,
        is_window_cut: found.is_window_cut,
        cost: found.cost,
        quota_remaining: quota_remaining.less(found.cost),
        history_id,
        text: Some(TextQuery {
            range: found.range,
            warnings: compile::warnings(&run.resolved.query),
            cursor: run.input.cursor,
            includes_cursor: run.input.includes_cursor,
        }),
        answer: found.answer,
    })
}

struct Run<'a> {
    app: &'a App,
    caller: &'a Caller,
    input: AplInput,
    resolved: Resolved,
    datasets: Vec<Dataset>,
}

/// What one run has found.
struct Found {
    answer: Answer,
    range: TimeRange,
    is_window_cut: bool,
    cost: u64,
}

impl Run<'_> {
    /// Runs the query, and again when events have come, as long as it was asked to wait for a first row.
    async fn until_found(&self) -> Result<Found> {
        let (Some(wait), [dataset]) = (self.input.run_options.wait, self.datasets.as_slice()) else {
            return self.once(self.caller.now).await;
        };
        let waiting = Waiting::new(self.app, wait);
        let (mut now, mut cost) = (self.caller.now, 0);
        loop {
            let mut appended = std::pin::pin!(dataset.state.appended());
            let mut found = self.once(now).await?;
            cost += found.cost;
            found.cost = cost;
            if Waiting::is_answer(&mut found.answer) {
                return Ok(found);
            }
            let mut waited = Waited::NotYet;
            while waited == Waited::NotYet {
                waited = waiting.a_while(appended.as_mut()).await;
                self.check_again().await?;
            }
            if waited == Waited::InVain {
                return Ok(found);
            }
            now = self.app.now();
        }
    }

    /// Checks that the caller may still read all that the query reads.
    async fn check_again(&self) -> Result<()> {
        let present = standing::again(self.app, self.caller).await?;
        if present.capabilities == self.caller.capabilities {
            return Ok(());
        }
        let understood = Box::pin(compile::understood(self.app, &present, &self.input)).await?;
        let Understood { direct, by_views, .. } = understood;
        let datasets = sources::of(self.app, &present, &direct, &by_views).await?;
        sources::check_may_compute(&present, &datasets)
    }

    async fn once(&self, now: Timestamp) -> Result<Found> {
        let org_context = self.caller.org_context()?;
        let placed = compile::placed(&self.resolved, &self.input, &org_context.limits, now)?;
        let payers = Payers::of(&self.datasets);
        let question = Question {
            query: placed.query,
            constants: self.resolved.constants.clone(),
            datasets: self.datasets.clone(),
            is_strict: self.resolved.is_strict,
            options: Options {
                asker: asker(self.caller, self.input.lane)?,
                unanswered: meter::unanswered(
                    &self.app.queries.meter,
                    &org_context.org,
                    &payers,
                    self.app.now(),
                ),
                ..self.options(now)
            },
        };
        let answer = match self.input.lane {
            // Nobody writes it.
            Lane::Monitor => self.app.engine.run(question).await,
            Lane::Interactive | Lane::Export => self.app.engine.run_to_write(question).await,
        };
        let reads_all = self.datasets.iter().all(|dataset| sources::may_read(self.caller, &dataset.name));
        let mut answer = answer.map_err(|error| {
            let error = if reads_all { error } else { hide_reasons(error) };
            failure::of_text_engine(error, &self.input.text)
        })?;
        if !reads_all {
            hide_names(&mut answer.messages, &self.input.text);
        }
        let cost = match self.input.is_dry {
            true => 0,
            false => meter::account(
                &self.app.queries.meter,
                &self.app.metrics,
                (&org_context.org, &payers),
                &answer.figures,
                self.app.now(),
            ),
        };
        if self.input.has_cursor_field {
            add_cursors(&mut answer);
        }
        let is_window_cut = placed.is_window_cut && self.has_events_before(placed.range.start);
        Ok(Found { answer, range: placed.range, is_window_cut, cost })
    }

    /// Whether the licence could keep anything back: who asks for all events need not know of a window that has them.
    fn has_events_before(&self, start: i64) -> bool {
        let has_earlier = |dataset: &Dataset| dataset.state.info().min_time.is_some_and(|time| time < start);
        self.input.start_time.is_some() || self.datasets.iter().any(has_earlier)
    }

    fn options(&self, now: Timestamp) -> Options {
        let (limits, run_options) = (&self.app.queries.limits, &self.input.run_options);
        let rows_max = self.input.rows_max.unwrap_or(ROWS_MAX);
        let bins = self.input.auto_bins_max.unwrap_or(AUTO_BINS_DEFAULT).clamp(1, AUTO_BINS_MAX);
        Options {
            lane: self.input.lane,
            time_max: limits.time_max,
            bypasses_cache: run_options.bypasses_cache,
            is_explained: run_options.is_explained,
            answer_bytes_max: limits.answer_bytes_max,
            // One that is no less than what an answer has at most is none: the answer tells which of the two cut it.
            rows_default: Some(self.input.default_limit.unwrap_or(ROWS_DEFAULT))
                .filter(|rows| *rows < rows_max),
            rows_max,
            auto_bins_max: bins,
            is_start_open: self.input.start_time.is_none(),
            is_end_open: self.input.end_time.is_none(),
            // Who only looks fetches nothing.
            files: self.app.queries.files.clone().filter(|_| !self.input.is_dry),
            places: self.app.queries.places(),
            is_dry: self.input.is_dry,
            arrived: self.input.arrived,
            progress: self.input.progress.clone(),
            ..Options::at(now.as_nanos())
        }
    }

    /// What is known of the fields in an answer, and of those that were aggregated to it, by dataset. Its tables keep the
    /// names of those datasets alone that the caller may read.
    async fn described(&self, answer: &mut Answer) -> Result<Vec<DescribedDataset>> {
        for table in &mut answer.tables {
            table.sources.retain(|name| sources::may_read(self.caller, name));
        }
        let meant: HashSet<&str> = super::meant_fields(answer);
        let mut described = Vec::with_capacity(self.datasets.len());
        for Dataset { name, state, .. } in &self.datasets {
            let notes = self.app.queries.notes.of(self.app.source(), state.id(), self.caller.now).await?;
            let fields = fields::described(&notes, state, |field| meant.contains(field));
            let is_told = sources::may_read(self.caller, name);
            described.push(DescribedDataset { name: name.clone(), is_told, fields });
        }
        Ok(described)
    }
}

/// Who reads a dataset by a view alone is told of no field but by the name that they wrote, and of none that is like it: the
/// names in the text of the view, and those that it leaves out, are not theirs to know.
fn hide_names(messages: &mut Vec<Message>, text: &str) {
    messages.retain_mut(|message| match message {
        Message::MissingField { name, near } => {
            *near = None;
            text.contains(name.as_str())
        }
        Message::FailedField(name) | Message::TextWithNumber(name) | Message::HiddenBySource(name) => {
            text.contains(name.as_str())
        }
        _ => true,
    });
}

/// What is wrong in the text of a view has no place in the caller's text, and may name fields that are not theirs to know.
fn hide_reasons(error: EngineError) -> EngineError {
    let EngineError::Invalid(mut diagnostics) = error else { return error };
    let is_telling = |diagnostic: &&mut Diagnostic| {
        diagnostic.span == Span::default() && (diagnostic.message.contains('"') || diagnostic.hint.is_some())
    };
    for diagnostic in diagnostics.iter_mut().filter(is_telling) {
        "a view that the query reads cannot be computed: ask who made it".clone_into(&mut diagnostic.message);
        diagnostic.hint = None;
    }
    EngineError::Invalid(diagnostics)
}

/// Adds the identities of rows to tables of events. Other rows have none.
fn add_cursors(answer: &mut Answer) {
    for table in &mut answer.tables {
        if table.row_ids.len() != table.rows || table.fields.iter().any(|field| field.name == CURSOR_FIELD) {
            continue;
        }
        let ids = StringViewArray::from_iter_values(table.row_ids.iter().map(ToString::to_string));
        let values = vec![(Type::String, Arc::new(ids) as _)];
        table.fields.push(Field { name: CURSOR_FIELD.to_owned(), aggregate: None, values });
    }
}
