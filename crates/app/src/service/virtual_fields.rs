//! Virtual fields: list, read, create, replace, delete. The right to each is held per dataset. An expression must be
//! understood, but the fields that it names need not exist: a dataset may still be empty.

use tidegauge_catalog::virtual_fields::VirtualField;
use tidegauge_lang::parse_expression;
use tidegauge_model::{Action, DatasetArea, ErrorKind, Violation, VirtualFieldId};

use super::datasets::fields::check_field_name;
use super::query::failure::of_diagnostics;
use super::text::{DESCRIPTION_MAX, NAME_MAX, check_dataset_name, check_filled, check_text};
use super::{Caller, Error, Result, datasets};
use crate::app::App;

/// Longest expression, in characters.
pub const EXPRESSION_MAX: usize = 16_384;

/// How often a change is tried again because another request moved the field to another dataset between the check of
/// the right and the change. Each time one of them has got on, so few attempts are enough.
const ATTEMPTS: usize = 32;

const AREA: DatasetArea = DatasetArea::VirtualFields;

/// What a caller sets of a virtual field.
#[derive(Debug)]
pub struct VirtualFieldInput {
    pub dataset: String,
    pub name: String,
    pub expression: String,
    pub description: Option<String>,
    pub kind: Option<String>,
    pub unit: Option<String>,
}

/// The virtual fields of a dataset, or those of all datasets where the caller may read them.
pub async fn list(app: &App, caller: &Caller, dataset: Option<&str>) -> Result<Vec<VirtualField>> {
    let org = caller.org()?;
    if let Some(dataset) = dataset {
        check_text("dataset", dataset, NAME_MAX).map_err(Violation::in_query)?;
        caller.check_dataset(dataset, AREA, Action::Read)?;
        check_exists(app, caller, dataset).await?;
    }
    let found = app.catalog.list_virtual_fields(org, dataset).await?;
    let may_read = |field: &VirtualField| caller.check_dataset(&field.dataset, AREA, Action::Read).is_ok();
    Ok(found.into_iter().filter(may_read).collect())
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<VirtualField> {
    find(app, caller, id, Action::Read).await
}

pub async fn create(app: &App, caller: &Caller, input: VirtualFieldInput) -> Result<VirtualField> {
    let org = caller.org_to_create_in()?;
    let field = checked(caller, VirtualFieldId::generate(caller.now, &*app.rng), input)?;
    caller.check_dataset(&field.dataset, AREA, Action::Create)?;
    if app.catalog.insert_virtual_field(org, &field, &caller.change()).await? {
        return Ok(field);
    }
    Err(datasets::not_found())
}

/// Replaces a virtual field; it never creates one.
pub async fn replace(app: &App, caller: &Caller, id: &str, input: VirtualFieldInput) -> Result<VirtualField> {
    let mut present = find(app, caller, id, Action::Update).await?;
    let field = checked(caller, present.id.clone(), input)?;
    caller.check_dataset(&field.dataset, AREA, Action::Update)?;
    for _ in 0..ATTEMPTS {
        let (org, change) = (caller.org()?, caller.change());
        if app.catalog.replace_virtual_field(org, &field, &present.dataset, &change).await? {
            return Ok(VirtualField { created: present.created, created_by: present.created_by, ..field });
        }
        check_exists(app, caller, &field.dataset).await?;
        present = find(app, caller, id, Action::Update).await?;
    }
    Err(changed_meanwhile())
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    for _ in 0..ATTEMPTS {
        let present = find(app, caller, id, Action::Delete).await?;
        let change = caller.change();
        let deleted =
            app.catalog.delete_virtual_field(caller.org()?, &present.id, &present.dataset, &change).await?;
        if deleted {
            return Ok(());
        }
    }
    Err(changed_meanwhile())
}

fn not_found() -> Error {
    Error::not_found("virtual field")
}

fn changed_meanwhile() -> Error {
    Error::new(ErrorKind::Conflict, "the virtual field was changed by another request at the same moment")
        .hint("read it again, then decide")
}

async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<VirtualField> {
    let id = VirtualFieldId::parse(id).ok_or_else(not_found)?;
    let found = app.catalog.find_virtual_field(caller.org()?, &id).await?.ok_or_else(not_found)?;
    caller.check_dataset(&found.dataset, AREA, action)?;
    Ok(found)
}

async fn check_exists(app: &App, caller: &Caller, dataset: &str) -> Result<()> {
    match datasets::find_state(app, caller, dataset).await? {
        Some(_) => Ok(()),
        None => Err(datasets::not_found()),
    }
}

/// A virtual field that may be kept.
fn checked(caller: &Caller, id: VirtualFieldId, input: VirtualFieldInput) -> Result<VirtualField> {
    check_dataset_name("dataset", &input.dataset)?;
    check_field_name(&input.name)?;
    check_filled("expression", &input.expression, EXPRESSION_MAX)?;
    let field = VirtualField {
        id,
        dataset: input.dataset,
        name: input.name,
        expression: input.expression,
        description: input.description.unwrap_or_default(),
        kind: input.kind.unwrap_or_default(),
        unit: input.unit.unwrap_or_default(),
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    };
    check_text("description", &field.description, DESCRIPTION_MAX)?;
    check_text("type", &field.kind, NAME_MAX)?;
    check_text("unit", &field.unit, NAME_MAX)?;
    let (_, diagnostics) = parse_expression(&field.expression);
    if !diagnostics.is_empty() {
        return Err(of_diagnostics("the expression", &field.expression, &diagnostics));
    }
    Ok(field)
}
