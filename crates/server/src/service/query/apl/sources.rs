//! The datasets that a query in text reads: those that it names, which the caller must be allowed to read, and of
//! those that fit a pattern the ones that the caller may.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegauge_engine::Dataset;
use tidegauge_lang::tree::{NamePattern, Query};
use tidegauge_lang::{dataset_names, nearest};
use tidegauge_model::{Action, DatasetArea};
use tidegauge_store::DatasetState;

use super::defined::Views;
use crate::app::App;
use crate::service::query::definitions;
use crate::service::{Caller, Error, Result, datasets};

/// The datasets of a query by their names, each once.
pub(super) async fn of(app: &App, caller: &Caller, query: &mut Query, views: &Views) -> Result<Vec<Dataset>> {
    let mut states: BTreeMap<String, Arc<DatasetState>> = BTreeMap::new();
    let mut patterns: Vec<NamePattern> = Vec::new();
    for wanted in dataset_names(query) {
        let Some(name) = wanted.plain() else {
            patterns.push(wanted);
            continue;
        };
        if !views.handed_on.contains(name) {
            caller.check_dataset(name, DatasetArea::Query, Action::Read)?;
        }
        match datasets::find_state(app, caller, name).await? {
            Some(state) => states.insert(name.to_owned(), state),
            None => return Err(not_found(app, caller, name).await),
        };
    }
    if !patterns.is_empty() {
        for name in readable(app, caller).await? {
            let fits = patterns.iter().any(|pattern| pattern.fits(&name));
            if fits
                && !states.contains_key(&name)
                && let Some(state) = datasets::find_state(app, caller, &name).await?
            {
                states.insert(name, state);
            }
        }
    }
    let mut found = Vec::with_capacity(states.len());
    for (name, state) in states {
        let virtual_fields = definitions::virtual_fields_of(app, caller, &name).await?;
        found.push(Dataset { name, state, virtual_fields });
    }
    Ok(found)
}

/// The names of all datasets that the caller may query.
async fn readable(app: &App, caller: &Caller) -> Result<Vec<String>> {
    let all = app.catalog.list_datasets(caller.org()?).await?;
    let may = |name: &&str| caller.capabilities.allows_dataset(name, DatasetArea::Query, Action::Read);
    Ok(all.iter().map(|dataset| dataset.name.as_str()).filter(may).map(str::to_owned).collect())
}

async fn not_found(app: &App, caller: &Caller, name: &str) -> Error {
    let error = Error::not_found("dataset");
    let error = Error { message: format!("{}: {name:?}", error.message), ..error };
    let known = readable(app, caller).await.unwrap_or_default();
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `['{near}']`?")),
        None => error.hint("write the name of a dataset that there is"),
    }
}
