//! `mv-expand`: one row for each element of arrays and maps.

use std::sync::Arc;

use arrow_schema::Schema;
use datafusion_physical_plan::ExecutionPlan;
use tidegauge_bind::Surroundings;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{convert, logic};
use tidegauge_exec::operators::unpack;
use tidegauge_exec::{Value, functions};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expand, ExpandKind, Stage, Type};

use super::needed::carried;
use super::relation::{Columns, Relation, column_field};
use crate::Result;
use crate::context::QueryContext;
use crate::leaf::Leaf;
use crate::unfold::Unfolding;

impl QueryContext {
    pub(super) async fn expand(
        &self,
        relation: Relation,
        expand: &Expand,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<Relation> {
        let mut relation = self.unlimited(relation).await?;
        if relation.pending.order.is_some() {
            relation = self.settled(relation).await?;
        }
        let mut fields = carried(&mut relation.scope, after)?;
        fields.extend(relation.scope.hidden());
        let mut expanded = Vec::with_capacity(expand.fields.len());
        for field in &expand.fields {
            let value = relation.scope.bind(&field.expr)?;
            expanded.push((field, value));
        }
        let replaced = |name: &str| expand.fields.iter().any(|field| field.name == name);
        let kept: Vec<(String, Value)> = fields.iter().filter(|(name, _)| !replaced(name)).cloned().collect();
        let mut columns = Columns::of(&kept);
        let mut schema: Vec<_> = columns.schema.fields().iter().map(|field| (**field).clone()).collect();
        let unfolding = Unfolding {
            kept: columns.exprs.len(),
            is_pairs: expand.kind == Some(ExpandKind::Array),
            has_index: expand.index.is_some(),
            limit: expand.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX),
        };
        let mut results = Vec::with_capacity(expanded.len());
        for (field, value) in expanded {
            let element = Typed::input(Type::Dynamic, columns.exprs.len());
            schema.push(column_field(columns.exprs.len(), Type::Dynamic));
            columns.exprs.push(value.json()?.unwrap_or_else(|| logic::null(Type::Dynamic)));
            let value = match field.kind {
                Some(kind) => as_kind(element, kind, &relation)?,
                None => as_before(element, &value)?,
            };
            results.push((field.name.clone(), value));
        }
        let input_schema = Arc::new(Schema::new(schema.clone()));
        if let Some(index) = &expand.index {
            results.push((index.clone(), Typed::input(Type::Integer, schema.len()).into()));
            schema.push(column_field(schema.len(), Type::Integer));
        }
        let plan = self.plan(&relation, columns.exprs, input_schema).await?;
        let plan: Arc<dyn ExecutionPlan> =
            Arc::new(Leaf::of_elements(plan, unfolding, Arc::new(Schema::new(schema))));
        self.note(&relation.scope);
        let names: Vec<String> = fields.into_iter().map(|(name, _)| name).collect();
        let fields = in_order(names, columns.fields, results);
        let mut about = std::mem::take(&mut relation.about);
        about.aggregates.retain(|name, _| !replaced(name));
        about.bucket = None;
        let mut expanded = Relation::of_plan(plan, fields, around, about);
        expanded.scope.follow(&relation.scope);
        Ok(expanded)
    }
}

/// Elements in the places of the fields that they come from, and new fields behind all others.
fn in_order(
    names: Vec<String>,
    kept: Vec<(String, Value)>,
    mut results: Vec<(String, Value)>,
) -> Vec<(String, Value)> {
    let mut kept = kept.into_iter();
    let mut fields = Vec::with_capacity(names.len() + results.len());
    for name in names {
        match results.iter().position(|(result, _)| *result == name) {
            Some(place) => fields.push(results.remove(place)),
            None => fields.extend(kept.next()),
        }
    }
    fields.extend(results);
    fields
}

/// Elements of one type; what has no counterpart in it is null.
fn as_kind(element: Typed, kind: Type, relation: &Relation) -> Result<Value> {
    let call = |function: &str| {
        let arguments = [Value::from(element.clone())];
        functions::call(function, &arguments, Span::default(), relation.scope.surroundings().around())
            .map(Option::unwrap_or_default)
    };
    Ok(match kind {
        Type::String => convert::to_text(element)?.into(),
        Type::Boolean => convert::parse_boolean(element)?.into(),
        Type::Integer => convert::parse_integer(element)?.into(),
        Type::Float => convert::parse_float(element)?.into(),
        Type::Datetime => call("todatetime")?,
        Type::Timespan => call("totimespan")?,
        Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => element.into(),
    })
}

/// Elements of arrays can be anything; a value that never is an array stays what it was.
fn as_before(element: Typed, value: &Value) -> Result<Value> {
    let kinds = value.types();
    let is_nested = |kind: &Type| matches!(kind, Type::Array | Type::Map | Type::Dynamic);
    if kinds.is_empty() || kinds.iter().any(is_nested) {
        return Ok(element.into());
    }
    Ok(unpack::as_kinds(&element.into(), &kinds)?)
}
