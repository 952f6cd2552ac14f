//! Datasets: the named places that events go to.

use std::sync::Arc;

use tidegauge_catalog::datasets::Dataset;
use tidegauge_model::dataset::NAME_BYTES_MAX;
use tidegauge_model::{Action, DatasetId, DatasetName, ErrorKind, OrgArea, Rule, Violation};
use tidegauge_store::DatasetState;

use super::{Caller, Error, Result};
use crate::app::App;

/// What a dataset holds unless its maker says otherwise.
pub const EVENTS: &str = "axiom:events:v1";

/// What a caller says of a new dataset.
#[derive(Debug, Default)]
pub struct DatasetInput {
    pub name: String,
    pub description: String,
    pub kind: Option<String>,
    pub use_retention: bool,
    pub retention_days: u32,
}

pub async fn create(app: &App, caller: &Caller, input: DatasetInput) -> Result<Dataset> {
    let org = caller.org_to_create_in()?;
    let name = DatasetName::parse(&input.name).ok_or_else(|| {
        let problem = format!(
            "must be 1 to {NAME_BYTES_MAX} letters, digits, '_', '.' and '-', beginning with a letter or a digit"
        );
        Violation::new("name", Rule::Pattern, problem)
    })?;
    let dataset = Dataset {
        id: DatasetId::generate(caller.now, &*app.chance),
        number: 0,
        org: org.clone(),
        name,
        description: input.description,
        kind: input.kind.unwrap_or_else(|| EVENTS.to_owned()),
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
        use_retention: input.use_retention,
        retention_days: input.retention_days,
        map_fields: Vec::new(),
        flushed: 0,
        vacuumed: None,
    };
    let max = caller.standing()?.limits.max_datasets;
    let stored = app.catalog.insert_dataset(org, &dataset, max, &caller.change()).await?;
    app.store.add(&stored)?;
    Ok(stored)
}

/// The dataset that events are sent to. One that does not exist is made for a caller who may make datasets.
pub async fn find_or_create(app: &App, caller: &Caller, name: &str) -> Result<Arc<DatasetState>> {
    let org = caller.org()?;
    if let Some(state) = find_state(app, caller, name).await? {
        return Ok(state);
    }
    if !caller.capabilities.allows_org(OrgArea::Datasets, Action::Create) {
        return Err(Error::not_found("dataset")
            .hint("create it first, or send with a token that may create datasets"));
    }
    let input = DatasetInput { name: name.to_owned(), ..DatasetInput::default() };
    match create(app, caller, input).await {
        // Somebody else made it in the same moment.
        Err(error) if error.kind == ErrorKind::Conflict => {}
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    app.store.find(org, name).ok_or_else(|| Error::not_found("dataset"))
}

/// The state of a dataset, also of one that another process made.
pub async fn find_state(app: &App, caller: &Caller, name: &str) -> Result<Option<Arc<DatasetState>>> {
    let org = caller.org()?;
    if let Some(state) = app.store.find(org, name) {
        return Ok(Some(state));
    }
    match app.catalog.find_dataset(org, name).await? {
        Some(dataset) => Ok(Some(app.store.add(&dataset)?)),
        None => Ok(None),
    }
}
