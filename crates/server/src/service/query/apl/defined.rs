//! The views that a text names.

use std::collections::{HashMap, HashSet};

use tidegauge_lang::tree::{Literal, Program, Query};
use tidegauge_lang::{dataset_names, parse_query, resolve};
use tidegauge_model::{Action, ViewArea};

use crate::app::App;
use crate::service::query::failure;
use crate::service::{Caller, Error, Result};

/// The views of a query.
#[derive(Debug, Default)]
pub(super) struct Views {
    pub(super) queries: HashMap<String, Query>,
    /// Datasets that the query reads through views alone. Whoever may read a view may read what it shows of them.
    pub(super) handed_on: HashSet<String>,
}

/// The views that a text names and the caller may read.
pub(super) async fn views(
    app: &App,
    caller: &Caller,
    program: &Program,
    variables: &[(String, Literal)],
) -> Result<Views> {
    let mut views = Views::default();
    // Without views their names are left, as those of datasets. What else is wrong is told when all is known.
    let Ok(mut unsettled) = resolve(program.clone(), variables, &HashMap::new()) else { return Ok(views) };
    let named: Vec<String> = dataset_names(&mut unsettled.query)
        .iter()
        .filter_map(|name| name.plain().map(str::to_owned))
        .collect();
    for name in &named {
        let definition = app.queries.definitions.of(&app.catalog, caller.org()?, name, caller.now).await?;
        let Some(text) = &definition.view else { continue };
        if !caller.capabilities.allows_view(name, ViewArea::Query, Action::Read) {
            return Err(Error::not_found("dataset"));
        }
        let mut query = of_view(name, text)?;
        let read = dataset_names(&mut query);
        views.handed_on.extend(read.iter().filter_map(|name| name.plain().map(str::to_owned)));
        views.queries.insert(name.clone(), query);
    }
    // What the text itself names is read for itself.
    views.handed_on.retain(|name| !named.contains(name));
    Ok(views)
}

/// The query of a view, by itself.
fn of_view(name: &str, text: &str) -> Result<Query> {
    let (program, diagnostics) = parse_query(text);
    let what = format!("the view {name:?}");
    if !diagnostics.is_empty() {
        return Err(failure::of_diagnostics(&what, text, &diagnostics));
    }
    let resolved = resolve(program, &[], &HashMap::new());
    Ok(resolved.map_err(|diagnostics| failure::of_diagnostics(&what, text, &diagnostics))?.into_query())
}
