//! Help for who writes queries as text: what is wrong with one, what could be written at a place of it, and how it
//! looks in order. Datasets that the caller may not query are not told, nor is what is in them.

mod completion;

use std::collections::{HashMap, HashSet};

use tidegauge_lang::complete::sources_of;
use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::tree::{NamePattern, Program};
use tidegauge_lang::{Diagnostic, dataset_names, format, parse_query, resolve};
use tidegauge_model::ErrorKind;

use super::{Caller, Error, Result, datasets};
use crate::app::App;

pub use completion::complete_at;

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
    let mut read = patterns(&program);
    // What comes through `let`, as the name of a table or of a dataset, is known once its names are settled.
    if let Ok(mut resolved) = resolve(program, &[], &HashMap::new()) {
        read.extend(dataset_names(&mut resolved.query));
    }
    Ok(Checked { diagnostics, datasets: Some(fitting(read, &readable)) })
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

/// What the text of a query reads.
fn named(program: &Program, readable: &[String]) -> Vec<String> {
    fitting(patterns(program), readable)
}

fn patterns(program: &Program) -> Vec<NamePattern> {
    let pattern = |source: String| NamePattern::new(source.split('*').map(str::to_owned).collect());
    sources_of(program).into_iter().map(pattern).collect()
}

/// Names as they are, and in place of a pattern all that fit it.
fn fitting(patterns: Vec<NamePattern>, readable: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut told: HashSet<String> = HashSet::new();
    for pattern in patterns.into_iter().take(SOURCES_MAX) {
        let fitting: Vec<String> = match pattern.plain() {
            Some(name) => vec![name.to_owned()],
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
