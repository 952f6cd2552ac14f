//! The whole answer of a query, for files: single events page after page, so that there may be any number of them, and
//! other answers at once.

use tidegauge_engine::{Dataset, Lane, Message};
use tidegauge_lang::Resolved;
use tidegauge_lang::tree::{Query, Stage};
use tidegauge_model::ErrorKind;

use super::compile::{self, Understood};
pub use super::exported::{Common, Export, ExportInput};
use super::{AplInput, query, sources};
use crate::app::App;
use crate::service::query::Queried;
use crate::service::query::single_events::{is_of_one_dataset, keeps_events};
use crate::service::{Caller, Error, Result};

/// How many events are read at once.
const PAGE_ROWS: usize = 50_000;

/// How many rows an answer has that cannot be read in pages.
pub const WHOLE_ROWS_MAX: usize = 1_000_000;

/// Where datasets have more fields, a page has only those that occur in it.
const FIELDS_OF_ALL_PAGES_MAX: usize = 500;

impl Export {
    /// Checks that the caller may ask, before anything is read.
    pub async fn new(app: &App, caller: &Caller, input: ExportInput, common: Common) -> Result<Self> {
        let (resolved, datasets) = understood(app, caller, &input).await?;
        let is_alike = match common {
            Common::Nothing => true,
            Common::Names => has_names_of_all_pages(&resolved.query, &datasets),
            // No page knows what types are in the next.
            Common::NamesAndTypes => false,
        };
        let is_paged = is_alike && is_of_events_in_order(&resolved.query);
        Ok(Self { input, is_paged, cursor: None, is_over: false })
    }

    /// Checks that a caller may still ask.
    pub async fn check(&self, app: &App, caller: &Caller) -> Result<()> {
        understood(app, caller, &self.input).await.map(drop)
    }

    /// The next page; none behind the last.
    pub async fn next(&mut self, app: &App, caller: &Caller) -> Result<Option<Queried>> {
        if self.is_over {
            return Ok(None);
        }
        let rows = if self.is_paged { PAGE_ROWS } else { WHOLE_ROWS_MAX };
        let input = AplInput {
            text: self.input.apl.clone(),
            lane: Lane::Export,
            start_time: self.input.start_time.clone(),
            end_time: self.input.end_time.clone(),
            cursor: self.cursor.take(),
            default_limit: Some(rows),
            rows_max: Some(WHOLE_ROWS_MAX),
            ..AplInput::default()
        };
        let queried = query(app, caller, input).await?;
        let goes_on = queried.answer.continues_at.is_some();
        if !self.is_paged {
            self.is_over = true;
            let is_cut =
                |message: &Message| matches!(message, Message::RowsCut(_) | Message::DefaultLimit(_));
            // Nobody would see of a file that it is a part.
            return match goes_on || queried.answer.messages.iter().any(is_cut) {
                true => Err(too_large()),
                false => Ok(Some(queried)),
            };
        }
        let table = queried.answer.tables.first();
        let is_full = table.is_some_and(|table| table.rows >= rows);
        let last = table.and_then(|table| table.row_ids.last()).copied();
        let last = queried.answer.continues_at.map(|continued| continued.after).or(last);
        self.cursor = last.filter(|_| is_full || goes_on).map(|row| row.to_string());
        self.is_over = self.cursor.is_none();
        Ok(Some(queried))
    }
}

/// The query and what it reads, if the caller may ask it.
async fn understood(app: &App, caller: &Caller, input: &ExportInput) -> Result<(Resolved, Vec<Dataset>)> {
    caller.org_context()?;
    let asked = AplInput { text: input.apl.clone(), ..AplInput::default() };
    let understood = Box::pin(compile::understood(app, caller, &asked)).await?;
    let Understood { resolved, direct, by_views, .. } = understood;
    let datasets = sources::of(app, caller, &direct, &by_views).await?;
    sources::check_may_compute(caller, &datasets)?;
    Ok((resolved, datasets))
}

fn too_large() -> Error {
    Error::new(ErrorKind::OutOfMemory, "the answer is too large for one file of this kind")
        .hint("ask for fewer fields or a shorter range, or for events newest first as NDJSON, of which there may be any number")
}

/// Whether a query gives single events newest first, so that those behind one of them can be asked for.
fn is_of_events_in_order(query: &Query) -> bool {
    // Behind another name for the time, the place of an event is unknown.
    let keeps_order = |stage: &Stage| match stage {
        Stage::Search(_) => true,
        Stage::ProjectRename(_) => false,
        other => keeps_events(other),
    };
    is_of_one_dataset(query) && query.stages.iter().all(keeps_order)
}

/// Whether a page has the fields of all, also those that are nowhere in it.
fn has_names_of_all_pages(query: &Query, datasets: &[Dataset]) -> bool {
    let fields: usize = datasets.iter().map(|dataset| dataset.state.field_count()).sum();
    fields <= FIELDS_OF_ALL_PAGES_MAX || query.stages.iter().any(|stage| matches!(stage, Stage::Project(_)))
}

#[cfg(test)]
mod tests {
    use tidegauge_lang::parse_query;

    use super::*;

    #[test]
    fn events_are_read_in_pages_and_the_rest_at_once() {
        for (text, is_paged) in [
            ("['d']", true),
            ("['d'] | where a > 1 | project a", true),
            ("['d'] | take 5", false),
            ("['d'] | sort by a", false),
            ("['d'] | summarize count()", false),
            ("print 1", false),
        ] {
            let (program, diagnostics) = parse_query(text);
            assert!(diagnostics.is_empty(), "{text}");
            assert_eq!(is_of_events_in_order(&program.query), is_paged, "{text}");
        }
    }
}
