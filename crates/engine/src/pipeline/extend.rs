//! `extend` and `extend-valid`: fields that are computed for each row.

use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::logic;
use tidegauge_exec::{Value, functions};
use tidegauge_lang::tree::{Named, Stage, Type};

use super::relation::{Relation, WEIGHT_MAX};
use crate::Result;
use crate::context::QueryContext;

impl QueryContext {
    /// Computes fields. One that is computed of very much is computed before the next may use it.
    pub(super) async fn extend(
        &self,
        mut relation: Relation,
        fields: &[Named],
        after: &[Stage],
    ) -> Result<Relation> {
        relation.touch();
        if let Some(totals) = &mut relation.totals
            && define(&mut totals.scope, fields).is_err()
        {
            relation.totals = None;
        }
        for (place, field) in fields.iter().enumerate() {
            let value = relation.scope.bind(&field.expr)?;
            let is_heavy = value.variants.iter().any(|variant| variant.weight > WEIGHT_MAX);
            relation.scope.define(&field.name, value);
            relation.about.aggregates.remove(&field.name);
            if is_heavy {
                let others = Stage::Extend(fields[place + 1..].to_vec());
                let after: Vec<Stage> = std::iter::once(others).chain(after.iter().cloned()).collect();
                relation = self.settled_before(relation, &after).await?;
            }
        }
        Ok(relation)
    }
}

/// As [`QueryContext::extend`], with null in place of values that are of no use.
pub(super) fn extend_valid(relation: &mut Relation, fields: &[Named]) -> Result<()> {
    relation.touch();
    relation.totals = None;
    for field in fields {
        let value = relation.scope.bind(&field.expr)?;
        relation.scope.define(&field.name, valid(&value, relation.scope.surroundings())?);
    }
    Ok(())
}

fn define(scope: &mut Scope, fields: &[Named]) -> Result<()> {
    for field in fields {
        let value = scope.bind(&field.expr)?;
        scope.define(&field.name, value);
    }
    Ok(())
}

/// The values that are of use: texts that are not empty, numbers other than zero, what is true, and arrays and maps
/// that have something in them.
fn valid(value: &Value, around: &Surroundings) -> Result<Value> {
    let mut variants = Vec::with_capacity(value.variants.len());
    for variant in &value.variants {
        let is_valid = is_valid(variant, around)?;
        variants.push(logic::choose(is_valid, variant.clone(), logic::null(variant.kind))?);
    }
    Ok(Value { variants })
}

fn is_valid(variant: &Typed, around: &Surroundings) -> Result<Typed> {
    let one = [Value::from(variant.clone())];
    let call = |function: &str, arguments: &[Value]| {
        let value = functions::call(function, arguments, tidegauge_lang::Span::default(), around.around())?;
        let value = value.unwrap_or_default();
        value.of_type(Type::Boolean).cloned().map_or_else(|| Ok(logic::constant(false)), logic::known)
    };
    let zero = || Value::literal(&tidegauge_lang::tree::Literal::Integer(0));
    let empty = |text: &str| Value::literal(&tidegauge_lang::tree::Literal::String(text.to_owned()));
    Ok(match variant.kind {
        Type::String => call("isnotempty", &one)?,
        Type::Integer | Type::Float | Type::Timespan => {
            let is_zero = logic::known(tidegauge_exec::operators::compare::equal(&one[0], &zero())?)?;
            let mut parts = vec![logic::not(is_zero)?, one[0].exists()?];
            if variant.kind == Type::Float {
                parts.push(call("isfinite", &one)?);
            }
            Typed::all(parts)
        }
        Type::Array | Type::Map | Type::Dynamic => {
            let text = Value::from(tidegauge_exec::kernels::convert::to_text(variant.clone())?);
            let mut parts = vec![one[0].exists()?];
            for nothing in ["", "[]", "{}", "0", "false"] {
                let is_nothing = tidegauge_exec::operators::compare::equal(&text, &empty(nothing))?;
                parts.push(logic::not(logic::known(is_nothing)?)?);
            }
            Typed::all(parts)
        }
        Type::Boolean => logic::known(variant.clone())?,
        Type::Datetime | Type::LongInteger => one[0].exists()?,
    })
}
