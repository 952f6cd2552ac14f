//! Which fields the stages behind one still read, so that no others are carried along with what it makes of rows.

use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Stage};
use tidegauge_model::columns::TIME_FIELD;

use crate::Result;
use crate::plan::TEMPORALITY_FIELD;

/// Names that stages read, up to the one behind which no other field is there.
pub(super) struct Needed(Vec<String>);

impl Needed {
    /// None where all fields may be read, or are shown.
    pub(super) fn of(after: &[Stage]) -> Option<Self> {
        let mut names = vec![TIME_FIELD.to_owned()];
        for stage in after {
            let is_last = match stage {
                Stage::Count => return Some(Self(names)),
                Stage::Project(_) | Stage::Summarize(_) | Stage::MakeSeries(_) => true,
                Stage::Distinct(fields) if !fields.is_empty() => true,
                Stage::Sort(keys) => {
                    names.extend(keys.iter().map(|key| key.field.clone()));
                    false
                }
                Stage::Limit(_)
                | Stage::Take(_)
                | Stage::Sample(_)
                | Stage::Filter(_)
                | Stage::Order(_)
                | Stage::Top(_)
                | Stage::Extend(_)
                | Stage::ExtendValid(_)
                | Stage::Parse(_)
                | Stage::ParseWhere(_)
                | Stage::ParseKeyValue(_)
                | Stage::Join(_)
                | Stage::Lookup(_)
                | Stage::Expand(_) => false,
                _ => return None,
            };
            for expr in stage.clone().exprs_mut() {
                add(expr, &mut names)?;
            }
            if is_last {
                return Some(Self(names));
            }
        }
        None
    }

    /// Whether a field is read, or something inside it.
    pub(super) fn has(&self, field: &str) -> bool {
        let is_inside = |rest: &str| rest.is_empty() || rest.starts_with('.');
        self.0.iter().any(|name| name.strip_prefix(field).is_some_and(is_inside))
    }
}

/// The fields of rows that stages behind read.
pub(super) fn carried(scope: &mut Scope, after: &[Stage]) -> Result<Vec<(String, Value)>> {
    let Some(needed) = Needed::of(after) else { return Ok(scope.fields()?) };
    let names = scope.names().into_iter().filter(|name| needed.has(name));
    names.map(|name| Ok((name.clone(), scope.field(&name, Span::default())?))).collect()
}

/// Adds the names that an expression reads. None where it may read any.
fn add(expr: &mut Expr, names: &mut Vec<String>) -> Option<()> {
    match &expr.kind {
        ExprKind::AllFields => return None,
        // The name of the field is a value.
        ExprKind::Call { function, .. }
            if matches!(function.as_str(), "column_ifexists" | "columnifexists" | "ensure_field") =>
        {
            return None;
        }
        // They look at whether points are increases by themselves.
        ExprKind::Call { function, .. }
            if matches!(function.as_str(), "increase" | "rate" | "histogram_increase") =>
        {
            names.push(TEMPORALITY_FIELD.to_owned());
        }
        ExprKind::Field(name) => names.push(name.clone()),
        _ => {}
    }
    expr.children_mut().into_iter().try_for_each(|child| add(child, names))
}
