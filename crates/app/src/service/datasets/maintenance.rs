//! The events of a dataset as a whole: how many there are, and letting go of old ones and of fields that none has.

use std::time::Duration;

use tidegauge_catalog::datasets::Dataset;
use tidegauge_model::{Action, DatasetArea, ErrorKind, Rule, Violation, duration};
use tidegauge_store::Info;

use super::{audit_dataset, find, find_state, list_known, may_know, not_found};
use crate::app::App;
use crate::service::{Caller, Error, Result};

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// A dataset with the figures of its events.
#[derive(Debug)]
pub struct Described {
    pub dataset: Dataset,
    pub info: Info,
}

pub async fn info(app: &App, caller: &Caller, name: &str) -> Result<Described> {
    let dataset = find(app, caller, name).await?;
    if !may_know(caller, name) {
        caller.check_dataset(name, DatasetArea::Query, Action::Read)?;
    }
    let state = find_state(app, caller, name).await?.ok_or_else(not_found)?;
    Ok(Described { dataset, info: state.info() })
}

/// Every dataset that the caller may read or query, with its figures.
pub async fn stats(app: &App, caller: &Caller) -> Result<Vec<Described>> {
    let mut described = Vec::new();
    for dataset in list_known(app, caller).await? {
        if let Some(state) = find_state(app, caller, dataset.name.as_str()).await? {
            described.push(Described { dataset, info: state.info() });
        }
    }
    Ok(described)
}

/// Removes events that are older than a duration, in whole segments. Returns how many segments went.
pub async fn trim(app: &App, caller: &Caller, name: &str, max_duration: &str) -> Result<usize> {
    caller.check_dataset(name, DatasetArea::Trim, Action::Update)?;
    let age = duration::parse(max_duration).ok_or_else(|| {
        Violation::new("maxDuration", Rule::Pattern, "must be a duration such as 720h or 30d")
    })?;
    // Times are kept in microseconds: less is nothing, and no event is younger than that.
    if age < Duration::from_micros(1) {
        let problem = "must be longer than 0, or every event would go; if that is meant, delete the dataset";
        return Err(Violation::new("maxDuration", Rule::Minimum, problem).into());
    }
    audit_dataset::check_is_free(app, caller, name, "trim it").await?;
    let state = find_state(app, caller, name).await?.ok_or_else(not_found)?;
    let removed = app.store.trim(&state, caller.now.minus(age)).await?;
    let detail = format!("{removed} segments older than {max_duration}");
    app.catalog.note_trim(name, detail, &caller.change()).await?;
    Ok(removed)
}

/// Forgets fields that no stored event has, at most once a day.
pub async fn vacuum(app: &App, caller: &Caller, name: &str) -> Result<()> {
    caller.check_dataset(name, DatasetArea::Vacuum, Action::Update)?;
    audit_dataset::check_is_free(app, caller, name, "vacuum it").await?;
    let dataset = app.catalog.find_dataset(caller.org()?, name).await?.ok_or_else(not_found)?;
    let again = dataset.vacuumed.map(|last| last.plus(Duration::from_secs(DAY_SECONDS)));
    if let Some(again) = again.filter(|again| caller.now < *again) {
        let message = "the dataset was vacuumed in the last day";
        return Err(Error::new(ErrorKind::Busy, message).retry_at(again));
    }
    let state = find_state(app, caller, name).await?.ok_or_else(not_found)?;
    app.store.vacuum(&state).await?;
    let noted = app.catalog.note_vacuum(caller.org()?, name, caller.now, &caller.change()).await?;
    noted.map(|_| ()).ok_or_else(not_found)
}
