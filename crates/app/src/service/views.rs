//! Views: list, read, create, replace, delete. A query must be understood, and who sets, changes or deletes it must hold
//! the right to query all that it reads, because a view hands that on. What a view may not read, such as another view, is
//! checked when it is used.

use tidegauge_catalog::views::View;
use tidegauge_lang::parse_query;
use tidegauge_model::capability::ANY;
use tidegauge_model::{Action, DatasetArea, Rule, ViewId, Violation};

use super::datasets::audit_dataset::check_name_is_free;
use super::query::failure::of_diagnostics;
use super::text::{DESCRIPTION_MAX, check_filled, check_name, check_text};
use super::view_reads::Reads;
use super::{Caller, Error, Result};
use crate::app::App;

/// Longest query, in characters. The language takes as many bytes.
pub const QUERY_MAX: usize = 262_144;

/// Most datasets that a view can be said to read.
pub const DATASETS_MAX: usize = 1_000;

/// What a caller sets of a view.
#[derive(Debug)]
pub struct ViewInput {
    pub name: String,
    pub apl: String,
    /// Taken from the query if there are none.
    pub datasets: Option<Vec<String>>,
    pub description: Option<String>,
}

pub async fn list(app: &App, caller: &Caller) -> Result<Vec<View>> {
    Ok(app.catalog.list_views(caller.org()?).await?)
}

pub async fn get(app: &App, caller: &Caller, id_or_name: &str) -> Result<View> {
    let org = caller.org()?;
    let found = match ViewId::parse(id_or_name) {
        Some(id) => app.catalog.find_view(org, &id).await?,
        None => app.catalog.view_by_name(org, id_or_name).await?,
    };
    found.ok_or_else(not_found)
}

pub async fn create(app: &App, caller: &Caller, input: ViewInput) -> Result<View> {
    let org = caller.org_to_create_in()?;
    let view = checked(caller, ViewId::generate(caller.now, &*app.rng), input)?;
    app.catalog.insert_view(org, &view, &caller.change()).await?;
    Ok(view)
}

/// Replaces a view; it never creates one.
pub async fn replace(app: &App, caller: &Caller, id_or_name: &str, input: ViewInput) -> Result<View> {
    let present = get(app, caller, id_or_name).await?;
    let view = checked(caller, present.id, input)?;
    let (org, change) = (caller.org()?, caller.change());
    let replaced =
        app.catalog.replace_view(org, &view, &change, |present| check_taken(caller, present)).await?;
    replaced.ok_or_else(not_found)?
}

pub async fn delete(app: &App, caller: &Caller, id_or_name: &str) -> Result<()> {
    let present = get(app, caller, id_or_name).await?;
    let (org, change) = (caller.org()?, caller.change());
    let taken = |present: &View| check_taken(caller, present);
    app.catalog.delete_view(org, &present.id, &change, taken).await?.ok_or_else(not_found)?
}

/// Others read what a view reads, and monitors watch it: who takes that from them, or puts something else in its place,
/// must be allowed to read it. One that is understood no more is read by nobody.
fn check_taken(caller: &Caller, present: &View) -> Result<()> {
    match Reads::of_text(&present.apl) {
        Some(reads) => check_rights(caller, &reads, "the present query"),
        None => Ok(()),
    }
}

fn not_found() -> Error {
    Error::not_found("view")
}

/// A view that may be kept.
fn checked(caller: &Caller, id: ViewId, input: ViewInput) -> Result<View> {
    check_view_name(&input.name)?;
    check_filled("aplQuery", &input.apl, QUERY_MAX)?;
    let description = input.description.unwrap_or_default();
    check_text("description", &description, DESCRIPTION_MAX)?;
    let given = input.datasets.unwrap_or_default();
    check_datasets(&given)?;
    let (program, diagnostics) = parse_query(&input.apl);
    if !diagnostics.is_empty() {
        return Err(of_diagnostics("the query", &input.apl, &diagnostics));
    }
    let reads = Reads::of(program);
    check_rights(caller, &reads, "the query")?;
    Ok(View {
        id,
        name: input.name,
        apl: input.apl,
        datasets: if given.is_empty() { reads.names().map(str::to_owned).collect() } else { given },
        description,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    })
}

/// A name that a query can use, and that is neither taken for an id nor for several names.
fn check_view_name(name: &str) -> Result<()> {
    check_name("name", name)?;
    check_name_is_free(name)?;
    if ViewId::parse(name).is_some() || name.contains('*') || name.chars().any(char::is_control) {
        let problem = "must not have the form of a view's id, nor contain * or a control character";
        return Err(Violation::new("name", Rule::Pattern, problem).into());
    }
    Ok(())
}

fn check_datasets(datasets: &[String]) -> Result<()> {
    if datasets.len() > DATASETS_MAX {
        let problem = format!("should have at most {DATASETS_MAX} items");
        return Err(Violation::new("datasets", Rule::TooManyItems, problem).into());
    }
    for (index, dataset) in datasets.iter().enumerate() {
        check_name(&format!("datasets.{index}"), dataset)?;
    }
    Ok(())
}

/// Who may query a view reads what it reads, so only who may read that themselves can set its query. `which` query it is
/// about stands in the hint.
fn check_rights(caller: &Caller, reads: &Reads, which: &str) -> Result<()> {
    let some_unknown = reads.is_open().then_some(ANY);
    for dataset in reads.names().chain(some_unknown) {
        caller.check_dataset(dataset, DatasetArea::Query, Action::Read).map_err(|refused| {
            refused.hint(format!("{which} reads {dataset}, which needs query with action: read"))
        })?;
    }
    Ok(())
}
