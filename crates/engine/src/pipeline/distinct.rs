//! `distinct` and `count`, which are groups: by all values without an aggregate, and one group with its count.

use tidegauge_bind::Surroundings;
use tidegauge_lang::tree::{
    AggregateCall, AggregateFunction, Expr, ExprKind, Named, NamedAggregate, Summarize,
};
use tidegauge_lang::{Diagnostic, Span};

use super::relation::{About, Relation};
use crate::context::QueryContext;
use crate::{Error, Result};

/// Rows of more fields are not compared as wholes: planning alone would take minutes.
const FIELDS_MAX: usize = 10_000;

impl QueryContext {
    /// Different combinations of values; of all fields where none are named.
    pub(super) async fn distinct(
        &self,
        relation: Relation,
        fields: &[Named],
        around: &Surroundings,
    ) -> Result<Relation> {
        let keys = match fields {
            [] => {
                let field = |name: String| Named {
                    expr: Expr::new(ExprKind::Field(name.clone()), Span::default()),
                    name,
                };
                let names = relation.scope.names();
                if names.len() > FIELDS_MAX {
                    return Err(too_many_fields(names.len()));
                }
                names.into_iter().map(field).collect()
            }
            fields => fields.to_vec(),
        };
        let summarize = Summarize { aggregates: Vec::new(), keys, bucket: None };
        let (mut distinct, _) = self.summarize(relation, &summarize, &[], around).await?;
        plain(&mut distinct);
        Ok(distinct)
    }

    /// How many rows there are.
    pub(super) async fn count(&self, relation: Relation, around: &Surroundings) -> Result<Relation> {
        let call = AggregateCall { function: AggregateFunction::Count, of: None, span: Span::default() };
        let aggregates = vec![NamedAggregate { name: "Count".to_owned(), call }];
        let summarize = Summarize { aggregates, keys: Vec::new(), bucket: None };
        let (counted, _) = self.summarize(relation, &summarize, &[], around).await?;
        Ok(counted)
    }
}

fn too_many_fields(count: usize) -> Error {
    let message = format!("the rows have {count} fields, and `distinct *` compares at most {FIELDS_MAX}");
    let hint = "name the fields that are to be compared, or `project` them before";
    Error::Invalid(vec![Diagnostic::new(message, Span::default()).with_hint(hint)])
}

/// Rows like any others, not groups.
fn plain(relation: &mut Relation) {
    relation.touch();
    let About { sources, range, .. } = std::mem::take(&mut relation.about);
    relation.about = About { sources, range, ..About::default() };
}
