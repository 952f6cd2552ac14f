//! `sort`, `order` and the order of `top`. The events of a dataset wait with their order, because often only the first
//! of them are wanted; other rows are sorted by DataFusion, which spills.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_ord::sort::SortOptions;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::limit::GlobalLimitExec;
use datafusion_physical_plan::sorts::sort::SortExec;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_lang::print_expression;
use tidegauge_lang::tree::{Expr, ExprKind, Nulls, OrderKey, SortKey, Stage, Type};

use super::relation::{About, Columns, Origin, Relation, column_field};
use super::rows::one_partition;
use crate::Result;
use crate::context::QueryContext;
use crate::error::invalid_with;
use crate::leaf::Leaf;
use crate::plan::{EventOrder, SortColumn, sort_columns};

/// Plain keys as keys that may be computed.
pub(super) fn keys_of(keys: &[SortKey]) -> Vec<OrderKey> {
    let key = |key: &SortKey| OrderKey {
        expr: Expr::new(ExprKind::Field(key.field.clone()), key.span),
        is_descending: key.is_descending,
        nulls: None,
    };
    keys.iter().map(key).collect()
}

/// A number of rows that a constant expression says.
pub(super) fn count(expr: &Expr, around: &Surroundings) -> Result<u64> {
    let value = Scope::without_dataset(around.clone()).bind(expr)?;
    let number = value.of_type(Type::Integer).and_then(Typed::as_literal).filter(|number| number.is_valid(0));
    let number = number.and_then(|number| u64::try_from(number.as_primitive::<Int64Type>().value(0)).ok());
    number.ok_or_else(|| {
        let message = "the number of rows must be a whole number, zero or more";
        invalid_with(expr.span, message, "write one, such as `100`")
    })
}

/// How many of the sorted rows the stages behind want: also where others in between only change what their fields are.
pub(super) fn wanted(after: &[Stage], around: &Surroundings) -> Option<usize> {
    let limit = match after.iter().find(|stage| !stage.keeps_rows())? {
        Stage::Limit(limit) => *limit,
        Stage::Take(count) => self::count(count, around).ok()?,
        _ => return None,
    };
    usize::try_from(limit).ok()
}

impl QueryContext {
    /// Sorts rows. If it is known that only the first are wanted, no others are kept.
    pub(super) async fn sort(
        &self,
        relation: Relation,
        keys: &[OrderKey],
        limit: Option<usize>,
    ) -> Result<Relation> {
        let mut relation = self.unlimited(relation).await?;
        relation.touch();
        if let Some(totals) = relation.totals.take() {
            relation.totals = self.sorted_totals(*totals, keys).await;
        }
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            values.push(relation.scope.bind(&key.expr)?);
        }
        let sorted_by: Vec<SortKey> = keys.iter().map(named).collect();
        let mut columns = Vec::new();
        for (key, value) in keys.iter().zip(&values) {
            let has_nulls_first = key.nulls.map_or(!key.is_descending, |nulls| nulls == Nulls::First);
            let exprs = sort_columns(value)?;
            let is_mixed = exprs.len() > 1;
            for (place, expr) in exprs.into_iter().enumerate() {
                columns.push(match (is_mixed, place) {
                    // Whether there is a value stands before the value and alone decides where nulls go.
                    (true, 0) => SortColumn { expr, is_descending: !has_nulls_first, has_nulls_first },
                    (true, _) => SortColumn::new(expr, key.is_descending),
                    (false, _) => SortColumn { expr, is_descending: key.is_descending, has_nulls_first },
                });
            }
        }
        if matches!(relation.origin, Origin::Dataset(_)) {
            let order = match (columns.as_slice(), keys) {
                ([only], [key]) if relation.scope.is_time(&only.expr) => {
                    EventOrder::Time { is_descending: key.is_descending }
                }
                _ => EventOrder::Columns(columns),
            };
            relation.pending.order = Some((order, sorted_by));
            return Ok(relation);
        }
        let fields = relation.scope.carried()?;
        let about = About { sorted_by, ..relation.about.clone() };
        let totals = relation.totals.take();
        let mut sorted = self.sorted_by_columns(&relation, fields, columns, limit, about).await?;
        self.note(&relation.scope);
        sorted.scope.follow(&relation.scope);
        sorted.totals = totals;
        Ok(sorted)
    }

    /// Totals in the same order, unless they lack what it is by.
    async fn sorted_totals(&self, mut totals: Relation, keys: &[OrderKey]) -> Option<Box<Relation>> {
        let is_known = |key: &OrderKey, scope: &mut Scope| scope.bind(&key.expr).is_ok();
        let keys: Vec<OrderKey> =
            keys.iter().filter(|key| is_known(key, &mut totals.scope)).cloned().collect();
        if keys.is_empty() {
            return Some(Box::new(totals));
        }
        Box::pin(self.sort(totals, &keys, None)).await.ok().map(Box::new)
    }

    /// All rows of a relation in an order, or the first of them.
    pub(super) async fn sorted_by_columns(
        &self,
        relation: &Relation,
        fields: Vec<(String, Value)>,
        by: Vec<SortColumn>,
        limit: Option<usize>,
        about: About,
    ) -> Result<Relation> {
        let mut columns = Columns::of(&fields);
        let mut schema: Vec<_> = columns.schema.fields().iter().map(|field| (**field).clone()).collect();
        let mut order = Vec::with_capacity(by.len());
        for column in by {
            let place = columns.exprs.len();
            let field = column_field(place, column.expr.kind);
            let expr: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), place));
            let options =
                SortOptions { descending: column.is_descending, nulls_first: column.has_nulls_first };
            order.push(PhysicalSortExpr { expr, options });
            schema.push(field);
            columns.exprs.push(column.expr);
        }
        let schema = Arc::new(arrow_schema::Schema::new(schema));
        let plan = self.plan(relation, columns.exprs, schema).await?;
        let plan: Arc<dyn ExecutionPlan> = match LexOrdering::new(order) {
            // None of the rows needs no order, and a sort that keeps none is not allowed for.
            Some(order) if limit != Some(0) => {
                let rows = one_partition(plan);
                // A sort that keeps few rows holds few batches.
                let rows = if limit.is_some() { rows } else { Leaf::of_own_rows(rows) };
                Arc::new(SortExec::new(order, rows).with_fetch(limit))
            }
            _ => match limit {
                Some(limit) => Arc::new(GlobalLimitExec::new(one_partition(plan), 0, Some(limit))),
                None => plan,
            },
        };
        Ok(Relation::of_plan(plan, columns.fields, relation.scope.surroundings(), about))
    }
}

/// What is told of a key: its field, or the text of what is computed.
fn named(key: &OrderKey) -> SortKey {
    let field = match &key.expr.kind {
        ExprKind::Field(name) => name.clone(),
        _ => print_expression(&key.expr),
    };
    SortKey { field, is_descending: key.is_descending, ..SortKey::default() }
}
