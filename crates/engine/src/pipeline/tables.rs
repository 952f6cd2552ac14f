//! Queries after `in`: they are run before the query that they stand in, and their values take their place.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidegauge_bind::Surroundings;
use tidegauge_exec::literal_of_json;
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Literal, Named, Query, Type};

use crate::context::QueryContext;
use crate::error::invalid_with;
use crate::{Field, Result};

/// How many different values a list may have.
const VALUES_MAX: usize = 1_000_000;

impl QueryContext {
    /// Puts values in the place of all queries after `in`.
    pub(crate) fn fill_tables<'a>(
        &'a self,
        query: &'a mut Query,
        around: &'a Surroundings,
    ) -> BoxFuture<'a, Result<()>> {
        async move {
            for inner in query.queries_mut() {
                self.fill_tables(inner, around).await?;
            }
            for expr in query.exprs_mut() {
                self.fill_lists(expr, around).await?;
            }
            Ok(())
        }
        .boxed()
    }

    fn fill_lists<'a>(&'a self, expr: &'a mut Expr, around: &'a Surroundings) -> BoxFuture<'a, Result<()>> {
        async move {
            if let ExprKind::In { list, .. } | ExprKind::HasAny { list, .. } = &mut expr.kind {
                let mut filled = Vec::with_capacity(list.len());
                for element in list.drain(..) {
                    match element.kind {
                        ExprKind::Table(query) => {
                            let values = self.values_of(&query, element.span, around).await?;
                            filled.extend(values);
                        }
                        kind => filled.push(Expr::new(kind, element.span)),
                    }
                }
                *list = filled;
            }
            for child in expr.children_mut() {
                self.fill_lists(child, around).await?;
            }
            Ok(())
        }
        .boxed()
    }

    /// The values in the first column of a query.
    async fn values_of(&self, query: &Query, span: Span, around: &Surroundings) -> Result<Vec<Expr>> {
        let mut relation = self.relation(query, around).await?;
        let Some((name, _)) = relation.scope.fields()?.into_iter().next() else {
            let hint = "end it with `project` and one field";
            return Err(invalid_with(span, "the table after `in` has no column", hint));
        };
        let first = Named { expr: Expr::new(ExprKind::Field(name.clone()), span), name };
        let different = self.distinct(relation, &[first], around).await?;
        let settled = self.settled(different).await?;
        let table = self.table(super::rows::limited(settled, VALUES_MAX + 1), "0").await?;
        if table.rows > VALUES_MAX {
            let message = format!("the table after `in` has more than {VALUES_MAX} different values");
            return Err(invalid_with(span, message, "keep fewer with `where`, or write a `join`"));
        }
        let Some(field) = table.fields.first() else { return Ok(Vec::new()) };
        Ok((0..table.rows).map(|row| Expr::new(ExprKind::Literal(literal(field, row)), span)).collect())
    }
}

/// One value of a field.
fn literal(field: &Field, row: usize) -> Literal {
    let Some((kind, array)) = field.values.iter().find(|(_, array)| array.is_valid(row)) else {
        return Literal::Null;
    };
    let integer = || array.as_primitive::<Int64Type>().value(row);
    let text = || array.as_string_view().value(row).to_owned();
    match kind {
        Type::Boolean => Literal::Boolean(array.as_boolean().value(row)),
        Type::Integer => Literal::Integer(integer()),
        Type::Float => Literal::Float(array.as_primitive::<Float64Type>().value(row)),
        Type::LongInteger => Literal::LongInteger(text()),
        Type::String => Literal::String(text()),
        Type::Datetime => Literal::Datetime(integer()),
        Type::Timespan => Literal::Timespan(integer()),
        Type::Array | Type::Map => Literal::Dynamic(text()),
        // Different values of several types stand in one column of JSON.
        Type::Dynamic => literal_of_json(&text()),
    }
}
