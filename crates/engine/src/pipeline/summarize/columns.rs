//! The columns of the result of a `summarize`, made from those of its groups.

use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::operators::{member, unpack};
use tidegauge_lang::Span;

use crate::Result;
use crate::pipeline::relation::Relation;
use crate::plan::{Computed, Outcome, result_name};

/// One column of the result.
pub(super) enum Column {
    /// A key under the name that it is shown by, and the one that the groups have for it.
    Key {
        name: String,
        of: String,
    },
    Outcome(Outcome),
}

/// Makes the columns of the result from those of the groups.
pub(super) fn shape(relation: &mut Relation, columns: &[Column]) -> Result<()> {
    let mut fields = Vec::with_capacity(columns.len());
    for column in columns {
        match column {
            Column::Key { of, .. } if !relation.scope.has(of) => {}
            Column::Key { name, of } => {
                fields.push((name.clone(), relation.scope.field(of, Span::default())?));
            }
            Column::Outcome(outcome) => {
                fields.push((outcome.name.clone(), computed(&mut relation.scope, &outcome.of)?));
            }
        }
    }
    relation.list(fields);
    Ok(())
}

fn computed(scope: &mut Scope, of: &Computed) -> Result<Value> {
    match of {
        Computed::Call(call) => Ok(scope.field(&result_name(*call), Span::default())?),
        Computed::Expr(expr) => Ok(scope.bind(expr)?),
        Computed::Element { call, place, kinds } => {
            let list = scope.field(&result_name(*call), Span::default())?;
            let place = Value::literal(&tidegauge_lang::tree::Literal::Integer(*place as i64));
            Ok(unpack::as_kinds(&member::member(&list, &place)?, kinds)?)
        }
    }
}
