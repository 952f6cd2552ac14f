//! Annotations: list, read, create, change, delete. The datasets that one is about need not exist: they may be deleted
//! before it is.

use tidegauge_catalog::annotations::{Annotation, AnnotationFilter, AnnotationPatch};
use tidegauge_model::capability::ANY;
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::{Action, AnnotationId, DatasetArea, Rule, Timestamp, Violation};

use super::monitors::reader::may_query;
use super::text::{check_dataset_name, check_text};
use super::{Caller, Error, Result};
use crate::app::App;

/// Most datasets of an annotation, and of a question for some.
const DATASETS_MAX: usize = 100;

const TYPE_MAX: usize = 256;
const TITLE_MAX: usize = 256;
const DESCRIPTION_MAX: usize = 512;
const URL_MAX: usize = 512;

/// What a caller sets of an annotation.
#[derive(Debug, Default)]
pub struct AnnotationInput {
    pub datasets: Option<Vec<String>>,
    pub time: Option<String>,
    pub end_time: Option<String>,
    pub kind: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
}

/// Which annotations a caller asks for, as they wrote it.
#[derive(Debug, Default)]
pub struct AnnotationQuestion {
    pub datasets: Vec<String>,
    pub start: Option<String>,
    pub end: Option<String>,
}

pub async fn list(app: &App, caller: &Caller, question: AnnotationQuestion) -> Result<Vec<Annotation>> {
    let time = |field: &str, text: Option<String>| time(field, text).map_err(Violation::in_query);
    let filter = AnnotationFilter {
        datasets: question.datasets,
        start: time("start", question.start)?,
        end: time("end", question.end)?,
    };
    let mut annotations = app.catalog.list_annotations(caller.org()?, &filter).await?;
    hide_findings(app, caller, &mut annotations).await?;
    Ok(annotations)
}

pub async fn get(app: &App, caller: &Caller, id: &str) -> Result<Annotation> {
    let id = AnnotationId::parse(id).ok_or_else(not_found)?;
    let mut annotation = app.catalog.find_annotation(caller.org()?, &id).await?.ok_or_else(not_found)?;
    hide_findings(app, caller, std::slice::from_mut(&mut annotation)).await?;
    Ok(annotation)
}

/// The text of a monitor's annotation says what it found, for those who may query what the monitor read then. When the
/// monitor is gone nobody knows that any more, and it is for those who may query everything.
async fn hide_findings(app: &App, caller: &Caller, annotations: &mut [Annotation]) -> Result<()> {
    let held = &caller.capabilities;
    let may_query_all = held.allows_dataset(ANY, DatasetArea::Query, Action::Read);
    let may_audit = held.allows_audit();
    if (may_query_all && may_audit) || annotations.iter().all(|annotation| annotation.monitor.is_none()) {
        return Ok(());
    }
    let known = app.catalog.monitor_reads(caller.org()?, None).await?;
    for annotation in annotations {
        let Some(id) = &annotation.monitor else { continue };
        let may_see = match known.of(id, annotation.epoch) {
            Some(reads) => may_query(caller, reads),
            None => may_query_all && (may_audit || !is_about_audit(annotation)),
        };
        if !may_see {
            annotation.description = String::new();
        }
    }
    Ok(())
}

fn is_about_audit(annotation: &Annotation) -> bool {
    annotation.datasets.iter().any(|name| is_audit_name(name))
}

pub async fn create(app: &App, caller: &Caller, input: AnnotationInput) -> Result<Annotation> {
    let org = caller.org_to_create_in()?;
    let patch = checked(input)?;
    let at = patch.at.unwrap_or(caller.now);
    check_order(at, patch.end_at)?;
    let annotation = Annotation {
        id: AnnotationId::generate(caller.now, &*app.rng),
        datasets: patch.datasets.ok_or_else(|| Violation::required("datasets"))?,
        at,
        end_at: patch.end_at,
        kind: patch.kind.ok_or_else(|| Violation::required("type"))?,
        title: patch.title.unwrap_or_default(),
        description: patch.description.unwrap_or_default(),
        url: patch.url.unwrap_or_default(),
        monitor: None,
        epoch: None,
        created: caller.now,
        created_by: caller.user.clone(),
        modified: caller.now,
    };
    app.catalog.insert_annotation(org, &annotation, &caller.change()).await?;
    Ok(annotation)
}

/// Changes what is named; the rest stays.
pub async fn update(app: &App, caller: &Caller, id: &str, input: AnnotationInput) -> Result<Annotation> {
    let present = get(app, caller, id).await?;
    if present.monitor.is_some() && is_about_audit(&present) {
        // Its datasets say who may read what the monitor found, also when that is gone.
        caller.check_audit()?;
    }
    let patch = checked(input)?;
    check_order(patch.at.unwrap_or(present.at), patch.end_at.or(present.end_at))?;
    let updated = app.catalog.update_annotation(caller.org()?, &present.id, &patch, &caller.change()).await?;
    let mut updated = updated.ok_or_else(not_found)?;
    hide_findings(app, caller, std::slice::from_mut(&mut updated)).await?;
    Ok(updated)
}

pub async fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let id = AnnotationId::parse(id).ok_or_else(not_found)?;
    if app.catalog.delete_annotation(caller.org()?, &id, &caller.change()).await? {
        return Ok(());
    }
    Err(not_found())
}

fn not_found() -> Error {
    Error::not_found("annotation")
}

fn checked(input: AnnotationInput) -> std::result::Result<AnnotationPatch, Violation> {
    if let Some(datasets) = &input.datasets {
        check_datasets(datasets)?;
    }
    if let Some(kind) = &input.kind {
        check_type(kind)?;
    }
    let texts = [
        ("title", &input.title, TITLE_MAX),
        ("description", &input.description, DESCRIPTION_MAX),
        ("url", &input.url, URL_MAX),
    ];
    for (field, text, max) in texts {
        check_text(field, text.as_deref().unwrap_or_default(), max)?;
    }
    check_url(input.url.as_deref().unwrap_or_default())?;
    Ok(AnnotationPatch {
        datasets: input.datasets,
        at: time("time", input.time)?,
        end_at: time("endTime", input.end_time)?,
        kind: input.kind,
        title: input.title,
        description: input.description,
        url: input.url,
    })
}

fn check_datasets(datasets: &[String]) -> std::result::Result<(), Violation> {
    if datasets.is_empty() {
        return Err(Violation::new("datasets", Rule::TooFewItems, "should have at least 1 items"));
    }
    if datasets.len() > DATASETS_MAX {
        let problem = format!("should have at most {DATASETS_MAX} items");
        return Err(Violation::new("datasets", Rule::TooManyItems, problem));
    }
    for (index, dataset) in datasets.iter().enumerate() {
        check_dataset_name(&format!("datasets.{index}"), dataset)?;
    }
    Ok(())
}

fn check_type(kind: &str) -> std::result::Result<(), Violation> {
    check_text("type", kind, TYPE_MAX)?;
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if kind.is_empty() || !kind.bytes().all(is_part) {
        let problem = "must be of lower-case letters, digits and hyphens, such as production-release";
        return Err(Violation::new("type", Rule::Pattern, problem));
    }
    Ok(())
}

/// People follow it from wherever it is shown, so it is nothing that runs there: a scheme, read as browsers read it, is that
/// of a page. What has none is a text of the sender's, and stays as it is.
fn check_url(url: &str) -> std::result::Result<(), Violation> {
    let read: String = url.chars().filter(|letter| !letter.is_control() && !letter.is_whitespace()).collect();
    let scheme = read.split(['/', '?', '#']).next().and_then(|start| start.split_once(':'));
    if scheme.is_none_or(|(scheme, _)| ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it))) {
        return Ok(());
    }
    let problem = "must be the address of a page, such as https://example.com/releases/7";
    Err(Violation::new("url", Rule::Pattern, problem))
}

fn check_order(at: Timestamp, end: Option<Timestamp>) -> std::result::Result<(), Violation> {
    if end.is_some_and(|end| end < at) {
        return Err(Violation::new("endTime", Rule::Minimum, "must not be before time"));
    }
    Ok(())
}

/// A point in time; the zero time of some clients is none.
fn time(field: &str, text: Option<String>) -> std::result::Result<Option<Timestamp>, Violation> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    match Timestamp::parse(&text) {
        Ok(time) => Ok((!time.is_unset()).then_some(time)),
        Err(_) => Err(Violation::not_a_timestamp(field)),
    }
}
