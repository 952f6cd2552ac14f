//! Where the rows of a query come from.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_null_array};
use hashbrown::HashSet;
use tidegauge_bind::{Scope, Surroundings, check_constants};
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::convert;
use tidegauge_exec::types::{arrow_type, type_name};
use tidegauge_exec::words::type_names;
use tidegauge_lang::tree::{DataTable, Expr, ExprKind, Named, Query, Source, Stage, TimeRange, Type};
use tidegauge_lang::{Span, nearest};

use super::recipe::Recipe;
use super::relation::{About, DatasetRows, Origin, Pending, Relation};
use super::rows::of_arrays;
use crate::context::QueryContext;
use crate::error::invalid_with;
use crate::question::Dataset;
use crate::{Question, Result};

impl QueryContext {
    pub(super) async fn source(&self, source: &Source, around: &Surroundings) -> Result<Relation> {
        match source {
            Source::Dataset { name, range, span } => self.dataset(name, *range, *span, around),
            Source::Datasets { pattern, range } => {
                self.datasets(std::slice::from_ref(pattern), *range, around).await
            }
            Source::Search(search) => {
                let found = self.datasets(&search.tables, search.range, around).await?;
                self.filter(found, &search.predicate).await
            }
            Source::Values(table) => values(table, around),
            Source::Print(fields) => print(fields, around),
            Source::Union(union) => self.union(None, union, around).await,
            Source::External(external) => self.external(external, around).await,
            Source::Table { name, .. } => {
                let message = "the dataset must be known by its name here";
                Err(invalid_with(name.span, message, "write its name, such as `['web-logs']`"))
            }
        }
    }

    /// The events of one dataset.
    pub(super) fn dataset(
        &self,
        name: &str,
        range: TimeRange,
        span: Span,
        around: &Surroundings,
    ) -> Result<Relation> {
        let Some(dataset) = self.question.datasets.iter().find(|dataset| dataset.name == name) else {
            let known = self.question.datasets.iter().map(|dataset| dataset.name.as_str());
            let hint = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "write the name of a dataset that there is".to_owned());
            return Err(invalid_with(span, format!("dataset not found: \"{name}\""), hint));
        };
        Ok(of_dataset(&self.question, dataset, range, around))
    }
}

fn of_dataset(question: &Question, dataset: &Dataset, range: TimeRange, around: &Surroundings) -> Relation {
    let scope = Scope::new(Arc::clone(&dataset.state), &dataset.virtual_fields, around.clone());
    Relation {
        scope,
        origin: Origin::Dataset(DatasetRows {
            name: dataset.name.clone(),
            state: Arc::clone(&dataset.state),
            range,
            prunes: Vec::new(),
        }),
        conditions: Vec::new(),
        pending: Pending::default(),
        about: About {
            sources: vec![dataset.name.clone()],
            range: Some(range),
            is_events: true,
            ..About::default()
        },
        recipe: Recipe::of_dataset(question, dataset, around.auto_step),
        ready: None,
        totals: None,
    }
}

/// One row of values.
fn print(fields: &[Named], around: &Surroundings) -> Result<Relation> {
    let mut relation = of_arrays(Vec::new(), &[], 1, Vec::new(), around, About::default())?;
    // Values do not see each other: there is no row that they could be fields of.
    let mut values = Vec::with_capacity(fields.len());
    let mut length = 0_usize;
    for field in fields {
        let value = relation.scope.bind(&field.expr)?;
        length = length.saturating_add(value.literal_bytes());
        check_constants(length, field.expr.span)?;
        values.push((field.name.clone(), value));
    }
    relation.list(values);
    Ok(relation)
}

/// Rows that stand in the query, each value in the type of its column.
fn values(table: &DataTable, around: &Surroundings) -> Result<Relation> {
    let width = table.columns.len().max(1);
    let mut arrays = Vec::with_capacity(width);
    let mut kinds = Vec::with_capacity(width);
    let mut fields = Vec::with_capacity(width);
    for (place, column) in table.columns.iter().enumerate() {
        let cells = table.values.iter().skip(place).step_by(width);
        let cells =
            cells.map(|cell| cell_of(cell, column.kind, around)).collect::<Result<Vec<ArrayRef>>>()?;
        let parts: Vec<&dyn Array> = cells.iter().map(AsRef::as_ref).collect();
        let array = match parts.is_empty() {
            true => new_null_array(&arrow_type(column.kind), 0),
            false => arrow_select::concat::concat(&parts)?,
        };
        fields.push((column.name.clone(), Value::from(Typed::input(column.kind, place))));
        arrays.push(array);
        kinds.push(column.kind);
    }
    let rows = table.values.len() / width;
    of_arrays(arrays, &kinds, rows, fields, around, About::default())
}

/// One value of a table in the query, as an array of one.
fn cell_of(cell: &Expr, kind: Type, around: &Surroundings) -> Result<ArrayRef> {
    let value = Scope::without_dataset(around.clone()).bind(cell)?;
    if value.is_null() {
        return Ok(new_null_array(&arrow_type(kind), 1));
    }
    let fitting = as_kind(&value, kind)?;
    // A text that is no datetime would become null, which nobody wrote.
    let literal = fitting.as_ref().and_then(Typed::as_literal).filter(|literal| literal.is_valid(0));
    literal.cloned().ok_or_else(|| {
        let kind = type_name(kind);
        let message = format!("this is {}, and the column holds {kind}", type_names(&value));
        invalid_with(cell.span, message, format!("write a {kind} here, or give the column another type"))
    })
}

/// A value in the one type of a column, where it has a counterpart there.
pub(super) fn as_kind(value: &Value, kind: Type) -> Result<Option<Typed>> {
    if let Some(same) = value.of_type(kind) {
        return Ok(Some(same.clone()));
    }
    Ok(match kind {
        Type::Float => value.float()?,
        Type::Dynamic => value.json()?,
        Type::Array | Type::Map => value.json()?.map(|json| Typed { kind, ..json }),
        Type::Integer => value.number()?.map(convert::parse_integer).transpose()?,
        Type::String => value.text()?,
        Type::Datetime => value.text()?.map(tidegauge_exec::kernels::times::parse).transpose()?,
        Type::Boolean => value.condition()?,
        Type::Timespan | Type::LongInteger => None,
    })
}

/// Adds every field that a query names, also in the queries inside it.
pub(crate) fn add_names(query: &mut Query, names: &mut HashSet<String>) {
    for stage in &query.stages {
        match stage {
            Stage::Sort(keys) => names.extend(keys.iter().map(|key| key.field.clone())),
            Stage::ProjectRename(renamed) => names.extend(renamed.iter().map(|pair| pair.from.clone())),
            _ => {}
        }
    }
    for expr in query.exprs_mut() {
        add_names_of(expr, names);
    }
    for inner in query.queries_mut() {
        add_names(inner, names);
    }
}

fn add_names_of(expr: &Expr, names: &mut HashSet<String>) {
    if let ExprKind::Field(name) = &expr.kind {
        names.insert(name.clone());
    }
    for child in expr.children() {
        add_names_of(child, names);
    }
}
