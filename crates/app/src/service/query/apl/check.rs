//! Whether a query that is kept for later can be run: it is understood, bound to the datasets as they are and run over
//! a stretch of time that no event is in, with the rights of who keeps it. What it reads is told, for those who run it
//! then.

use std::collections::BTreeSet;

use tidegauge_engine::{Answer, Dataset, Lane, Message};
use tidegauge_lang::tree::{Query, SortKey, Stage};
use tidegauge_lang::{Diagnostic, Resolved, Span, nearest};
use tidegauge_model::capability::ANY;
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::{Action, DatasetArea, Timestamp, ViewArea};

use super::compile::{self, Understood};
use super::{AplInput, Run, meter, sources};
use crate::app::App;
use crate::service::query::failure;
use crate::service::{Caller, Result};

/// How far behind now the empty stretch of time is, in microseconds: a century, where nobody sends events.
const EMPTY_AHEAD: i64 = 100 * 365 * 24 * 60 * 60 * 1_000_000;

/// A query that can be run.
#[derive(Debug)]
pub struct Runnable {
    text: String,
    resolved: Resolved,
    datasets: Vec<Dataset>,
    /// The names of the views that the caller may query as such.
    pub views: Vec<String>,
    /// The columns of its answers.
    pub columns: Vec<String>,
}

/// What is asked of a query.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// From the start, up to and without the end.
    pub range: (Timestamp, Timestamp),
    /// The moment that `now()` is.
    pub moment: Timestamp,
    /// Whether single events come in the order of time, where the query does not say.
    pub is_oldest_first: bool,
    /// How many single events, where the query does not say.
    pub rows: Option<usize>,
    /// Who waits for the answer.
    pub lane: Lane,
}

/// Checks a query.
pub async fn check(app: &App, caller: &Caller, text: &str) -> Result<Runnable> {
    let mut runnable = understood(app, caller, text).await?;
    let start = Timestamp::from_micros(caller.now.as_micros() + EMPTY_AHEAD);
    let end = Timestamp::from_micros(start.as_micros() + 60_000_000);
    let answer = runnable.run(app, caller, (start, end), None).await?;
    runnable.check_fields(&answer)?;
    let fields = answer.tables.iter().flat_map(|table| &table.fields);
    runnable.columns = fields.map(|field| field.name.clone()).collect();
    Ok(runnable)
}

/// Understands a query that was checked before. Its columns are not known.
pub async fn understood(app: &App, caller: &Caller, text: &str) -> Result<Runnable> {
    let input = AplInput { text: text.to_owned(), ..AplInput::default() };
    let Understood { resolved, direct, by_views, views } = compile::understood(app, caller, &input).await?;
    let datasets = sources::of(app, caller, &direct, &by_views).await?;
    meter::check(&app.queries.meter, &app.catalog, caller).await?;
    let may_query_view = |name: &String| {
        caller.capabilities.allows_view(name, ViewArea::Query, Action::Read)
            || caller.capabilities.allows_dataset(ANY, DatasetArea::Query, Action::Read)
    };
    let views = views.into_iter().filter(may_query_view).collect();
    Ok(Runnable { text: text.to_owned(), resolved, datasets, views, columns: Vec::new() })
}

impl Runnable {
    /// The query with its names settled.
    pub fn query(&self) -> &Query {
        &self.resolved.query
    }

    /// The datasets that the caller reads of their own right. What a view reads is the view's affair, but for the audit
    /// trail, which no view hands on.
    pub fn datasets(&self, caller: &Caller) -> Vec<String> {
        let held = &caller.capabilities;
        let may_read = |name: &&str| {
            held.allows_dataset(name, DatasetArea::Query, Action::Read)
                || (is_audit_name(name) && held.allows_audit())
        };
        let names = self.datasets.iter().map(|dataset| dataset.name.as_str());
        names.filter(may_read).map(str::to_owned).collect()
    }

    /// How many rows it has between two times.
    pub async fn count(&self, app: &App, caller: &Caller, range: (Timestamp, Timestamp)) -> Result<u64> {
        let answer = self.run(app, caller, range, Some(Stage::Count)).await?;
        Ok(first_number(&answer).unwrap_or(0))
    }

    /// The same with other stages.
    pub fn with_stages(&self, stages: Vec<Stage>) -> Self {
        let mut resolved = self.resolved.clone();
        resolved.query.stages = stages;
        Self {
            text: self.text.clone(),
            resolved,
            datasets: self.datasets.clone(),
            views: self.views.clone(),
            columns: Vec::new(),
        }
    }

    /// The answer for a stretch of time, and what it cost.
    pub async fn ask(&self, app: &App, caller: &Caller, asked: Asked) -> Result<(Answer, u64)> {
        let (start, end) = asked.range;
        let by_time = SortKey { field: TIME_FIELD.to_owned(), ..SortKey::default() };
        let input = AplInput {
            text: self.text.clone(),
            lane: asked.lane,
            start_time: Some(start.to_string()),
            end_time: Some(end.to_string()),
            default_limit: asked.rows,
            default_order: if asked.is_oldest_first { vec![by_time] } else { Vec::new() },
            ..AplInput::default()
        };
        let (resolved, datasets) = (self.resolved.clone(), self.datasets.clone());
        let found = Run { app, caller, input, resolved, datasets }.once(asked.moment).await?;
        Ok((found.answer, found.cost))
    }

    /// Refuses a field that no event has had, where there are events: somebody mistook its name, and would wait for
    /// ever for an answer. A query that is asked at once may name such a field, because its asker sees what comes.
    fn check_fields(&self, answer: &Answer) -> Result<()> {
        let mut missing = answer.messages.iter().filter_map(|message| match message {
            Message::MissingField { name, .. } => Some(name.as_str()),
            _ => None,
        });
        let has_events = self.datasets.iter().any(|dataset| dataset.state.info().max_time.is_some());
        // Of several datasets one may have it.
        let Some(name) = missing.find(|name| has_events && !self.knows(name)) else {
            return Ok(());
        };
        // What is in a dataset that only a view may read is not told.
        let told = if self.views.is_empty() { self.datasets.as_slice() } else { &[] };
        let known: BTreeSet<String> =
            told.iter().flat_map(|dataset| dataset.state.fields().into_keys()).collect();
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "no event has it yet; to watch for it all the same, write `column_ifexists(\"…\", …)`"
                .to_owned(),
        };
        // Before the first stage stand the names of datasets.
        let stages = self.text.find('|').unwrap_or_default();
        let start = self.text[stages..].find(name).map_or(0, |place| stages + place);
        let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let span = Span { start: place(start), end: place(start + name.len()) };
        let message = format!("invalid field: \"{name}\"");
        Err(failure::of_names(&self.text, &[Diagnostic { message, span, hint: Some(hint) }]))
    }

    /// Whether one of the datasets has a field, or one that it may be a member of.
    fn knows(&self, name: &str) -> bool {
        let outer = name.split(['.', '[']).next().unwrap_or(name);
        self.datasets.iter().any(|Dataset { state, virtual_fields, .. }| {
            let is_virtual = virtual_fields.iter().any(|field| field.name == name || field.name == outer);
            is_virtual || state.has_field(name) || state.has_field(outer)
        })
    }

    async fn run(
        &self,
        app: &App,
        caller: &Caller,
        (start, end): (Timestamp, Timestamp),
        last: Option<Stage>,
    ) -> Result<Answer> {
        let mut resolved = self.resolved.clone();
        resolved.query.stages.extend(last);
        let input = AplInput {
            text: self.text.clone(),
            lane: Lane::Monitor,
            start_time: Some(start.to_string()),
            end_time: Some(end.to_string()),
            ..AplInput::default()
        };
        let run = Run { app, caller, input, resolved, datasets: self.datasets.clone() };
        Ok(run.once(caller.now).await?.answer)
    }
}

fn first_number(answer: &Answer) -> Option<u64> {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    let (_, values) = answer.tables.first()?.fields.first()?.values.first()?;
    let numbers = values.as_primitive_opt::<Int64Type>()?;
    numbers.iter().flatten().next().and_then(|number| u64::try_from(number).ok())
}
