//! Which queries can be computed for many windows at once: those whose rows are chosen one by one and then summarised by
//! aggregates that can be put together from the aggregates of shorter stretches. All else is asked window by window.

use tidegauge_lang::Span;
use tidegauge_lang::tree::{
    AggregateCall, AggregateFunction, BinaryOperator, Expr, ExprKind, Literal, Named, NamedAggregate, Query,
    Source, Stage, Summarize,
};
use tidegauge_model::columns::TIME_FIELD;

/// Functions whose value depends on the moment of the run.
const OF_THE_MOMENT: &[&str] = &["now", "ago", "startofday", "endofday", "rand"];

/// A query that can be computed in stretches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartialPlan {
    /// What happens to single events.
    before: Vec<Stage>,
    /// The keys but for the time.
    keys: Vec<Named>,
    /// Whether time is cut into stretches by the query itself.
    pub(super) has_bins: bool,
    /// What is computed for each stretch.
    partials: Vec<Expr>,
    /// How the results come of it.
    pub(super) results: Vec<Merge>,
}

/// How a result is put together from the partials of stretches, which are named by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    Sum(usize),
    Min(usize),
    Max(usize),
    /// Of a sum and a count.
    Mean(usize, usize),
}

impl PartialPlan {
    /// The shape of a query, if it has one.
    pub(super) fn of(query: &Query) -> Option<Self> {
        if !matches!(query.source, Source::Dataset { .. }) {
            return None;
        }
        let place =
            query.stages.iter().position(|stage| matches!(stage, Stage::Summarize(_) | Stage::Count))?;
        let (before, rest) = query.stages.split_at(place);
        let mut whole = query.clone();
        if !whole.queries_mut().is_empty() || whole.exprs_mut().into_iter().any(|expr| uses_moment(expr)) {
            return None;
        }
        // An order changes nothing of what is judged.
        if !before.iter().all(is_of_rows) || !rest[1..].iter().all(|stage| matches!(stage, Stage::Sort(_))) {
            return None;
        }
        let mut partial_plan = Self {
            before: before.to_vec(),
            keys: Vec::new(),
            has_bins: false,
            partials: Vec::new(),
            results: Vec::new(),
        };
        match &rest[0] {
            Stage::Summarize(summarize) => partial_plan.take(summarize)?,
            _ => partial_plan.results = vec![partial_plan.partial_sum(call("count", Vec::new()))],
        }
        Some(partial_plan)
    }

    fn take(&mut self, summarize: &Summarize) -> Option<()> {
        if summarize.aggregates.is_empty() || summarize.bucket.is_some() {
            return None;
        }
        for key in &summarize.keys {
            if !uses_time(&key.expr) {
                self.keys.push(key.clone());
            } else if is_bin(&key.expr) && !self.has_bins {
                self.has_bins = true;
            } else {
                return None;
            }
        }
        for aggregate in &summarize.aggregates {
            let AggregateFunction::Computed(expr) = &aggregate.call.function else { return None };
            let merge = self.merge_of(expr)?;
            self.results.push(merge);
        }
        Some(())
    }

    fn merge_of(&mut self, expr: &Expr) -> Option<Merge> {
        let ExprKind::Call { function, arguments } = &expr.kind else { return None };
        match (function.as_str(), arguments.as_slice()) {
            ("count" | "countif" | "sum" | "sumif", _) => Some(self.partial_sum(expr.clone())),
            ("min" | "minif", _) => Some(Merge::Min(self.partial(expr.clone()))),
            ("max" | "maxif", _) => Some(Merge::Max(self.partial(expr.clone()))),
            ("avg", [of]) => {
                let sum = self.partial(call("sum", vec![of.clone()]));
                Some(Merge::Mean(sum, self.partial(call("countif", vec![is_number(of)]))))
            }
            _ => None,
        }
    }

    fn partial_sum(&mut self, expr: Expr) -> Merge {
        Merge::Sum(self.partial(expr))
    }

    fn partial(&mut self, expr: Expr) -> usize {
        self.partials.push(expr);
        self.partials.len() - 1
    }

    /// The name of a partial in answers.
    pub(super) fn partial_name(place: usize) -> String {
        format!("__partial_{place}")
    }

    pub(super) fn partials(&self) -> usize {
        self.partials.len()
    }

    /// The stages that compute the partials for stretches of this length, in nanoseconds.
    pub(super) fn stages(&self, stretch: i64) -> Vec<Stage> {
        let size = expr(ExprKind::Literal(Literal::Timespan(stretch)));
        let time = expr(ExprKind::Field(TIME_FIELD.to_owned()));
        let bin = Named { name: TIME_FIELD.to_owned(), expr: call("bin", vec![time, size]) };
        let aggregate = |(place, partial): (usize, &Expr)| NamedAggregate {
            name: Self::partial_name(place),
            call: AggregateCall {
                function: AggregateFunction::Computed(Box::new(partial.clone())),
                of: None,
                span: Span::default(),
            },
        };
        let summarize = Summarize {
            aggregates: self.partials.iter().enumerate().map(aggregate).collect(),
            keys: std::iter::once(bin).chain(self.keys.iter().cloned()).collect(),
            bucket: None,
        };
        let mut stages = self.before.clone();
        stages.push(Stage::Summarize(summarize));
        stages
    }
}

/// Whether a stage looks at one event at a time and keeps its time.
fn is_of_rows(stage: &Stage) -> bool {
    match stage {
        Stage::Filter(_) | Stage::Search(_) | Stage::ParseKeyValue(_) | Stage::Redact(_) => true,
        Stage::Parse(_) | Stage::ParseWhere(_) => true,
        Stage::Extend(fields) | Stage::ExtendValid(fields) => {
            fields.iter().all(|field| field.name != TIME_FIELD)
        }
        _ => false,
    }
}

fn is_bin(expr: &Expr) -> bool {
    let is_time = |expr: &Expr| matches!(&expr.kind, ExprKind::Field(name) if name == TIME_FIELD);
    match &expr.kind {
        ExprKind::Call { function, arguments } => {
            matches!(function.as_str(), "bin" | "bin_auto") && arguments.first().is_some_and(is_time)
        }
        _ => false,
    }
}

fn uses_time(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Field(name) if name == TIME_FIELD)
        || expr.children().into_iter().any(uses_time)
}

fn uses_moment(expr: &Expr) -> bool {
    let is_called =
        matches!(&expr.kind, ExprKind::Call { function, .. } if OF_THE_MOMENT.contains(&function.as_str()));
    is_called || expr.children().into_iter().any(uses_moment)
}

/// Whether a value is a number: those are what an average is of.
fn is_number(of: &Expr) -> Expr {
    let zero = || Box::new(expr(ExprKind::Literal(Literal::Integer(0))));
    let compared = |operator| expr(ExprKind::Binary { operator, left: Box::new(of.clone()), right: zero() });
    expr(ExprKind::Binary {
        operator: BinaryOperator::Or,
        left: Box::new(compared(BinaryOperator::GreaterOrEqual)),
        right: Box::new(compared(BinaryOperator::Less)),
    })
}

fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    expr(ExprKind::Call { function: function.to_owned(), arguments })
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

#[cfg(test)]
mod tests {
    use tidegauge_lang::parse_query;

    use super::*;

    fn partial_plan(text: &str) -> Option<PartialPlan> {
        let (program, diagnostics) = parse_query(text);
        assert_eq!(diagnostics, Vec::new(), "{text}");
        PartialPlan::of(&program.query)
    }

    #[test]
    fn aggregates_that_can_be_put_together_have_a_shape() {
        for text in [
            "['d'] | count",
            "['d'] | summarize count()",
            "['d'] | where a > 1 | extend b = a * 2 | summarize n = sum(b), max(b) by host, bin(_time, 5m)",
            "['d'] | summarize avg(a) by bin_auto(_time) | sort by _time asc",
        ] {
            assert!(partial_plan(text).is_some(), "{text}");
        }
        let partial_plan =
            partial_plan("['d'] | summarize avg(a), count() by host, bin_auto(_time)").unwrap();
        assert_eq!(partial_plan.results, [Merge::Mean(0, 1), Merge::Sum(2)]);
        assert!(partial_plan.has_bins);
        assert_eq!(partial_plan.keys.len(), 1);
    }

    #[test]
    fn all_else_has_none() {
        for text in [
            "['d']",
            "['d'] | summarize dcount(a)",
            "['d'] | summarize percentile(a, 95)",
            "['d'] | summarize count() | where count_ > 1",
            "['d'] | summarize sum(a) / count()",
            "['d'] | take 5 | summarize count()",
            "['d'] | where _time > ago(1h) | summarize count()",
            "['d'] | extend _time = now() | summarize count()",
            "['d'] | summarize count() by hour = datetime_part('Hour', _time)",
            "union ['a'], ['b'] | summarize count()",
        ] {
            assert_eq!(partial_plan(text), None, "{text}");
        }
    }
}
