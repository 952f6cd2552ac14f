//! Whole queries as text: one stage on a line, statements before them. A query in another one stands on one line.

use super::Printer;
use crate::parser::{implied_name, type_word};
use crate::tree::{
    AggregateCall, AggregateFunction, Expr, ExprKind, Let, LetValue, Literal, NamePattern, Named, Program,
    Query, QueryParameter, Setting, Stage, Statement,
};
use crate::{Span, sources, stages};

/// Prints a query with its statements, such that reading the text gives the same tree, places aside. What only the JSON
/// query can say, the place of a page, is left out.
pub fn print_query(program: &Program) -> String {
    let mut printer = Printer::default();
    for statement in &program.statements {
        printer.statement(statement);
        printer.push(";\n");
    }
    printer.query(&program.query, "\n| ");
    printer.finish()
}

/// Prints one stage, without the `|` before it.
pub fn print_stage(stage: &Stage) -> String {
    let mut printer = Printer::default();
    stages::print(stage, &mut printer);
    printer.finish()
}

impl Printer {
    pub(crate) fn query(&mut self, query: &Query, separator: &str) {
        sources::print(&query.source, self);
        for stage in query.stages.iter().filter(|stage| !matches!(stage, Stage::After(_))) {
            self.push(separator);
            stages::print(stage, self);
        }
    }

    /// Items with commas between them.
    pub(crate) fn joined<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    /// Expressions with their names, which are left out where a field keeps its own.
    pub(crate) fn named_list(&mut self, fields: &[Named]) {
        self.joined(fields, |printer, field| {
            if !field.is_plain() {
                printer.name(&field.name);
                printer.push(" = ");
            }
            printer.expr(&field.expr);
        });
    }

    pub(crate) fn pattern(&mut self, pattern: &NamePattern) {
        for (place, part) in pattern.parts.iter().enumerate() {
            if place > 0 {
                self.push("*");
            }
            if !part.is_empty() {
                self.name(part);
            }
        }
    }

    /// The aggregate of a group as an expression: what a text said, or what a text would say for the JSON query's.
    pub(crate) fn aggregate(&self, call: &AggregateCall) -> Expr {
        use AggregateFunction as F;
        let number = |number: u32| vec![literal(Literal::Integer(i64::from(number)))];
        let other = |other: &Option<Expr>| other.iter().cloned().collect();
        let (name, settings) = match &call.function {
            F::Computed(expr) => return (**expr).clone(),
            F::Count => ("count", Vec::new()),
            F::Distinct => ("dcount", Vec::new()),
            F::Sum => ("sum", Vec::new()),
            F::Avg => ("avg", Vec::new()),
            F::Min => ("min", Vec::new()),
            F::Max => ("max", Vec::new()),
            F::TopK(count) => ("topk", number(*count)),
            F::Percentiles(list) => {
                ("percentiles_array", list.iter().map(|percent| literal(Literal::Float(*percent))).collect())
            }
            F::Histogram(bins) => ("histogram", number(*bins)),
            F::Stdev => ("stdev", Vec::new()),
            F::Variance => ("variance", Vec::new()),
            F::ArgMin(field) => ("arg_min", other(field)),
            F::ArgMax(field) => ("arg_max", other(field)),
            F::MakeSet(most) => ("make_set", most.map(number).unwrap_or_default()),
            F::MakeList(most) => ("make_list", number(*most)),
            F::Rate => ("rate", Vec::new()),
        };
        let arguments = call.of.iter().cloned().chain(settings).collect();
        Expr::new(ExprKind::Call { function: name.to_owned(), arguments }, call.span)
    }

    /// The key that stands for buckets of time.
    pub(crate) fn bucket_key(step: i64) -> Named {
        let time = Expr::new(ExprKind::Field("_time".to_owned()), Span::default());
        let arguments = vec![time, literal(Literal::Timespan(step))];
        let expr = Expr::new(ExprKind::Call { function: "bin".to_owned(), arguments }, Span::default());
        Named { name: implied_name(&expr).unwrap_or_default(), expr }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(Let { name, value, .. }) => {
                self.push("let ");
                self.name(name);
                self.push(" = ");
                match value {
                    LetValue::Scalar(expr) => self.expr(expr),
                    LetValue::Table(query) => self.query(query, " | "),
                }
            }
            Statement::Set(Setting { name, value, .. }) => {
                self.push("set ");
                self.name(name);
                if let Some(value) = value {
                    self.push(" = ");
                    self.expr(value);
                }
            }
            Statement::Parameters(parameters) => {
                self.push("declare query_parameters(");
                self.joined(parameters, Self::parameter);
                self.push(")");
            }
        }
    }

    fn parameter(&mut self, parameter: &QueryParameter) {
        self.name(&parameter.column.name);
        self.push(&format!(":{}", type_word(parameter.column.kind)));
        if let Some(default) = &parameter.default {
            self.push(" = ");
            self.expr(default);
        }
    }
}

fn literal(literal: Literal) -> Expr {
    Expr::new(ExprKind::Literal(literal), Span::default())
}
