//! From the query as it was sent to its tree: each part is translated in its own file and put in its place here.

use std::collections::HashMap;

use tidegauge_model::{Rule, Violation};

use super::{DatasetQuery, Projection, Refused, Surroundings, Translated, VirtualField};
use super::{aggregations, filter, order, resolution, times};
use crate::Span;
use crate::parser::parse_expression;
use crate::tree::{Expr, ExprKind, Named, Query, Source, Stage};

const LIMIT_DEFAULT: u64 = 1_000;
const LIMIT_MAX: u64 = 50_000;

/// How many of each thing a query may have.
const VIRTUAL_FIELDS_MAX: usize = 500;
const AGGREGATIONS_MAX: usize = 500;
const GROUP_BY_MAX: usize = 100;
const ORDER_MAX: usize = 100;
const PROJECT_MAX: usize = 5_000;

/// Fields that every event has and that nothing may stand in for.
const OWN_FIELDS: [&str; 3] = ["_time", "_sysTime", "_rowId"];

/// Makes the tree of a query over the dataset of this name.
///
/// The stages of a query for events are `Extend`, `Filter`, `Sort`, `After`, `Limit`, `Project`, and of one with
/// aggregations `Extend`, `Filter`, `Summarize`, `Sort`, `Limit`; those that were not asked for are left out, except
/// for `Sort` and `Limit`.
pub fn translate(dataset: &str, query: &DatasetQuery, around: Surroundings) -> Result<Translated, Refused> {
    check_counts(query)?;
    let asked = times::asked(query, around.now)?;
    let allowed = asked.allowed(around);
    let seen = asked.allowed_length(&allowed, around);
    let step = resolution::step(query.resolution.as_deref(), asked.length(around), seen)?;
    let limit = limit(query.limit)?;

    let mut stages = Vec::new();
    let fields = virtual_fields(&query.virtual_fields)?;
    if !fields.is_empty() {
        stages.push(Stage::Extend(fields));
    }
    if let Some(filter) = &query.filter {
        stages.extend(filter::translate(filter, around.now)?.map(Stage::Filter));
    }
    let cursor = order::cursor(query)?;
    if query.aggregations.is_empty() {
        if !query.group_by.is_empty() {
            let problem = "needs at least one aggregation: add one, such as count of *";
            return Err(Violation::new("groupBy", Rule::TooManyItems, problem).into());
        }
        stages.push(Stage::Sort(order::of_events(query)?));
        stages.extend(cursor.map(Stage::After));
        stages.push(Stage::Limit(limit));
        let project = projections(&query.project)?;
        if !project.is_empty() {
            stages.push(Stage::Project(project));
        }
    } else {
        let summarize = aggregations::summarize(query, step)?;
        let order = order::of_groups(query, &summarize)?;
        stages.extend([Stage::Summarize(summarize), Stage::Sort(order), Stage::Limit(limit)]);
    }
    let source = Source::Dataset { name: dataset.to_owned(), range: allowed.range, span: Span::default() };
    Ok(Translated {
        query: Query { source, stages },
        range: allowed.range,
        limit,
        is_limit_default: query.limit.is_none_or(|limit| limit == 0),
        is_window_cut: allowed.is_cut,
    })
}

fn check_counts(query: &DatasetQuery) -> Result<(), Violation> {
    let counts = [
        ("virtualFields", query.virtual_fields.len(), VIRTUAL_FIELDS_MAX),
        ("aggregations", query.aggregations.len(), AGGREGATIONS_MAX),
        ("groupBy", query.group_by.len(), GROUP_BY_MAX),
        ("order", query.order.len(), ORDER_MAX),
        ("project", query.project.len(), PROJECT_MAX),
    ];
    match counts.into_iter().find(|(_, count, greatest)| count > greatest) {
        Some((field, _, greatest)) => {
            Err(Violation::new(field, Rule::TooManyItems, format!("must have at most {greatest} items")))
        }
        None => Ok(()),
    }
}

/// None and zero are the default: clients that have no limit send zero.
fn limit(limit: Option<u64>) -> Result<u64, Violation> {
    match limit {
        None | Some(0) => Ok(LIMIT_DEFAULT),
        Some(limit) if limit <= LIMIT_MAX => Ok(limit),
        Some(_) => Err(Violation::new("limit", Rule::Maximum, format!("must be at most {LIMIT_MAX}"))),
    }
}

fn virtual_fields(fields: &[VirtualField]) -> Result<Vec<Named>, Refused> {
    let mut named = Vec::with_capacity(fields.len());
    for (place, field) in fields.iter().enumerate() {
        if field.alias.is_empty() {
            return Err(Violation::required(format!("virtualFields.{place}.alias")).into());
        }
        if OWN_FIELDS.contains(&field.alias.as_str()) {
            let problem = "is a field that every event has: choose another name";
            return Err(Violation::new(format!("virtualFields.{place}.alias"), Rule::Unique, problem).into());
        }
        if field.expr.trim().is_empty() {
            return Err(Violation::required(format!("virtualFields.{place}.expr")).into());
        }
        let (expr, diagnostics) = parse_expression(&field.expr);
        if !diagnostics.is_empty() {
            let (alias, text) = (field.alias.clone(), field.expr.clone());
            return Err(Refused::Expression { alias, text, diagnostics });
        }
        named.push(Named { name: field.alias.clone(), expr });
    }
    Ok(named)
}

/// The fields of the answer by the names that they have in it. One that is asked for twice is given once.
fn projections(projections: &[Projection]) -> Result<Vec<Named>, Violation> {
    let mut named = Vec::with_capacity(projections.len());
    let mut known: HashMap<&str, &str> = HashMap::with_capacity(projections.len());
    for (place, projection) in projections.iter().enumerate() {
        if projection.field.is_empty() {
            return Err(Violation::required(format!("project.{place}.field")));
        }
        let alias = projection.alias.as_deref().filter(|alias| !alias.is_empty());
        let name = alias.unwrap_or(&projection.field);
        match known.insert(name, &projection.field) {
            None => {
                let expr = Expr::new(ExprKind::Field(projection.field.clone()), Span::default());
                named.push(Named { name: name.to_owned(), expr });
            }
            Some(field) if field == projection.field => {}
            Some(_) => {
                let problem = format!("must not give another field the name {name} again");
                return Err(Violation::new(format!("project.{place}.alias"), Rule::Unique, problem));
            }
        }
    }
    Ok(named)
}
