//! Starred queries: list, read, create, replace, delete. The right to each is held per dataset.

use serde_json::value::RawValue;
use tidegauge_catalog::starred::{StarredFilter, StarredQuery, Whose};
use tidegauge_model::capability::ANY;
use tidegauge_model::{Action, DatasetArea, ErrorKind, Rule, StarredQueryId, Violation};

use super::documents::read_object;
use super::text::{NAME_MAX, check_dataset_name, check_name, check_text};
use super::{Caller, Error, Result, query_options};
use crate::app::App;

/// The one kind of starred query.
pub const KIND: &str = "apl";

/// How often a change is tried again because another request moved the query to another dataset between the check
/// of the right and the change. Each time one of them has got on, so few attempts are enough.
const ATTEMPTS: usize = 32;

const AREA: DatasetArea = DatasetArea::StarredQueries;

/// What a caller sets of a starred query.
#[derive(Debug)]
pub struct StarredInput {
    pub kind: String,
    pub name: String,
    pub who: String,
    pub dataset: Option<String>,
    /// JSON text, kept and repeated as it is.
    pub metadata: Box<RawValue>,
    /// The query with all that belongs to it, as JSON text.
    pub query: String,
    /// The text of the query itself.
    pub apl: String,
    pub variables: Option<Box<RawValue>>,
    pub options: Option<Box<RawValue>>,
}

/// Longest text of a query, in characters.
const APL_MAX: usize = 500_000;

/// Longest metadata, variables or options, in bytes of JSON.
const DOCUMENT_BYTES_MAX: usize = 64 * 1024;

/// Which starred queries a caller asks for.
#[derive(Debug)]
pub struct StarredQuestion {
    pub limit: i64,
    pub offset: i64,
    pub dataset: Option<String>,
    pub who: Option<String>,
    pub text: Option<String>,
}

pub async fn list(app: &App, caller: &Caller, question: StarredQuestion) -> Result<Vec<StarredQuery>> {
    for (field, text) in [("dataset", &question.dataset), ("who", &question.who), ("qs", &question.text)] {
        if let Some(text) = text {
            check_text(field, text, NAME_MAX).map_err(Violation::in_query)?;
        }
    }
    let me = caller.user.as_str().to_owned();
    let filter = StarredFilter {
        whose: match question.who.as_deref() {
            None | Some("") => Whose::Of(me),
            Some("all") => Whose::All,
            Some("team") => Whose::NotOf(me),
            Some(person) => Whose::Of(person.to_owned()),
        },
        dataset: question.dataset.filter(|dataset| !dataset.is_empty()),
        text: question.text.filter(|text| !text.is_empty()),
        visible: visible_datasets(caller),
        limit: question.limit,
        offset: question.offset,
    };
    Ok(app.catalog.list_starred(caller.org()?, &filter).await?)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<StarredQuery> {
    find(app, caller, id, Action::Read).await
}

pub async fn create(app: &App, caller: &Caller, input: StarredInput) -> Result<StarredQuery> {
    let org = caller.org_to_create_in()?;
    let id = StarredQueryId::generate(caller.now, &*app.rng);
    let (starred, searched) = checked(caller, id, input)?;
    caller.check_dataset(&starred.dataset, AREA, Action::Create)?;
    app.catalog.insert_starred(org, &starred, &searched, &caller.change()).await?;
    Ok(starred)
}

/// Replaces a starred query; it never creates one.
pub async fn replace(app: &App, caller: &Caller, id: &str, input: StarredInput) -> Result<StarredQuery> {
    let mut present = find(app, caller, id, Action::Update).await?;
    let (starred, searched) = checked(caller, present.id.clone(), input)?;
    caller.check_dataset(&starred.dataset, AREA, Action::Update)?;
    for _ in 0..ATTEMPTS {
        let (org, change) = (caller.org()?, caller.change());
        if app.catalog.replace_starred(org, &starred, &searched, &present.dataset, &change).await? {
            return Ok(StarredQuery { created: present.created, created_by: present.created_by, ..starred });
        }
        present = find(app, caller, id, Action::Update).await?;
    }
    Err(changed_meanwhile())
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    for _ in 0..ATTEMPTS {
        let present = find(app, caller, id, Action::Delete).await?;
        let change = caller.change();
        if app.catalog.delete_starred(caller.org()?, &present.id, &present.dataset, &change).await? {
            return Ok(());
        }
    }
    Err(changed_meanwhile())
}

fn not_found() -> Error {
    Error::not_found("starred query")
}

fn changed_meanwhile() -> Error {
    Error::new(ErrorKind::Conflict, "the starred query was changed by another request at the same moment")
        .hint("read it again, then decide")
}

async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<StarredQuery> {
    let id = StarredQueryId::parse(id).ok_or_else(not_found)?;
    let found = app.catalog.find_starred(caller.org()?, &id).await?.ok_or_else(not_found)?;
    caller.check_dataset(&found.dataset, AREA, action)?;
    Ok(found)
}

/// The datasets whose starred queries the caller may read; `None` for all.
fn visible_datasets(caller: &Caller) -> Option<Vec<String>> {
    if caller.capabilities.allows_dataset(ANY, AREA, Action::Read) {
        return None;
    }
    let names = caller.capabilities.dataset.keys();
    Some(names.filter(|name| caller.capabilities.allows_dataset(name, AREA, Action::Read)).cloned().collect())
}

/// A starred query that may be kept, and what a search looks in.
fn checked(caller: &Caller, id: StarredQueryId, input: StarredInput) -> Result<(StarredQuery, String)> {
    if input.kind != KIND {
        return Err(Violation::one_of("kind", &[KIND]).into());
    }
    check_name("name", &input.name)?;
    check_text("who", &input.who, NAME_MAX)?;
    let dataset = input.dataset.unwrap_or_default();
    if !dataset.is_empty() {
        check_dataset_name("dataset", &dataset)?;
    }
    read_object("metadata", &input.metadata, DOCUMENT_BYTES_MAX)?;
    if input.apl.chars().count() > APL_MAX {
        let problem = format!("should be at most {APL_MAX} chars long");
        return Err(Violation::new("query.apl", Rule::TooLong, problem).into());
    }
    if let Some(variables) = &input.variables {
        read_object("query.variables", variables, DOCUMENT_BYTES_MAX)?;
    }
    if let Some(options) = &input.options {
        query_options::check(&read_object("query.queryOptions", options, DOCUMENT_BYTES_MAX)?)?;
    }
    let searched = format!("{}\n{}", input.name, input.apl).to_lowercase().replace('\0', " ");
    let starred = StarredQuery {
        id,
        kind: input.kind,
        name: input.name,
        who: input.who,
        dataset,
        metadata: input.metadata.get().to_owned(),
        query: input.query,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    };
    Ok((starred, searched))
}
