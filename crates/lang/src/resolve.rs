//! What stands before a query settled in it: tables that have a name by `let`, views, the datasets that values name.
//! Names of single values stay in the query; they come back as a list, because a field of the same name goes before
//! them and only the engine knows the fields.

mod bindings;
mod shield;
mod view;
mod weight;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::tree::{
    Expr, ExprKind, LetValue, Literal, NamePattern, Program, Query, QueryParameter, Setting, Source,
    Statement, TimeRange,
};
use crate::{Diagnostic, Span};

use self::bindings::{Table, Values};
use self::shield::shield;
use self::weight::Weight;

pub use self::shield::OWN_FIELD;
pub use self::view::resolve_view;

/// How deep tables may be named by tables.
const DEPTH_MAX: usize = 32;

/// How many stages a query may have when all its names are settled.
const STAGES_MAX: usize = 5_000;

/// About how many bytes all that names bring may take: some times what the longest text takes. A list of values is one
/// stage and can be almost all of a text, and a name can be used a thousand times.
const BYTES_MAX: usize = 32 << 20;

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
        constants: Values::default(),
        brought: Weight::default(),
        place: Span::default(),
        problems: Vec::new(),
    };
    let mut is_strict = false;
    for (name, value) in variables {
        names.constants.define(name.clone(), Expr::new(ExprKind::Literal(value.clone()), Span::default()));
    }
    for statement in program.statements {
        match statement {
            Statement::Let(statement) => {
                names.place = statement.span;
                match statement.value {
                    LetValue::Scalar(expr) => names.define(statement.name, expr),
                    LetValue::Table(mut table) => {
                        names.settle(&mut table, 0);
                        names.constants.forget(&statement.name);
                        names.tables.insert(statement.name, Rc::new(Table::new(table, statement.span)));
                    }
                }
            }
            // The only setting there is; `set stricttypes = false` takes it back.
            Statement::Set(Setting { value, .. }) => is_strict = !value.is_some_and(|value| is_false(&value)),
            Statement::Parameters(parameters) => names.declare(parameters),
        }
    }
    let mut query = program.query;
    names.place = Span::default();
    names.settle(&mut query, 0);
    match names.problems.is_empty() {
        true => Ok(Resolved { query, constants: names.constants.into_list(), is_strict }),
        false => Err(names.problems),
    }
}

/// The views, whose names mean nothing of what the text or the request defines.
fn shielded(
    views: &HashMap<String, Query>,
    statements: &[Statement],
    variables: &[(String, Literal)],
) -> HashMap<String, Rc<Table>> {
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
    let shielded = |(name, view): (&String, &Query)| {
        let mut view = view.clone();
        shield(&mut view, &names);
        (name.clone(), Rc::new(Table::new(view, Span::default())))
    };
    views.iter().map(shielded).collect()
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

struct Names<'a> {
    views: &'a HashMap<String, Rc<Table>>,
    tables: HashMap<String, Rc<Table>>,
    constants: Values,
    /// What the settled names have brought.
    brought: Weight,
    /// The `let` that is being settled; none in the query itself.
    place: Span,
    problems: Vec<Diagnostic>,
}

impl Names<'_> {
    fn define(&mut self, name: String, expr: Expr) {
        // A name alone is that of a table, a view or a dataset, unless a value has it: here there are no fields.
        if let ExprKind::Field(other) = &expr.kind
            && !self.constants.has(other)
        {
            let dataset = || {
                let source = Source::Dataset { name: other.clone(), range: TimeRange::ALL, span: expr.span };
                Rc::new(Table::new(Query { source, stages: Vec::new() }, self.place))
            };
            let table = self.table(other).unwrap_or_else(dataset);
            self.constants.forget(&name);
            self.tables.insert(name, table);
            return;
        }
        self.tables.remove(&name);
        // What the name was before stays, because the new value may be made of it.
        self.constants.define(name, expr);
    }

    /// The table or the view of a name.
    fn table(&self, name: &str) -> Option<Rc<Table>> {
        self.tables.get(name).or_else(|| self.views.get(name)).cloned()
    }

    /// Counts a table that is about to be copied to where its name is used; none if that would be too much, which is told
    /// once: of the `let` that it comes from, and of a view where it is used.
    fn bring(&mut self, table: &Table, used: Span) -> Option<Query> {
        let is_first = !self.is_too_much();
        self.brought.stages += table.weight.stages;
        self.brought.bytes += table.weight.bytes;
        if !self.is_too_much() {
            return Some(table.query.clone());
        }
        if is_first {
            let message = "the tables that names stand for are too large together";
            let hint = "use fewer `let` tables and views, or those with long lists less often".to_owned();
            let place = [table.place, used].into_iter().find(|place| *place != Span::default());
            self.problems.push(Diagnostic::new(message, place.unwrap_or(self.place)).with_hint(hint));
        }
        None
    }

    fn is_too_much(&self) -> bool {
        self.brought.stages > STAGES_MAX || self.brought.bytes > BYTES_MAX
    }

    /// Parameters take the value that came with the request, else their default.
    fn declare(&mut self, parameters: Vec<QueryParameter>) {
        for QueryParameter { column, default, span } in parameters {
            if self.constants.has(&column.name) {
                continue;
            }
            match default {
                Some(default) => self.constants.define(column.name, default),
                None => {
                    let message = format!("the parameter `{}` has no value", column.name);
                    let hint = "send one in `variables`, or write a default in its declaration".to_owned();
                    self.problems.push(Diagnostic::new(message, span).with_hint(hint));
                }
            }
        }
    }

    fn settle(&mut self, query: &mut Query, depth: usize) {
        if self.is_too_much() {
            return;
        }
        if depth > DEPTH_MAX {
            let message = "tables name each other too deeply";
            let hint = "write fewer `let` tables and views that use each other".to_owned();
            let is_in_let = self.place != Span::default();
            let place = if is_in_let { self.place } else { query.source.place() };
            self.problems.push(Diagnostic::new(message, place).with_hint(hint));
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
        let Source::Dataset { name, span, .. } = &query.source else { return };
        let (Some(table), used) = (self.table(name), *span) else { return };
        if let Some(table) = self.bring(&table, used) {
            query.source = table.source;
            query.stages.splice(0..0, table.stages);
        }
    }

    /// The text that names a dataset: as it stands, or by the name of a value.
    fn dataset_of(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Literal(Literal::String(name)) => Some(name.clone()),
            ExprKind::Field(name) => {
                let value = self.constants.last(name)?;
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
                    && let Some(table) = self.tables.get(name).cloned()
                    && let Some(query) = self.bring(&table, element.span)
                {
                    element.kind = ExprKind::Table(Box::new(query));
                }
            }
        }
        for child in expr.children_mut() {
            self.settle_lists(child);
        }
    }
}
