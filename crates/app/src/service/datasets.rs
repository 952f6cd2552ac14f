//! Datasets: the named places that events go to. What is done with their events is in `maintenance`, what is known of their
//! fields in `fields`.

pub mod audit_dataset;
mod change;
pub mod fields;
pub mod maintenance;

use std::sync::Arc;

use tidegauge_catalog::datasets::{Dataset, DatasetPatch};
use tidegauge_catalog::monitor_epochs::Gone;
use tidegauge_model::dataset::{EVENTS_KIND, is_audit_name};
use tidegauge_model::{Action, DatasetArea, DatasetId, DatasetName, ErrorKind, OrgArea, OrgId, Violation};
use tidegauge_store::DatasetState;

pub use self::change::DatasetChange;
use self::change::check_retention;
use super::text::{DESCRIPTION_MAX, check_dataset_name, check_text};
use super::{Caller, Error, Result, monitored_views};
use crate::app::App;

/// What a dataset can be said to hold.
pub const KINDS: [&str; 4] = [EVENTS_KIND, "otel:metrics:v1", "otel:traces:v1", "otel:logs:v1"];

/// Longest name of a place that a dataset is kept at, in characters.
const PLACE_MAX: usize = 256;

/// What a caller says of a new dataset.
#[derive(Debug, Default)]
pub struct DatasetInput {
    pub name: String,
    pub description: Option<String>,
    pub kind: Option<String>,
    pub use_retention: Option<bool>,
    pub retention_days: Option<u32>,
    pub region: Option<String>,
    pub edge_deployment: Option<String>,
    /// The fields that keep objects as they are.
    pub map_fields: Vec<String>,
}

/// What a dataset is like that is made for the events of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Making {
    /// One of [`KINDS`]; plain events unless given.
    pub kind: Option<&'static str>,
    pub map_fields: &'static [&'static str],
}

/// The datasets that the caller can do anything with.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Dataset>> {
    let datasets = app.catalog.list_datasets(caller.org()?).await?;
    let visible = datasets.into_iter().filter(|dataset| is_visible(caller, dataset.name.as_str()));
    Ok(visible.map(|dataset| shown(caller, dataset)).collect())
}

/// The names of all datasets that the caller may query.
pub async fn queryable(app: &App, caller: &Caller) -> Result<Vec<String>> {
    let may = |name: &str| caller.capabilities.allows_dataset(name, DatasetArea::Query, Action::Read);
    let datasets = app.catalog.list_datasets(caller.org()?).await?;
    let names = datasets.iter().map(|dataset| dataset.name.as_str());
    Ok(names.filter(|name| may(name)).map(str::to_owned).collect())
}

pub async fn get(app: &App, caller: &Caller, name: &str) -> Result<Dataset> {
    Ok(shown(caller, find(app, caller, name).await?))
}

async fn find(app: &App, caller: &Caller, name: &str) -> Result<Dataset> {
    let found = app.catalog.find_dataset(caller.org()?, name).await?;
    found.filter(|_| is_visible(caller, name)).ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: DatasetInput) -> Result<Dataset> {
    let org = caller.org_to_create_in()?;
    check_dataset_name("name", &input.name)?;
    audit_dataset::check_name_is_free(&input.name)?;
    let name = DatasetName::parse(&input.name).ok_or_else(not_found)?;
    let kind = input.kind.filter(|kind| !kind.is_empty()).unwrap_or_else(|| EVENTS_KIND.to_owned());
    if !KINDS.contains(&kind.as_str()) {
        return Err(Violation::one_of("kind", &KINDS).into());
    }
    let description = input.description.unwrap_or_default();
    check_text("description", &description, DESCRIPTION_MAX)?;
    let (region, edge_deployment) =
        (input.region.unwrap_or_default(), input.edge_deployment.unwrap_or_default());
    check_text("region", &region, PLACE_MAX)?;
    check_text("edgeDeployment", &edge_deployment, PLACE_MAX)?;
    let use_retention = input.use_retention.unwrap_or(false);
    let retention_days = input.retention_days.unwrap_or(0);
    check_retention(use_retention, retention_days)?;
    let dataset = Dataset {
        id: DatasetId::generate(caller.now, &*app.rng),
        number: 0,
        org: org.clone(),
        name,
        description,
        kind,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
        use_retention,
        retention_days,
        map_fields: input.map_fields,
        flushed: 0,
        vacuumed: None,
        region,
        edge_deployment,
    };
    if app.catalog.find_dataset(org, dataset.name.as_str()).await?.is_some() {
        // Told before the number of datasets is: there is nothing to be made.
        return Err(Error::new(ErrorKind::Conflict, "there is a dataset with this name"));
    }
    let max = caller.org_context()?.limits.max_datasets;
    let stored = app.catalog.insert_dataset(org, &dataset, max, &caller.change()).await?;
    app.store.add(&stored)?;
    Ok(stored)
}

/// Changes a dataset. Events go by a shorter retention time, so that is for who may let go of them in another way.
pub async fn update(app: &App, caller: &Caller, name: &str, change: DatasetChange) -> Result<Dataset> {
    let present = find(app, caller, name).await?;
    if let Some(description) = &change.description {
        check_text("description", description, DESCRIPTION_MAX)?;
    }
    audit_dataset::check_change(caller, &present, &change)?;
    let use_retention = change.use_retention.unwrap_or(present.use_retention);
    check_retention(use_retention, change.retention_days.unwrap_or(present.retention_days))?;
    let patch = DatasetPatch {
        description: change.description,
        use_retention: change.use_retention,
        retention_days: change.retention_days,
        keeps_events: !may_remove_events(caller, name),
    };
    let updated =
        app.catalog.update_dataset(caller.org()?, name, patch, caller.now, &caller.change()).await?;
    updated.map(|dataset| shown(caller, dataset)).ok_or_else(not_found)
}

pub async fn delete(app: &App, caller: &Caller, name: &str) -> Result<()> {
    let org = caller.org()?;
    audit_dataset::check_is_free(app, caller, name, "delete it").await?;
    if let Some(state) = app.store.find(org, name)
        && let Err(error) = app.store.flush(&state).await
    {
        // Only so that its bytes are counted for the month; the dataset goes in any case.
        tracing::warn!(%error, dataset = name, "the last events of a deleted dataset could not be counted");
    }
    let (views, change) = (monitored_views::reading(app, org, name).await?, caller.change());
    let erasing = app.store.erasures().begin_deletion(org, name).await;
    let deleted = app.catalog.delete_dataset_of_views(org, name, &views, caller.now, &change).await;
    if let Ok(Some(id)) = &deleted {
        app.store.remove(id);
    }
    erasing.done();
    deleted?.ok_or_else(not_found)?;
    if let Err(error) = begin_monitors_anew(app, org, name).await {
        tracing::warn!(error = %error.message, dataset = name, "monitors of a deleted dataset did not begin anew twice");
    }
    Ok(())
}

/// Monitors that read a dataset began anew when it was deleted. Until it was gone from the store as well, a run of theirs
/// could still read its events, and so they do it once more.
async fn begin_monitors_anew(app: &App, org: &OrgId, name: &str) -> Result<()> {
    let views = monitored_views::reading(app, org, name).await?;
    app.catalog.begin_monitors_anew(org, Gone { dataset: Some(name), views: &views }).await?;
    Ok(())
}

/// Whether the caller may have events of a dataset removed: with it, by their age, or by a query.
fn may_remove_events(caller: &Caller, name: &str) -> bool {
    let held = &caller.capabilities;
    held.allows_org(OrgArea::Datasets, Action::Delete)
        || held.allows_dataset(name, DatasetArea::Trim, Action::Update)
        || held.allows_dataset(name, DatasetArea::Data, Action::Delete)
}

pub(super) fn not_found() -> Error {
    Error::not_found("dataset")
}

/// Whether the caller can do anything with a dataset; to others it does not exist.
pub(super) fn is_visible(caller: &Caller, name: &str) -> bool {
    let may = |area: DatasetArea| {
        area.actions().iter().any(|action| caller.capabilities.allows_dataset(name, area, *action))
    };
    let in_org = |action: &Action| caller.capabilities.allows_org(OrgArea::Datasets, *action);
    if is_audit_name(name) && !caller.capabilities.allows_audit() {
        return false;
    }
    Action::ALL.iter().any(in_org) || DatasetArea::ALL.iter().copied().any(may)
}

/// Whether the caller may know what the events of a dataset are like: their fields and figures tell of what is in them,
/// which is for those who could ask for it, and not for who may only send events or let go of them.
fn may_know(caller: &Caller, name: &str) -> bool {
    let held = &caller.capabilities;
    let is_open = !is_audit_name(name) || held.allows_audit();
    is_open
        && (held.allows_org(OrgArea::Datasets, Action::Read)
            || held.allows_dataset(name, DatasetArea::Query, Action::Read))
}

/// A dataset as the caller may see it: which fields keep objects names fields.
fn shown(caller: &Caller, mut dataset: Dataset) -> Dataset {
    if !may_know(caller, dataset.name.as_str()) {
        dataset.map_fields.clear();
    }
    dataset
}

/// The datasets of which the caller may know what their events are like.
async fn list_known(app: &App, caller: &Caller) -> Result<Vec<Dataset>> {
    let datasets = app.catalog.list_datasets(caller.org()?).await?;
    Ok(datasets.into_iter().filter(|dataset| may_know(caller, dataset.name.as_str())).collect())
}

/// The dataset that events are sent to, or none if it is to be made when they have been read: a body that is refused
/// leaves no dataset behind. Who may not make one, or names one that nobody can make, is told at once.
pub async fn find_to_fill(app: &App, caller: &Caller, name: &str) -> Result<Option<Arc<DatasetState>>> {
    audit_dataset::check_may_fill(app, caller, name).await?;
    if let Some(state) = find_state(app, caller, name).await? {
        return Ok(Some(state));
    }
    if !caller.capabilities.allows_org(OrgArea::Datasets, Action::Create) {
        return Err(Error::not_found("dataset")
            .hint("create it first, or send with a token that may create datasets"));
    }
    check_dataset_name("name", name)?;
    Ok(None)
}

/// Makes the dataset that events are sent to, unless somebody has made it meanwhile.
pub async fn make_to_fill(
    app: &App,
    caller: &Caller,
    name: &str,
    making: Making,
) -> Result<Arc<DatasetState>> {
    let input = DatasetInput {
        name: name.to_owned(),
        kind: making.kind.map(str::to_owned),
        map_fields: making.map_fields.iter().map(|field| (*field).to_owned()).collect(),
        ..DatasetInput::default()
    };
    match create(app, caller, input).await {
        // Somebody else may have made it in the same moment.
        Err(error) if matches!(error.kind, ErrorKind::Conflict | ErrorKind::LimitReached) => {
            find_state(app, caller, name).await?.ok_or(error)
        }
        Err(error) => Err(error),
        Ok(_) => find_state(app, caller, name).await?.ok_or_else(not_found),
    }
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
