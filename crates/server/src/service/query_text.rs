//! Help for who writes queries as text: what is wrong with one, what could be written at a place of it, and how it
//! looks in order. Nothing is run. Datasets that the caller may not query are not told, nor are their fields.

use std::collections::{HashMap, HashSet};

use tidegauge_lang::complete::{Completions, Known, KnownField, sources_of};
use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::tree::{NamePattern, Program, Type};
use tidegauge_lang::{Diagnostic, complete, format, parse_query};
use tidegauge_model::ErrorKind;

use super::datasets::fields::{self, DescribedField};
use super::{Caller, Error, Result, datasets};
use crate::app::App;

/// Of how many datasets fields are told at once.
const DATASETS_MAX: usize = 20;

/// How many names and patterns of a query are looked at.
const SOURCES_MAX: usize = 1_000;

/// What is wrong with a query, or what it reads.
#[derive(Debug)]
pub struct Checked {
    pub diagnostics: Vec<Diagnostic>,
    /// The datasets that it reads; none where something is wrong.
    pub datasets: Option<Vec<String>>,
}

pub async fn check(app: &App, caller: &Caller, text: &str) -> Result<Checked> {
    let (program, diagnostics) = parse_query(text);
    if !diagnostics.is_empty() {
        return Ok(Checked { diagnostics, datasets: None });
    }
    let readable = datasets::queryable(app, caller).await?;
    Ok(Checked { diagnostics, datasets: Some(named(&program, &readable)) })
}

/// What could be written at a place, which is counted in bytes.
pub async fn complete_at(app: &App, caller: &Caller, text: &str, position: usize) -> Result<Completions> {
    let readable = datasets::queryable(app, caller).await?;
    let mut known_fields: HashMap<String, Vec<KnownField>> = HashMap::new();
    let read = named(&parse_query(text).0, &readable);
    for name in read.into_iter().filter(|name| readable.contains(name)).take(DATASETS_MAX) {
        let described = described(app, caller, &name).await?;
        known_fields.insert(name, described.into_iter().map(known_field).collect());
    }
    let known = Known {
        datasets: &readable,
        views: &[],
        fields: &|dataset| known_fields.get(dataset).cloned().unwrap_or_default(),
        values: &|_, _| Vec::new(),
    };
    Ok(complete(text, position, &known))
}

/// A query in order. One with mistakes is refused with all of them.
pub fn formatted(text: &str) -> Result<String> {
    format(text).map_err(|diagnostics| {
        let rendered = render_all(&diagnostics, text);
        let first = diagnostics.first();
        let message = first.map_or_else(String::new, |first| {
            let place = first.position(text);
            format!("line {}, column {}: {}", place.line, place.column, first.message)
        });
        let error = Error::new(ErrorKind::Malformed, message).detail(rendered);
        match first.and_then(|first| first.hint.clone()) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
}

/// What a query reads: names as they are, and in place of a pattern all that fit it.
fn named(program: &Program, readable: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut told: HashSet<String> = HashSet::new();
    for source in sources_of(program).into_iter().take(SOURCES_MAX) {
        let pattern = NamePattern::new(source.split('*').map(str::to_owned).collect());
        let fitting: Vec<String> = match pattern.plain() {
            Some(_) => vec![source],
            None => readable.iter().filter(|name| pattern.fits(name)).cloned().collect(),
        };
        for name in fitting {
            if told.insert(name.clone()) {
                names.push(name);
            }
        }
    }
    names
}

async fn described(app: &App, caller: &Caller, name: &str) -> Result<Vec<DescribedField>> {
    let Some(dataset) = datasets::find_state(app, caller, name).await? else { return Ok(Vec::new()) };
    let notes = app.queries.notes.of(&app.catalog, dataset.id(), caller.now).await?;
    let described = fields::described(&notes, &dataset, |_| true);
    Ok(described.into_iter().filter(|field| !field.hidden).collect())
}

fn known_field(field: DescribedField) -> KnownField {
    let kinds = field.kind.split('|').filter_map(kind).collect();
    KnownField { name: field.name, kinds, doc: field.description }
}

fn kind(word: &str) -> Option<Type> {
    Some(match word {
        "boolean" => Type::Boolean,
        "integer" => Type::Integer,
        "float" => Type::Float,
        "string" => Type::String,
        "datetime" => Type::Datetime,
        "timespan" => Type::Timespan,
        "array" => Type::Array,
        "map" => Type::Map,
        _ => return None,
    })
}
