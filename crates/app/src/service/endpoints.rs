//! Endpoints: list, read, create, replace, delete. An endpoint hands out the right to send to its dataset, so only who
//! holds that right, and for good, makes one. Who sends by one is settled in `sender`.

mod sender;

use std::sync::Arc;

use serde_json::value::RawValue;
use tidegauge_admission::config::PublicUrl;
use tidegauge_auth::OpaqueSecret;
use tidegauge_catalog::endpoints::{Endpoint, Stats};
use tidegauge_ingest::Labels;
use tidegauge_model::{Action, DatasetArea, EndpointId, EndpointKind, ErrorKind, Rule, Violation};

use super::datasets::audit_dataset;
use super::documents::read_object;
use super::text::{check_dataset_name, check_name};
use super::{Caller, Error, Result, datasets};
use crate::app::App;
use crate::endpoint_uses;

pub use sender::{by_address, by_listener};

/// Largest object of labels, in bytes: it is repeated for each event.
const LABELS_BYTES_MAX: usize = 4_096;

/// What is shown instead of why something was not stored, to who may not query the dataset.
const ERROR_FOR_OTHERS: &str = "something was not stored; why is shown to who may query the dataset";

/// Most labels.
const LABELS_MAX: usize = 32;

/// What a caller sets of an endpoint.
#[derive(Debug)]
pub struct EndpointInput {
    pub name: String,
    pub kind: String,
    pub dataset: String,
    /// JSON text of an object.
    pub labels: Option<Box<RawValue>>,
}

/// A new endpoint with the secret of its address, which is shown this once.
#[derive(Debug)]
pub struct NewEndpoint {
    pub endpoint: Endpoint,
    pub secret: OpaqueSecret,
}

impl NewEndpoint {
    /// Where its senders send to.
    pub fn address(&self, public_url: &PublicUrl) -> String {
        format!("{public_url}/e/{}", self.secret.reveal())
    }
}

pub async fn list(app: &Arc<App>, caller: &Caller) -> Result<Vec<Endpoint>> {
    write_stats(app).await?;
    let found = app.catalog.list_endpoints(caller.org()?).await?;
    Ok(found.into_iter().map(|endpoint| shown(caller, endpoint)).collect())
}

pub async fn get(app: &Arc<App>, caller: &Caller, id: &str) -> Result<Endpoint> {
    let id = EndpointId::parse(id).ok_or_else(not_found)?;
    write_stats(app).await?;
    let found = app.catalog.find_endpoint(caller.org()?, &id).await?;
    found.map(|endpoint| shown(caller, endpoint)).ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: EndpointInput) -> Result<NewEndpoint> {
    let org = caller.org_to_create_in()?;
    let endpoint = checked(app, caller, EndpointId::generate(caller.now, &*app.rng), input).await?;
    let secret = OpaqueSecret::generate(&*app.rng);
    let max = caller.org_context()?.limits.max_endpoints;
    app.catalog.insert_endpoint(org, &endpoint, &secret.digest(), max, &caller.change()).await?;
    Ok(NewEndpoint { endpoint, secret })
}

/// Replaces an endpoint; it never creates one. Its address and its figures stay.
pub async fn replace(app: &Arc<App>, caller: &Caller, id: &str, input: EndpointInput) -> Result<Endpoint> {
    let present = get(app, caller, id).await?;
    // Its senders go on sending to wherever it leads: who takes them away from a dataset must be allowed to send there.
    check_may_send(caller, &present.dataset)?;
    let endpoint = checked(app, caller, present.id, input).await?;
    let replaced = app.catalog.replace_endpoint(caller.org()?, &endpoint, &caller.change()).await?;
    replaced.map(|endpoint| shown(caller, endpoint)).ok_or_else(not_found)
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = EndpointId::parse(id).ok_or_else(not_found)?;
    if app.catalog.delete_endpoint(caller.org()?, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

/// An endpoint as a caller may see it. Why something was not stored quotes what is in events, which is for who may query
/// them; that it happened, and when, is for everybody who may look at endpoints.
fn shown(caller: &Caller, mut endpoint: Endpoint) -> Endpoint {
    let may_query = caller.check_dataset(&endpoint.dataset, DatasetArea::Query, Action::Read).is_ok();
    if let Some(error) = endpoint.stats.last_error.as_mut().filter(|_| !may_query) {
        ERROR_FOR_OTHERS.clone_into(&mut error.message);
    }
    endpoint
}

fn not_found() -> Error {
    Error::not_found("endpoint")
}

/// What came in a moment ago belongs to the answer. The write goes on by itself if the reader goes away.
async fn write_stats(app: &Arc<App>) -> Result<()> {
    let writer = Arc::clone(app);
    let writing =
        app.tasks.spawn(async move { endpoint_uses::write(&writer.endpoint_uses, &writer.catalog).await });
    let written = writing.await.map_err(|cause| Error {
        source: Some(Box::new(cause)),
        ..Error::new(ErrorKind::Internal, "the figures of endpoints could not be written")
    })?;
    Ok(written?)
}

/// An endpoint that may be kept.
async fn checked(app: &App, caller: &Caller, id: EndpointId, input: EndpointInput) -> Result<Endpoint> {
    check_name("name", &input.name)?;
    let kind = EndpointKind::from_name(&input.kind);
    let kind = kind.ok_or_else(|| Violation::one_of("kind", &EndpointKind::names()))?;
    check_dataset_name("dataset", &input.dataset)?;
    let labels = input.labels.map_or_else(|| Ok("{}".to_owned()), |labels| check_labels(&labels))?;
    check_rights(caller, &input.dataset)?;
    if app.catalog.find_dataset(caller.org()?, &input.dataset).await?.is_none() {
        return Err(datasets::not_found().hint("make the dataset first"));
    }
    Ok(Endpoint {
        id,
        name: input.name,
        kind,
        dataset: input.dataset,
        labels,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
        stats: Stats::default(),
    })
}

/// Whoever has the address may send to the dataset from then on, so its maker must hold that right, and not by a token
/// that ends: the address would outlive it.
fn check_rights(caller: &Caller, dataset: &str) -> Result<()> {
    audit_dataset::check_may_be_sent_to(dataset)?;
    check_may_send(caller, dataset)?;
    if caller.token_end.at.is_some() || caller.token_end.with_membership {
        let message = "the endpoint would outlive the token that makes it";
        return Err(Error::new(ErrorKind::Forbidden, message).hint("make it with a token that does not end"));
    }
    Ok(())
}

fn check_may_send(caller: &Caller, dataset: &str) -> Result<()> {
    caller.check_dataset(dataset, DatasetArea::Ingest, Action::Create).map_err(|refused| {
        let hint = format!(
            "who sends by the endpoint sends to {dataset:?}, before or after the change, which needs ingest with \
             action: create"
        );
        refused.hint(hint)
    })
}

/// Labels are plain values: they become fields of every event.
fn check_labels(raw: &RawValue) -> Result<String> {
    const FIELD: &str = "labels";
    if raw.get() == "null" {
        return Ok("{}".to_owned());
    }
    let labels = read_object(FIELD, raw, LABELS_BYTES_MAX)?;
    if labels.len() > LABELS_MAX {
        let problem = format!("should have at most {LABELS_MAX} items");
        return Err(Violation::new(FIELD, Rule::TooManyItems, problem).into());
    }
    if let Some((name, _)) = labels.iter().find(|(_, value)| value.is_array() || value.is_object()) {
        return Err(Violation::wrong_type(format!("{FIELD}.{name}"), "a text, a number or a boolean").into());
    }
    let text = serde_json::Value::Object(labels).to_string();
    match Labels::parse(&text) {
        Ok(_) if !text.contains("\\u0000") => Ok(text),
        _ => Err(Violation::new(FIELD, Rule::Pattern, "must be an object of plain texts and numbers").into()),
    }
}
