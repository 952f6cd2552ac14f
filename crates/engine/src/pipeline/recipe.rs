//! What is made of each event up to a stage, in words: where two recipes are the same, so is what comes of the same
//! block. Bounds of time are not part of it, because blocks that lie between them pass as a whole. Where something else
//! than the event decides, such as the moment, there is no recipe.

use std::fmt::Write;

use tidegauge_bind::Scope;
use tidegauge_cache::partials::Fingerprint;
use tidegauge_exec::InputColumn;
use tidegauge_lang::tree::{BinaryOperator, Expr, ExprKind, Stage, Summarize};
use tidegauge_lang::{Span, functions};
use xxhash_rust::xxh3::xxh3_128;

use crate::Question;
use crate::question::Dataset;

/// Longer recipes are not worth their comparison.
const LENGTH_MAX: usize = 64 << 10;

/// Functions whose values depend on more than their arguments.
const CHANGING: &[&str] = &["now", "ago", "rand", "geo_info_from_ip_address"];

/// What is made of each event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recipe(Option<String>);

impl Recipe {
    /// That of a dataset: the values with names that a query has, and the virtual fields.
    pub(super) fn of_dataset(question: &Question, dataset: &Dataset, auto_step: Option<i64>) -> Self {
        let mut recipe = Self(Some(format!("{auto_step:?}\n")));
        for (name, expr) in &question.constants {
            recipe.add_expr(name, expr);
        }
        for field in &dataset.virtual_fields {
            recipe.add_expr(&field.name, &field.expr);
        }
        recipe
    }

    fn add(&mut self, text: impl std::fmt::Debug) {
        if let Some(recipe) = &mut self.0 {
            // Writing to a text does not fail.
            let _ = writeln!(recipe, "{text:?}");
            if recipe.len() > LENGTH_MAX {
                self.0 = None;
            }
        }
    }

    fn add_expr(&mut self, name: &str, expr: &Expr) {
        if is_changing(expr) {
            self.0 = None;
        }
        let mut expr = expr.clone();
        expr.forget_places();
        self.add((name, expr));
    }

    fn add_stage(&mut self, stage: &Stage) {
        let mut stage = stage.clone();
        let mut is_fixed = true;
        for expr in stage.exprs_mut() {
            is_fixed &= !is_changing(expr);
            expr.forget_places();
        }
        if is_fixed { self.add(stage) } else { self.0 = None }
    }

    /// Tells groups of what the recipe makes apart from all others, by what they are and by the columns they read.
    pub(super) fn fingerprint(
        &self,
        summarize: &Summarize,
        inputs: &[InputColumn],
        step: Option<i64>,
    ) -> Option<Fingerprint> {
        let mut whole = self.clone();
        whole.add((inputs, step));
        let mut summarize = summarize.clone();
        summarize.keys.iter_mut().for_each(|key| key.name.clear());
        for aggregate in &mut summarize.aggregates {
            aggregate.name.clear();
            aggregate.call.span = Span::default();
        }
        whole.add_stage(&Stage::Summarize(summarize));
        whole.0.map(|text| xxh3_128(text.as_bytes()))
    }
}

/// Adds a stage to what is made of each event, before it is done.
pub(super) fn add_stage(recipe: &mut Recipe, stage: &Stage) {
    if recipe.0.is_none() {
        return;
    }
    match stage {
        Stage::ParseWhere(_) => recipe.add_stage(stage),
        stage if stage.keeps_rows() => recipe.add_stage(stage),
        // Conditions are added where they are bound; groups do not depend on the order of rows, but for those that say so.
        Stage::Filter(_) | Stage::Search(_) => {}
        Stage::Sort(_) | Stage::Order(_) | Stage::Summarize(_) | Stage::Count | Stage::Distinct(_) => {}
        _ => *recipe = Recipe::default(),
    }
}

/// Adds a condition that rows must pass.
pub(super) fn add_condition(recipe: &mut Recipe, scope: &mut Scope, condition: &Expr) {
    if recipe.0.is_none() {
        return;
    }
    for part in conjuncts(condition) {
        if !is_bound_of_time(part, scope) {
            recipe.add_expr("where", part);
        }
    }
}

/// The parts of a condition that must all be true.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary { operator: BinaryOperator::And, left, right } => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![condition],
    }
}

/// Whether a condition only says from when to when, which the range of the scan says as well.
fn is_bound_of_time(condition: &Expr, scope: &mut Scope) -> bool {
    // What cannot be bound is told when the stage itself is done.
    let Ok(bound) = scope.condition(condition) else { return false };
    // The range ends before its end, but for the greatest time, which it cannot leave out: that is left to the condition.
    let is_told = |bound: Option<(_, i64)>| bound.is_some_and(|(_, time)| time < i64::MAX);
    bound.conjuncts().iter().all(|part| is_told(part.bound(|typed| scope.is_time(typed))))
}

fn is_changing(expr: &Expr) -> bool {
    let is_it = match &expr.kind {
        // By its own name, whatever it is called here.
        ExprKind::Call { function, .. } => {
            functions::find(function).is_some_and(|function| CHANGING.contains(&function.name))
        }
        ExprKind::Table(_) => true,
        _ => false,
    };
    is_it || expr.children().into_iter().any(is_changing)
}
