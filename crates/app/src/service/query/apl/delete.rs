//! Deletes the events that a query finds. The query may only filter: what it shows of an event has nothing to do with
//! which events go. Events are found page by page, and those of a page are gone before the next is looked for, so that
//! a deletion which is cut off can be asked for again. Events that arrive meanwhile are left alone where the query has
//! an end.

use std::sync::Arc;

use tidegauge_engine::{Dataset, Lane, Options, Question};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Cursor, Expr, ExprKind, Named, Query, SortKey, Source, Stage};
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_model::licence::Limits;
use tidegauge_model::{Action, DatasetArea, ErrorKind, RowId};

use super::compile::{self, Understood};
use super::{AplInput, sources};
use crate::app::App;
use crate::service::datasets::audit_dataset;
use crate::service::query::meter::Payers;
use crate::service::query::{asker, failure, meter};
use crate::service::{Caller, Error, Result};

/// How many events are found at once.
const PAGE_ROWS: u64 = 200_000;

/// What was found, and what of it is gone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deletion {
    pub rows_matched: u64,
    pub rows_deleted: u64,
    /// Blocks that were looked at.
    pub blocks_matched: u64,
    /// The times of the first and the last event, in nanoseconds since 1970.
    pub times: Option<(i64, i64)>,
}

/// Finds the events of a query, and deletes them unless it is only asked which they are.
pub async fn delete(app: &App, caller: &Caller, input: AplInput, is_committed: bool) -> Result<Deletion> {
    let org_context = caller.org_context()?;
    let Understood { mut resolved, direct, by_views, .. } = compile::understood(app, caller, &input).await?;
    let name = checked(&mut resolved.query)?;
    caller.check_dataset(&name, DatasetArea::Data, Action::Delete)?;
    // How many events match, and when they were, is an answer about them.
    caller.check_dataset(&name, DatasetArea::Query, Action::Read)?;
    audit_dataset::check_is_free(app, caller, &name, "delete single events of it").await?;
    let datasets = sources::of(app, caller, &direct, &by_views).await?;
    let dataset = datasets.iter().find(|dataset| dataset.name == name);
    let Some(dataset) = dataset else { return Err(Error::not_found("dataset")) };
    meter::check(&app.queries.meter, &app.catalog, caller).await?;
    // How far back the licence lets queries look says nothing of what may be deleted.
    let limits = Limits { max_query_window_seconds: 0, ..org_context.limits.clone() };
    let query = compile::placed(&resolved, &input, &limits, caller.now)?.query;
    let payers = Payers::of(&datasets);
    let mut deletion = Deletion::default();
    let (mut after, mut is_noted) = (None, false);
    loop {
        let question = Question {
            query: page(&query, after),
            constants: resolved.constants.clone(),
            datasets: datasets.clone(),
            is_strict: resolved.is_strict,
            options: Options {
                asker: asker(caller, Lane::Export)?,
                unanswered: meter::unanswered(&app.queries.meter, &org_context.org, &payers, app.now()),
                ..options(app, caller)
            },
        };
        let answer = app.engine.run(question).await;
        let answer = answer.map_err(|error| failure::of_text_engine(error, &input.text))?;
        let org = (&org_context.org, &payers);
        meter::account(&app.queries.meter, &app.metrics, org, &answer.figures, app.now());
        deletion.blocks_matched += answer.figures.blocks_examined;
        let found = answer.tables.into_iter().next().map(|table| table.row_ids).unwrap_or_default();
        let Some((first, last)) = found.first().copied().zip(found.last().copied()) else { break };
        deletion.rows_matched += found.len() as u64;
        let begin = deletion.times.map_or(first.time, |(begin, _)| begin);
        deletion.times = Some((begin, last.time));
        after = Some(last);
        if is_committed {
            if !is_noted {
                // Before anything is gone, so that a deletion which is cut off is in the trail too.
                let more = if found.len() as u64 >= PAGE_ROWS { " or more" } else { "" };
                let detail = format!("{} events{more}", found.len());
                app.catalog.note_deletion(&name, &detail, &caller.change()).await?;
                is_noted = true;
            }
            deletion.rows_deleted += removed(app, dataset, found).await?;
        }
    }
    if is_committed && !is_noted {
        app.catalog.note_deletion(&name, "0 events", &caller.change()).await?;
    }
    Ok(deletion)
}

async fn removed(app: &App, dataset: &Dataset, found: Vec<RowId>) -> Result<u64> {
    Ok(app.store.delete_rows(&Arc::clone(&dataset.state), found).await?.rows)
}

/// The one dataset that a query filters.
fn checked(query: &mut Query) -> Result<String> {
    check_stages(query)?;
    // It would be run anew for each page, and might find other values when some events are gone.
    if !query.queries_mut().is_empty() {
        let hint =
            "the condition reads a table: write its values into the list after `in`, or into `variables`";
        return Err(refused(hint));
    }
    match &query.source {
        Source::Dataset { name, .. } => Ok(name.clone()),
        _ => Err(refused("it must begin with one dataset: `['my-dataset'] | where …`")),
    }
}

fn check_stages(query: &Query) -> Result<()> {
    let is_filter = |stage: &Stage| {
        matches!(stage, Stage::Filter(_) | Stage::Search(_) | Stage::Extend(_) | Stage::ExtendValid(_))
    };
    match query.stages.iter().find(|stage| !is_filter(stage)) {
        Some(stage) => {
            let stage = tidegauge_lang::print_stage(stage);
            let word = stage.split_whitespace().next().unwrap_or_default();
            Err(refused(&format!(
                "leave out `{word}`: only `where`, `search` and `extend` say which events go"
            )))
        }
        // Without a condition it would be the whole dataset, which is seldom meant.
        None if !query.stages.iter().any(|stage| matches!(stage, Stage::Filter(_) | Stage::Search(_))) => {
            Err(refused("say which events go with `| where …`; a whole dataset is deleted by its own route"))
        }
        // Pages are told apart by the time as it is stored.
        None if query.stages.iter().any(defines_time) => {
            Err(refused("give what `extend` makes another name than `_time`"))
        }
        None => Ok(()),
    }
}

fn defines_time(stage: &Stage) -> bool {
    match stage {
        Stage::Extend(named) | Stage::ExtendValid(named) => {
            named.iter().any(|named| named.name == TIME_FIELD)
        }
        _ => false,
    }
}

fn refused(hint: &str) -> Error {
    Error::new(ErrorKind::Malformed, "the query cannot say which events to delete").hint(hint)
}

/// The query for the next events in the order of time.
fn page(query: &Query, after: Option<RowId>) -> Query {
    let mut page = query.clone();
    let time = Expr::new(ExprKind::Field(TIME_FIELD.to_owned()), Span::default());
    page.stages.push(Stage::Sort(vec![SortKey {
        field: TIME_FIELD.to_owned(),
        is_descending: false,
        ..SortKey::default()
    }]));
    page.stages.extend(after.map(|row| Stage::After(Cursor { row, is_included: false })));
    page.stages.push(Stage::Limit(PAGE_ROWS));
    page.stages.push(Stage::Project(vec![Named { name: TIME_FIELD.to_owned(), expr: time }]));
    page
}

fn options(app: &App, caller: &Caller) -> Options {
    Options {
        lane: Lane::Export,
        time_max: app.queries.limits.time_max,
        places: app.queries.places(),
        ..Options::at(caller.now.as_nanos())
    }
}
