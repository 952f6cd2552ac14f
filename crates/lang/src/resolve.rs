//! What stands before a query settled in it: tables that have a name by `let`, views, the datasets that values name.
//! Names of single values stay in the query; they come back as a list, because a field of the same name goes before
//! them and only the engine knows the fields.

mod view;

use std::collections::{HashMap, HashSet};

use crate::Diagnostic;
use crate::tree::{
    Expr, ExprKind, LetValue, Literal, NamePattern, Program, Query, QueryParameter, Setting, Source,
    Statement, TimeRange,
};

pub use self::view::{OWN_FIELD, resolve_view};

/// How deep tables may be named by tables.
const DEPTH_MAX: usize = 32;

/// How many stages a query may have when all its names are settled.
const STAGES_MAX: usize = 5_000;

/// A query that names nothing but datasets, fields and values.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    pub query: Query,
    /// Values with names. Later ones may use earlier ones.
    pub constants: Vec<(String, Expr)>,
    /// Whether values of other types than expected are errors.
    pub is_strict: bool,
}

/// Settles the names of a text. Variables come with the request; views are queries by their names.
pub fn resolve(
    program: Program,
    variables: &[(String, Literal)],
    views: &HashMap<String, Query>,
) -> Result<Resolved, Vec<Diagnostic>> {
    let views = shielded(views, &program.statements, variables);
    let mut names = Names {
        views: &views,
        tables: HashMap::new(),
        constants: Vec::new(),
        stages: 0,
        problems: Vec::new(),
    };
    let mut is_strict = false;
    for (name, value) in variables {
        let span = crate::Span::default();
        names.constants.push((name.clone(), Expr::new(ExprKind::Literal(value.clone()), span)));
    }
    for statement in program.statements {
        match statement {
            Statement::Let(statement) => match statement.value {
                LetValue::Scalar(expr) => names.define(statement.name, expr),
                LetValue::Table(mut table) => {
                    names.settle(&mut table, 0);
                    names.constants.retain(|(name, _)| *name != statement.name);
                    let stages = stage_count(&mut table);
                    names.tables.insert(statement.name, (table, stages));
                }
            },
            // The only setting there is; `set stricttypes = false` takes it back.
            Statement::Set(Setting { value, .. }) => is_strict = !value.is_some_and(|value| is_false(&value)),
            Statement::Parameters(parameters) => names.declare(parameters),
        }
    }
    let mut query = program.query;
    names.settle(&mut query, 0);
    match names.problems.is_empty() {
        true => Ok(Resolved { query, constants: names.constants, is_strict }),
        false => Err(names.problems),
    }
}

/// The views, whose names mean nothing of what the text or the request defines.
fn shielded(
    views: &HashMap<String, Query>,
    statements: &[Statement],
    variables: &[(String, Literal)],
) -> HashMap<String, Query> {
    let mut names: HashSet<String> = variables.iter().map(|(name, _)| name.clone()).collect();
    for statement in statements {
        match statement {
            Statement::Let(statement) => names.extend([statement.name.clone()]),
            Statement::Parameters(parameters) => {
                names.extend(parameters.iter().map(|parameter| parameter.column.name.clone()));
            }
            Statement::Set(_) => {}
        }
    }
    let mut views = views.clone();
    views.values_mut().for_each(|view| view::shield(view, &names));
    views
}

fn is_false(value: &Expr) -> bool {
    value.kind == ExprKind::Literal(Literal::Boolean(false))
}

/// The datasets that a query reads, each once. A name with stars stands for all that fit.
pub fn dataset_names(query: &mut Query) -> Vec<NamePattern> {
    let mut names = Vec::new();
    collect_names(query, &mut names, &mut HashSet::new());
    names
}

fn collect_names(query: &mut Query, names: &mut Vec<NamePattern>, known: &mut HashSet<NamePattern>) {
    let mut add = |pattern: NamePattern| {
        if known.insert(pattern.clone()) {
            names.push(pattern);
        }
    };
    let all = || NamePattern::new(vec![String::new(), String::new()]);
    match &query.source {
        Source::Dataset { name, .. } => add(NamePattern::new(vec![name.clone()])),
        Source::Datasets { pattern, .. } => add(pattern.clone()),
        Source::Search(search) if search.tables.is_empty() => add(all()),
        Source::Search(search) => search.tables.iter().cloned().for_each(add),
        _ => {}
    }
    for inner in query.queries_mut() {
        collect_names(inner, names, known);
    }
}

/// Gives all datasets that a query reads their range of time.
pub fn set_range(query: &mut Query, wanted: TimeRange) {
    match &mut query.source {
        Source::Dataset { range, .. } | Source::Datasets { range, .. } | Source::Table { range, .. } => {
            *range = wanted;
        }
        Source::Search(search) => search.range = wanted,
        Source::Values(_) | Source::Print(_) | Source::External(_) | Source::Union(_) => {}
    }
    for inner in query.queries_mut() {
        set_range(inner, wanted);
    }
}

/// How many stages and tables a query has, with those of the queries inside it.
fn stage_count(query: &mut Query) -> usize {
    let own = query.stages.len() + 1;
    own + query.queries_mut().into_iter().map(stage_count).sum::<usize>()
}

struct Names<'a> {
    views: &'a HashMap<String, Query>,
    /// Settled, with how many stages they have.
    tables: HashMap<String, (Query, usize)>,
    constants: Vec<(String, Expr)>,
    /// How many stages the settled names have brought.
    stages: usize,
    problems: Vec<Diagnostic>,
}

impl Names<'_> {
    fn define(&mut self, name: String, expr: Expr) {
        // A name alone is that of a table, a view or a dataset, unless a value has it: here there are no fields.
        if let ExprKind::Field(other) = &expr.kind
            && !self.constants.iter().any(|(known, _)| known == other)
        {
            let dataset = || {
                let source = Source::Dataset { name: other.clone(), range: TimeRange::ALL, span: expr.span };
                (Query { source, stages: Vec::new() }, 1)
            };
            let view = |view: &Query| (view.clone(), stage_count(&mut view.clone()));
            let table = self.tables.get(other).cloned().or_else(|| self.views.get(other).map(view));
            let table = table.unwrap_or_else(dataset);
            self.constants.retain(|(known, _)| *known != name);
            self.tables.insert(name, table);
            return;
        }
        self.tables.remove(&name);
        // What the name was before stays, because the new value may be made of it.
        self.constants.push((name, expr));
    }

    /// Parameters take the value that came with the request, else their default.
    fn declare(&mut self, parameters: Vec<QueryParameter>) {
        for QueryParameter { column, default } in parameters {
            if self.constants.iter().any(|(name, _)| *name == column.name) {
                continue;
            }
            match default {
                Some(default) => self.constants.push((column.name, default)),
                None => {
                    let message = format!("the parameter `{}` has no value", column.name);
                    let hint = "send one in `variables`, or write a default in its declaration".to_owned();
                    self.problems.push(Diagnostic::new(message, crate::Span::default()).with_hint(hint));
                }
            }
        }
    }

    fn settle(&mut self, query: &mut Query, depth: usize) {
        if depth > DEPTH_MAX || self.stages > STAGES_MAX {
            let message = "tables name each other too deeply";
            let hint = "write fewer `let` tables and views that use each other".to_owned();
            self.problems.push(Diagnostic::new(message, crate::Span::default()).with_hint(hint));
            return;
        }
        for expr in query.exprs_mut() {
            self.settle_lists(expr);
        }
        for inner in query.queries_mut() {
            self.settle(inner, depth + 1);
        }
        // Last, because what a name brings is settled already, by the names that were known where it was defined.
        self.settle_source(query);
    }

    fn settle_source(&mut self, query: &mut Query) {
        if let Source::Table { name, range } = &query.source {
            let found = self.dataset_of(name);
            match found {
                Some(dataset) => {
                    query.source = Source::Dataset { name: dataset, range: *range, span: name.span }
                }
                None => {
                    let hint = "write the name as a text, or as a parameter of type string".to_owned();
                    let message = "`table(…)` needs the name of a dataset";
                    self.problems.push(Diagnostic::new(message, name.span).with_hint(hint));
                }
            }
        }
        let Source::Dataset { name, .. } = &query.source else { return };
        let table = match self.tables.get(name) {
            Some((table, stages)) => {
                self.stages += stages;
                // More would be refused, and copying it may take all memory.
                (self.stages <= STAGES_MAX).then(|| table.clone())
            }
            None => self.views.get(name).and_then(|view| {
                let mut view = view.clone();
                self.stages += stage_count(&mut view);
                (self.stages <= STAGES_MAX).then_some(view)
            }),
        };
        if let Some(table) = table {
            query.source = table.source;
            query.stages.splice(0..0, table.stages);
        }
    }

    /// The text that names a dataset: as it stands, or by the name of a value.
    fn dataset_of(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Literal(Literal::String(name)) => Some(name.clone()),
            ExprKind::Field(name) => {
                let (_, value) = self.constants.iter().rev().find(|(known, _)| known == name)?;
                match &value.kind {
                    ExprKind::Literal(Literal::String(name)) => Some(name.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// In lists of values, the name of a table stands for the values in its first column.
    fn settle_lists(&mut self, expr: &mut Expr) {
        if let ExprKind::In { list, .. } | ExprKind::HasAny { list, .. } = &mut expr.kind {
            for element in list {
                if let ExprKind::Field(name) = &element.kind
                    && let Some((table, stages)) = self.tables.get(name)
                    && self.stages <= STAGES_MAX
                {
                    self.stages += stages;
                    element.kind = ExprKind::Table(Box::new(table.clone()));
                }
            }
        }
        for child in expr.children_mut() {
            self.settle_lists(child);
        }
    }
}
