//! The fields of a dataset: their types, which the events decide, what people say of them, and which of them keep
//! objects as maps.

use std::collections::{HashMap, HashSet};

use tidegauge_catalog::columns::FieldNote;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_model::columns::{FIELD_NAME_BYTES_MAX, RESERVED_FIELDS, TIME_FIELD};
use tidegauge_model::{FieldKind, Rule, Violation};
use tidegauge_store::DatasetState;

use super::{audit_dataset, find as find_dataset, find_state, list_known, may_know, not_found};
use crate::app::App;
use crate::service::text::{DESCRIPTION_MAX, NAME_MAX, check_text};
use crate::service::{Caller, Error, Result};

/// Fields that every event has.
const SYSTEM_FIELDS: [&str; 2] = ["_sysTime", "_time"];

const MAP_FIELDS_MAX: usize = 500;

/// A field with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedField {
    pub name: String,
    /// The types that its values have had, such as `integer|string`.
    pub kind: String,
    pub unit: String,
    pub hidden: bool,
    pub description: String,
}

/// What a caller says of a field; what is absent stays.
#[derive(Debug, Default)]
pub struct FieldInput {
    pub description: Option<String>,
    pub unit: Option<String>,
    pub hidden: Option<bool>,
}

pub async fn list(app: &App, caller: &Caller, name: &str) -> Result<Vec<DescribedField>> {
    let dataset = find_dataset(app, caller, name).await?;
    of(app, caller, &dataset).await
}

/// The fields of every dataset that the caller may read or query.
pub async fn list_all(app: &App, caller: &Caller) -> Result<Vec<(String, Vec<DescribedField>)>> {
    let mut all = Vec::new();
    for dataset in list_known(app, caller).await? {
        let fields = of(app, caller, &dataset).await?;
        all.push((dataset.name.as_str().to_owned(), fields));
    }
    Ok(all)
}

pub async fn find(app: &App, caller: &Caller, name: &str, field: &str) -> Result<DescribedField> {
    let fields = list(app, caller, name).await?;
    fields.into_iter().find(|described| described.name == field).ok_or_else(|| Error::not_found("field"))
}

pub async fn describe(
    app: &App,
    caller: &Caller,
    name: &str,
    field: &str,
    input: FieldInput,
) -> Result<DescribedField> {
    let present = find(app, caller, name, field).await?;
    audit_dataset::check_is_free(app, caller, name, "describe or hide its fields").await?;
    let described = DescribedField {
        description: input.description.unwrap_or(present.description),
        unit: input.unit.unwrap_or(present.unit),
        hidden: input.hidden.unwrap_or(present.hidden),
        ..present
    };
    check_text("description", &described.description, DESCRIPTION_MAX)?;
    check_text("unit", &described.unit, NAME_MAX)?;
    let note = FieldNote {
        field: described.name.clone(),
        description: described.description.clone(),
        unit: described.unit.clone(),
        hidden: described.hidden,
    };
    let org = caller.org()?;
    if !app.catalog.set_field_note(org, name, &note, caller.now, &caller.change()).await? {
        return Err(not_found());
    }
    // The types that values have had tell of events, and are for others than who only describes fields.
    let kind = if may_know(caller, name) { described.kind } else { String::new() };
    Ok(DescribedField { kind, ..described })
}

async fn of(app: &App, caller: &Caller, dataset: &Dataset) -> Result<Vec<DescribedField>> {
    let state = find_state(app, caller, dataset.name.as_str()).await?.ok_or_else(not_found)?;
    let notes = app.catalog.dataset_fields(state.id()).await?;
    Ok(described(&notes, &state, |_| true))
}

/// The fields of a dataset that are meant, with what people say of them.
pub fn described(
    notes: &[FieldNote],
    dataset: &DatasetState,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<DescribedField> {
    let notes: HashMap<&str, &FieldNote> = notes.iter().map(|note| (note.field.as_str(), note)).collect();
    let system = SYSTEM_FIELDS.iter().map(|name| ((*name).to_owned(), "datetime".to_owned()));
    let own = dataset.fields().into_iter().map(|(name, kinds)| (name, words(&kinds)));
    let described = system.chain(own).filter(|(name, _)| is_meant(name)).map(|(name, kind)| {
        let note = notes.get(name.as_str());
        DescribedField {
            kind,
            unit: note.map(|note| note.unit.clone()).unwrap_or_default(),
            hidden: note.is_some_and(|note| note.hidden),
            description: note.map(|note| note.description.clone()).unwrap_or_default(),
            name,
        }
    });
    described.collect()
}

fn words(kinds: &[FieldKind]) -> String {
    let mut words: Vec<&str> = Vec::with_capacity(kinds.len());
    // Integers have one word, however long they are.
    for word in kinds.iter().map(|kind| kind.told()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join("|")
}

pub async fn map_fields(app: &App, caller: &Caller, name: &str) -> Result<Vec<String>> {
    Ok(find_dataset(app, caller, name).await?.map_fields)
}

pub async fn set_map_fields(
    app: &App,
    caller: &Caller,
    name: &str,
    fields: Vec<String>,
) -> Result<Vec<String>> {
    audit_dataset::check_is_free(app, caller, name, "change its map fields").await?;
    if fields.len() > MAP_FIELDS_MAX {
        let problem = format!("should have at most {MAP_FIELDS_MAX} items");
        return Err(Violation::new("mapFields", Rule::TooManyItems, problem).into());
    }
    let mut seen = HashSet::new();
    for field in &fields {
        check_field_name(field)?;
        if !seen.insert(field) {
            return Err(Violation::new("mapFields", Rule::Unique, "shouldn't contain duplicates").into());
        }
    }
    let changed =
        app.catalog.set_map_fields(caller.org()?, name, fields, caller.now, &caller.change()).await?;
    follow(app, caller, name, changed).await
}

pub async fn add_map_field(app: &App, caller: &Caller, name: &str, field: &str) -> Result<()> {
    audit_dataset::check_is_free(app, caller, name, "change its map fields").await?;
    check_field_name(field)?;
    if map_fields(app, caller, name).await?.len() >= MAP_FIELDS_MAX {
        let problem = format!("should have at most {MAP_FIELDS_MAX} items");
        return Err(Violation::new("mapFields", Rule::TooManyItems, problem).into());
    }
    let changed = app.catalog.add_map_field(caller.org()?, name, field, caller.now, &caller.change()).await?;
    follow(app, caller, name, changed).await.map(|_| ())
}

pub async fn remove_map_field(app: &App, caller: &Caller, name: &str, field: &str) -> Result<()> {
    audit_dataset::check_is_free(app, caller, name, "change its map fields").await?;
    let changed =
        app.catalog.remove_map_field(caller.org()?, name, field, caller.now, &caller.change()).await?;
    follow(app, caller, name, changed).await.map(|_| ())
}

/// Tells the store, which reads the next events accordingly.
async fn follow(app: &App, caller: &Caller, name: &str, changed: Option<Dataset>) -> Result<Vec<String>> {
    let dataset = changed.ok_or_else(not_found)?;
    let state = find_state(app, caller, name).await?.ok_or_else(not_found)?;
    state.set_map_fields(&dataset.map_fields);
    Ok(dataset.map_fields)
}

/// The name of a field that people may define.
pub(in crate::service) fn check_field_name(name: &str) -> Result<()> {
    let is_reserved = name == TIME_FIELD || RESERVED_FIELDS.contains(&name) || name.starts_with("__");
    if name.trim().is_empty() || name.len() > FIELD_NAME_BYTES_MAX || is_reserved || name.contains('\0') {
        let problem = format!(
            "must be a field's name of 1 to {FIELD_NAME_BYTES_MAX} bytes that is not one of the system's and does \
             not begin with two underscores"
        );
        return Err(Violation::new("name", Rule::Pattern, problem).into());
    }
    Ok(())
}
