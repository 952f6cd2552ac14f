//! What people have defined, in the form that queries use: virtual fields as expressions, and views as queries of
//! datasets. Places in their texts mean nothing in the text of a query, so they are left out.

use tidegauge_lang::tree::{Expr, Named, Query};
use tidegauge_lang::{parse_expression, parse_query, resolve_view};

use super::failure;
use crate::app::App;
use crate::service::{Caller, Result};

/// The virtual fields of a dataset, each after those that it may use.
pub(in crate::service) async fn virtual_fields(
    app: &App,
    caller: &Caller,
    dataset: &str,
) -> Result<Vec<Named>> {
    let known = &app.queries.definitions;
    let definition = known.of(app.source(), caller.org()?, dataset, caller.now).await?;
    let read = |(name, text): &(String, String)| {
        let (mut expr, diagnostics) = parse_expression(text);
        expr.forget_places();
        // It was understood when it was made; one that is not any more counts as not there.
        diagnostics.is_empty().then(|| Named { name: name.clone(), expr })
    };
    Ok(definition.virtual_fields.iter().filter_map(read).collect())
}

/// The query of a view, if the name is that of one. The names of other views in it stand for nothing.
pub(in crate::service) async fn view(app: &App, caller: &Caller, name: &str) -> Result<Option<Query>> {
    let known = &app.queries.definitions;
    let definition = known.of(app.source(), caller.org()?, name, caller.now).await?;
    let Some(text) = &definition.view else { return Ok(None) };
    let within = |error: crate::service::Error| failure::of_view(name, error);
    let (program, diagnostics) = parse_query(text);
    if !diagnostics.is_empty() {
        return Err(within(failure::of_text(text, &diagnostics)));
    }
    let resolved = resolve_view(program);
    let mut query = resolved.map_err(|diagnostics| within(failure::of_names(text, &diagnostics)))?;
    forget_all_places(&mut query);
    Ok(Some(query))
}

fn forget_all_places(query: &mut Query) {
    query.exprs_mut().into_iter().for_each(Expr::forget_places);
    query.queries_mut().into_iter().for_each(forget_all_places);
}
